#include "engine/fit/spread_over_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>

#include "engine/base/fnv1a64.hpp"

namespace roofcast {
namespace {

struct Candidate {
  std::size_t turn = 0;  ///< of its group
  std::uint64_t group_hash = 0;
  std::size_t index = 0;
};

}  // namespace

std::vector<std::size_t> spread_over_groups(std::span<const std::string> groups, std::size_t most) {
  std::map<std::string_view, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < groups.size(); ++i) members[groups[i]].push_back(i);
  std::vector<Candidate> candidates;
  for (auto& [group, indices] : members) {
    const std::string name(group);
    const auto order = [&](std::size_t index) {
      return std::pair{fnv1a64(fmt::format("{}:{}", index, name)), index};
    };
    std::ranges::sort(indices, {}, order);
    for (std::size_t turn = 0; turn < indices.size(); ++turn) {
      candidates.push_back({turn, fnv1a64(name + ":spread"), indices[turn]});
    }
  }
  std::ranges::sort(candidates, {}, [](const Candidate& candidate) {
    return std::tuple{candidate.turn, candidate.group_hash, candidate.index};
  });
  candidates.resize(std::min(most, candidates.size()));
  std::vector<std::size_t> chosen;
  for (const Candidate& candidate : candidates) chosen.push_back(candidate.index);
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace roofcast
