#pragma once
// Which precisions a request is about.

#include <vector>

#include "engine/decide/request.hpp"

namespace roofcast {

/// The policies that a request asks for, or all that the card supports for its task. Errors: an unknown
/// precision, one for the other task, one that the card lacks.
Result<std::vector<PrecisionPolicy>> precisions_for(const Device& device, const Request& request);

}  // namespace roofcast
