#include "engine/decide/input_supply.hpp"

#include <algorithm>

namespace roofcast {
namespace {

// PCI Express base specifications: transfers per second of a lane times its encoding, 8b/10b for generations
// 1 and 2, 128b/130b from 3 on; generation 6 has four levels and flits of 242 in 256 bytes. In GB/s, one
// direction.
constexpr std::array lane_gbytes_per_s = {
    0.25, 0.5, 8.0 / 8 * 128 / 130, 16.0 / 8 * 128 / 130, 32.0 / 8 * 128 / 130, 64.0 / 8 * 242 / 256};

// What large copies from pinned memory reach: 12.5 to 13.5 GB/s of the 15.75 of generation 3 with 16 lanes,
// 26 of the 31.5 of generation 4 (CUDA samples' bandwidthTest as published, recalled).
constexpr double reached = 0.85;
constexpr Seconds setup = microseconds(10);  // of the copies of a step (estimated)

void add_waiting(Prediction& prediction, Seconds waiting) {
  prediction.time_by_bound[static_cast<std::size_t>(Bound::input)] += waiting;
}

}  // namespace

std::optional<Seconds> input_copy(Bytes inputs, const Device& device) {
  const auto generation = static_cast<std::size_t>(device.pcie_generation);
  if (generation < 1 || generation > lane_gbytes_per_s.size() || device.pcie_lanes < 1) return std::nullopt;
  const BytesPerSecond link{1e9 * lane_gbytes_per_s[generation - 1] * device.pcie_lanes};
  return inputs / (link * reached) + setup;
}

Prediction with_input(Prediction prediction, const InputSupply& input, std::int64_t batch,
                      const Device& device) {
  TimeRange& time = prediction.time;
  if (const auto copy = input.copied ? input_copy(prediction.input, device) : std::nullopt) {
    time = {.p10 = time.p10 + *copy, .p50 = time.p50 + *copy, .p90 = time.p90 + *copy};
    add_waiting(prediction, *copy);
  }
  if (input.samples_per_second) {
    const Seconds least{static_cast<double>(batch) / *input.samples_per_second};
    if (least > time.p50) add_waiting(prediction, least - time.p50);
    time = {
        .p10 = std::max(time.p10, least), .p50 = std::max(time.p50, least), .p90 = std::max(time.p90, least)};
  }
  return prediction;
}

}  // namespace roofcast
