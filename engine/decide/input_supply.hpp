#pragma once
// What the way of the inputs to the card adds to a step.

#include <cstdint>

#include "engine/decide/request.hpp"
#include "engine/predict.hpp"

namespace roofcast {

/// The copy of inputs from pinned memory of the host, over PCIe:
///
///     t = B / (0.85 W) + 10 us
///
/// B: bytes of all inputs, W: the link's bandwidth in one direction, from its generation and lanes. Empty if
/// the card's generation is not known.
std::optional<Seconds> input_copy(Bytes inputs, const Device& device);

/// The prediction with the inputs' supply: the copy is not hidden behind kernels, and a step takes at least
/// batch / rate. What it waits counts as `Bound::input`.
Prediction with_input(Prediction prediction, const InputSupply& input, std::int64_t batch,
                      const Device& device);

}  // namespace roofcast
