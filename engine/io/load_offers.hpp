#pragma once
// Reads a cloud's price list, such as hardware_db/clouds/lambda.toml.

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostics.hpp"
#include "engine/hardware/price.hpp"

namespace roofcast {

/// All offers of the file, in its order.
Result<std::vector<Offer>> load_offers(std::string_view text, const std::string& file);

}  // namespace roofcast
