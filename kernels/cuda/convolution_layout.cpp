#include "kernels/cuda/convolution_layout.hpp"

#include <cmath>

namespace roofcast {
namespace {

using Sizes = std::array<std::int64_t, 4>;

ImageTensor tensor_of(const Sizes& sizes, bool channels_last) {
  const auto [count, channels, rows, columns] = sizes;
  if (channels_last) return {sizes, {channels * rows * columns, 1, columns * channels, channels}};
  return {sizes, {channels * rows * columns, rows * columns, columns, 1}};
}

std::size_t place(const ImageTensor& tensor, std::int64_t first, std::int64_t channel, std::int64_t row,
                  std::int64_t column) {
  return static_cast<std::size_t>(first * tensor.strides[0] + channel * tensor.strides[1] +
                                  row * tensor.strides[2] + column * tensor.strides[3]);
}

/// Which value lies there: the inverse of `place`.
Sizes index_of(const ImageTensor& tensor, std::size_t at) {
  Sizes index{};
  for (std::size_t d = 0; d < 4; ++d)
    index[d] = static_cast<std::int64_t>(at) / tensor.strides[d] % tensor.sizes[d];
  return index;
}

class Sum {
 public:
  void add(double term) {
    value_ += term;
    squares_ += term * term;
  }
  ExpectedResult result() const { return {value_, std::sqrt(squares_)}; }

 private:
  double value_ = 0;
  double squares_ = 0;
};

ExpectedResult forward(const ConvolutionSizes& sizes, const ConvolutionTensors& tensors,
                       const InputValues& inputs, std::size_t at) {
  const auto [i, o, r, s] = index_of(tensors.result, at);
  Sum sum;
  for (std::int64_t u = 0; u < sizes.kernel; ++u) {
    for (std::int64_t v = 0; v < sizes.kernel; ++v) {
      const std::int64_t a = r * sizes.stride + u - sizes.padding;
      const std::int64_t b = s * sizes.stride + v - sizes.padding;
      if (a < 0 || b < 0 || a >= sizes.in_size || b >= sizes.in_size) continue;
      for (std::int64_t c = 0; c < sizes.in_channels; ++c)
        sum.add(inputs(0, place(tensors.image, i, c, a, b)) * inputs(1, place(tensors.weights, o, c, u, v)));
    }
  }
  return sum.result();
}

ExpectedResult data_gradient(const ConvolutionSizes& sizes, const ConvolutionTensors& tensors,
                             const InputValues& inputs, std::size_t at) {
  const auto [i, c, a, b] = index_of(tensors.image, at);
  const std::int64_t out_size = output_size(sizes);
  Sum sum;
  for (std::int64_t u = 0; u < sizes.kernel; ++u) {
    for (std::int64_t v = 0; v < sizes.kernel; ++v) {
      const std::int64_t row = a + sizes.padding - u;  // r d
      const std::int64_t column = b + sizes.padding - v;
      if (row < 0 || column < 0 || row % sizes.stride != 0 || column % sizes.stride != 0) continue;
      const std::int64_t r = row / sizes.stride;
      const std::int64_t s = column / sizes.stride;
      if (r >= out_size || s >= out_size) continue;
      for (std::int64_t o = 0; o < sizes.out_channels; ++o)
        sum.add(inputs(0, place(tensors.result, i, o, r, s)) * inputs(1, place(tensors.weights, o, c, u, v)));
    }
  }
  return sum.result();
}

ExpectedResult weight_gradient(const ConvolutionSizes& sizes, const ConvolutionTensors& tensors,
                               const InputValues& inputs, std::size_t at) {
  const auto [o, c, u, v] = index_of(tensors.weights, at);
  const std::int64_t out_size = output_size(sizes);
  Sum sum;
  for (std::int64_t i = 0; i < sizes.batch; ++i) {
    for (std::int64_t r = 0; r < out_size; ++r) {
      for (std::int64_t s = 0; s < out_size; ++s) {
        const std::int64_t a = r * sizes.stride + u - sizes.padding;
        const std::int64_t b = s * sizes.stride + v - sizes.padding;
        if (a < 0 || b < 0 || a >= sizes.in_size || b >= sizes.in_size) continue;
        sum.add(inputs(0, place(tensors.image, i, c, a, b)) * inputs(1, place(tensors.result, i, o, r, s)));
      }
    }
  }
  return sum.result();
}

}  // namespace

ConvolutionTensors convolution_tensors(const ConvolutionSizes& sizes, std::string_view precision) {
  const bool channels_last = precision != "fp32";
  const std::int64_t out_size = output_size(sizes);
  return {.image = tensor_of({sizes.batch, sizes.in_channels, sizes.in_size, sizes.in_size}, channels_last),
          .weights =
              tensor_of({sizes.out_channels, sizes.in_channels, sizes.kernel, sizes.kernel}, channels_last),
          .result = tensor_of({sizes.batch, sizes.out_channels, out_size, out_size}, channels_last)};
}

ConvolutionPass convolution_pass(std::string_view op) {
  if (op == "conv2d_dgrad") return ConvolutionPass::data_gradient;
  return op == "conv2d_wgrad" ? ConvolutionPass::weight_gradient : ConvolutionPass::forward;
}

ConvolutionOperands convolution_operands(const ConvolutionTensors& tensors, ConvolutionPass pass) {
  switch (pass) {
    case ConvolutionPass::forward: return {tensors.image, tensors.weights, tensors.result};
    case ConvolutionPass::data_gradient: return {tensors.result, tensors.weights, tensors.image};
    case ConvolutionPass::weight_gradient: return {tensors.image, tensors.result, tensors.weights};
  }
  return {};
}

std::int64_t convolution_terms(const ConvolutionSizes& sizes, ConvolutionPass pass) {
  const std::int64_t taps = sizes.kernel * sizes.kernel;
  switch (pass) {
    case ConvolutionPass::forward: return sizes.in_channels * taps;
    case ConvolutionPass::data_gradient: return sizes.out_channels * taps;
    case ConvolutionPass::weight_gradient: return sizes.batch * output_size(sizes) * output_size(sizes);
  }
  return 1;
}

ExpectedResult convolution_value(const ConvolutionSizes& sizes, const ConvolutionTensors& tensors,
                                 ConvolutionPass pass, const InputValues& inputs, std::size_t at) {
  switch (pass) {
    case ConvolutionPass::forward: return forward(sizes, tensors, inputs, at);
    case ConvolutionPass::data_gradient: return data_gradient(sizes, tensors, inputs, at);
    case ConvolutionPass::weight_gradient: return weight_gradient(sizes, tensors, inputs, at);
  }
  return {};
}

}  // namespace roofcast
