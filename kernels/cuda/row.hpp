#pragma once
// Softmax and layer norm over rows: what is kept of a part of a row, how parts become one, and the launches.

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdint>

#include "kernels/cuda/map.hpp"

namespace roofcast {

/// Of a part of a row: its largest value and the sum of e^(x - largest). Parts combine in any order:
///
///     m = max(m1, m2),  s = s1 e^(m1 - m) + s2 e^(m2 - m)
///
/// Source: Milakov, Gimelshein, "Online normalizer calculation for softmax", 2018, equation 4.
struct SoftmaxPart {
  float largest = -3.0e38F;
  float sum = 0;
};

ROOFCAST_HOST_DEVICE inline float power_of_e(float x) {
#ifdef __CUDA_ARCH__
  return __expf(x);
#else
  return std::exp(x);
#endif
}

ROOFCAST_HOST_DEVICE inline SoftmaxPart combined(const SoftmaxPart& one, const SoftmaxPart& other) {
  const float largest = one.largest > other.largest ? one.largest : other.largest;
  return {largest,
          one.sum * power_of_e(one.largest - largest) + other.sum * power_of_e(other.largest - largest)};
}

/// The part and `count` more values: one more exponential for all of them than each by itself needs.
template <int count>
ROOFCAST_HOST_DEVICE inline SoftmaxPart with_values(const SoftmaxPart& part, const float (&x)[count]) {
  SoftmaxPart more{x[0], 0};
  ROOFCAST_UNROLL
  for (int i = 1; i < count; ++i) more.largest = x[i] > more.largest ? x[i] : more.largest;
  more.largest = part.largest > more.largest ? part.largest : more.largest;
  ROOFCAST_UNROLL
  for (int i = 0; i < count; ++i) more.sum += power_of_e(x[i] - more.largest);
  return {more.largest, more.sum + part.sum * power_of_e(part.largest - more.largest)};
}

/// Of a part of a row: how many values, their mean, and the sum of squares around it. Parts combine:
///
///     n = n1 + n2,  d = mean2 - mean1,  mean = mean1 + d n2 / n,  q = q1 + q2 + d^2 n1 n2 / n
///
/// Source: Chan, Golub, LeVeque, "Algorithms for computing the sample variance", 1983, equation 2.1.
struct MomentPart {
  float count = 0;
  float mean = 0;
  float squares = 0;
};

ROOFCAST_HOST_DEVICE inline MomentPart combined(const MomentPart& one, const MomentPart& other) {
  const float count = one.count + other.count;
  if (count == 0) return one;
  const float distance = other.mean - one.mean;
  const float share = other.count / count;
  return {count, one.mean + distance * share,
          one.squares + other.squares + distance * distance * one.count * share};
}

/// The part and `count` more values, whose own moments take two passes in registers: one division for all of
/// them.
template <int count>
ROOFCAST_HOST_DEVICE inline MomentPart with_values(const MomentPart& part, const float (&x)[count]) {
  MomentPart more{static_cast<float>(count), 0, 0};
  ROOFCAST_UNROLL
  for (int i = 0; i < count; ++i) more.mean += x[i];
  more.mean *= 1.0F / count;
  ROOFCAST_UNROLL
  for (int i = 0; i < count; ++i) more.squares += (x[i] - more.mean) * (x[i] - more.mean);
  return combined(part, more);
}

/// y = (x - mean) scale factor + term, with scale = 1 / sqrt(squares / count + epsilon).
inline constexpr double layer_norm_epsilon = 1e-5;

ROOFCAST_HOST_DEVICE inline float layer_norm_scale(const MomentPart& row) {
  return 1.0F / std::sqrt(row.squares / row.count + static_cast<float>(layer_norm_epsilon));
}

/// Threads that share a row: a warp up to 1024 columns, else a block of 256.
constexpr int row_threads(std::int64_t columns) {
  return columns <= 1024 ? 32 : 256;
}

/// Numbers that a thread reads at once: 16 bytes, if all rows begin at a multiple of them.
template <class Number>
constexpr int row_width(std::int64_t columns) {
  return columns % Pack<Number>::size == 0 ? Pack<Number>::size : 1;
}

struct RowArguments {
  const void* in = nullptr;
  const void* factor = nullptr;  ///< of layer norm, a value for each column
  const void* term = nullptr;    ///< the same
  void* out = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

template <class Number>
cudaError_t launch_softmax(const RowArguments& arguments, cudaStream_t stream);

template <class Number>
cudaError_t launch_layer_norm(const RowArguments& arguments, cudaStream_t stream);

}  // namespace roofcast
