#pragma once
// What convolutions are measured over.

#include <cstdint>

namespace roofcast {

/// A convolution of `batch` square images, the same in both directions, without groups.
struct ConvolutionSizes {
  std::int64_t batch = 1;
  std::int64_t in_channels = 1;
  std::int64_t out_channels = 1;
  std::int64_t kernel = 1;
  std::int64_t in_size = 1;  ///< pixels a side
  std::int64_t stride = 1;
  std::int64_t padding = 0;
};

/// Pixels a side of the result: s' = floor((s + 2 p - k) / d) + 1, with size s, padding p, kernel k, stride
/// d.
inline std::int64_t output_size(const ConvolutionSizes& sizes) {
  return (sizes.in_size + 2 * sizes.padding - sizes.kernel) / sizes.stride + 1;
}

}  // namespace roofcast
