#pragma once
// How the tensors of a convolution lie in memory, and what it computes from them.

#include <array>
#include <cstdint>
#include <string_view>

#include "kernels/cuda/cuda_kernel.hpp"
#include "kernels/probe.hpp"

namespace roofcast {

/// Sizes and strides (in values) of images: count, channels, rows, columns. Of weights: channels out,
/// channels in, rows, columns.
struct ImageTensor {
  std::array<std::int64_t, 4> sizes{};
  std::array<std::int64_t, 4> strides{};
};

inline std::size_t values_of(const ImageTensor& tensor) {
  std::size_t values = 1;
  for (const std::int64_t size : tensor.sizes) values *= static_cast<std::size_t>(size);
  return values;
}

struct ConvolutionTensors {
  ImageTensor image{};    ///< x
  ImageTensor weights{};  ///< w
  ImageTensor result{};   ///< y
};

/// fp32 as frameworks store it by default, channels before pixels (NCHW); what Tensor Cores compute with the
/// channels of a pixel side by side (NHWC).
ConvolutionTensors convolution_tensors(const ConvolutionSizes& sizes, std::string_view precision);

/// With images x (in channels c), weights w and results y (out channels o), stride d, padding p:
///
///     forward          y[i, o, r, s]   = sum over c, u, v of x[i, c, r d + u - p, s d + v - p] w[o, c, u, v]
///     data_gradient    dx[i, c, a, b]  = sum over o, u, v of dy[i, o, r, s] w[o, c, u, v]
///                                        where r d + u - p = a and s d + v - p = b
///     weight_gradient  dw[o, c, u, v]  = sum over i, r, s of x[i, c, r d + u - p, s d + v - p] dy[i, o, r,
///     s]
///
/// No flipping of w: what networks call a convolution. What lies outside of x is 0.
enum class ConvolutionPass : std::uint8_t { forward, data_gradient, weight_gradient };

/// "conv2d", "conv2d_dgrad", "conv2d_wgrad"
ConvolutionPass convolution_pass(std::string_view op);

/// The first input is x (data_gradient: dy), the second w (weight_gradient: dy).
struct ConvolutionOperands {
  ImageTensor first{};
  ImageTensor second{};
  ImageTensor result{};
};

ConvolutionOperands convolution_operands(const ConvolutionTensors& tensors, ConvolutionPass pass);

/// Terms that are added up for one result, at most.
std::int64_t convolution_terms(const ConvolutionSizes& sizes, ConvolutionPass pass);

/// Result `at` in double precision. Its magnitude is the root of the sum of squared terms: terms of random
/// sign add up to about that, and so do the errors of their roundings.
ExpectedResult convolution_value(const ConvolutionSizes& sizes, const ConvolutionTensors& tensors,
                                 ConvolutionPass pass, const InputValues& inputs, std::size_t at);

}  // namespace roofcast
