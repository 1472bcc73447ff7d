#pragma once
// Values as people write them on a command line.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/diagnostics.hpp"
#include "engine/hardware/price.hpp"

namespace roofcast {

/// "128", or with a `k` for 1024: "4k" is 4096.
Result<std::int64_t> parse_size(std::string_view text, std::string_view option);

/// "1,8,32"; "1..256" for the powers of two in the range and both ends; "8..512:8" for every eighth from 8
/// on; also mixed. Ascending, each once.
Result<std::vector<std::int64_t>> parse_batches(std::string_view text);

/// "seq=4k", or several values as with batch sizes; 0 is one of symbols that say whether something is there.
Result<std::pair<std::string, std::vector<std::int64_t>>> parse_assignment(std::string_view text);

/// "image=1x3x224x224"; a name may hold '=' itself, and a scalar has no dimensions: "step=".
Result<std::pair<std::string, std::vector<std::int64_t>>> parse_shape(std::string_view text);

/// "1.99" or "1.99/h", with or without "$" in front.
Result<Price> parse_price(std::string_view text);

/// A rate above 0 in samples per second: "1500", "2.5k" for 2500.
Result<double> parse_rate(std::string_view text);

/// A number of threads from 1 on.
Result<std::size_t> parse_threads(std::string_view text);

/// The parts between commas, without surrounding spaces.
std::vector<std::string> split_list(std::string_view text);

}  // namespace roofcast
