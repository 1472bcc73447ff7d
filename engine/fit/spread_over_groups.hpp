#pragma once
// Some of many samples, from as many groups as there are.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace roofcast {

/// At most `most` indices into `groups`, the group of each sample, in ascending order: one of every group
/// before a second of any. Which groups and which samples of a group follows from hashes, so it looks random
/// and is the same every time.
std::vector<std::size_t> spread_over_groups(std::span<const std::string> groups, std::size_t most);

}  // namespace roofcast
