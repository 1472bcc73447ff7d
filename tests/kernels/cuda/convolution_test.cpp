#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernels/cuda/convolution_layout.hpp"
#include "kernels/probe_list.hpp"

namespace roofcast {
namespace {

std::size_t at(const ImageTensor& tensor, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
  return static_cast<std::size_t>(a * tensor.strides[0] + b * tensor.strides[1] + c * tensor.strides[2] +
                                  d * tensor.strides[3]);
}

/// All products of a convolution, one after the other: `see(place of x, of w, of y)`.
template <class See>
void for_each_product(const ConvolutionSizes& sizes, const ConvolutionTensors& tensors, See&& see) {
  for (std::int64_t i = 0; i < sizes.batch; ++i) {
    for (std::int64_t o = 0; o < sizes.out_channels; ++o) {
      for (std::int64_t r = 0; r < output_size(sizes); ++r) {
        for (std::int64_t s = 0; s < output_size(sizes); ++s) {
          for (std::int64_t c = 0; c < sizes.in_channels; ++c) {
            for (std::int64_t u = 0; u < sizes.kernel; ++u) {
              for (std::int64_t v = 0; v < sizes.kernel; ++v) {
                const std::int64_t a = r * sizes.stride + u - sizes.padding;
                const std::int64_t b = s * sizes.stride + v - sizes.padding;
                if (a < 0 || b < 0 || a >= sizes.in_size || b >= sizes.in_size) continue;
                see(at(tensors.image, i, c, a, b), at(tensors.weights, o, c, u, v),
                    at(tensors.result, i, o, r, s));
              }
            }
          }
        }
      }
    }
  }
}

constexpr std::array some_sizes = {
    ConvolutionSizes{2, 3, 4, 3, 5, 1, 1}, ConvolutionSizes{1, 2, 3, 3, 7, 2, 1},
    ConvolutionSizes{3, 4, 2, 1, 4, 1, 0}, ConvolutionSizes{2, 2, 2, 1, 5, 2, 0},
    ConvolutionSizes{1, 3, 2, 4, 9, 4, 0}, ConvolutionSizes{1, 1, 2, 7, 11, 2, 3}};

TEST_CASE("convolution_value: each pass is the sum of its products, in both layouts") {
  for (const ConvolutionSizes& sizes : some_sizes) {
    for (const char* precision : {"fp32", "fp16"}) {
      CAPTURE(sizes.kernel);
      CAPTURE(sizes.stride);
      CAPTURE(precision);
      const ConvolutionTensors tensors = convolution_tensors(sizes, precision);
      for (const ConvolutionPass pass :
           {ConvolutionPass::forward, ConvolutionPass::data_gradient, ConvolutionPass::weight_gradient}) {
        const ConvolutionOperands operands = convolution_operands(tensors, pass);
        const InputValues inputs = [](std::size_t input, std::size_t place) {
          return input_value(Element::fp32, 1 + input, place);
        };
        std::vector<double> sums(values_of(operands.result), 0);
        std::vector<std::int64_t> terms(sums.size(), 0);
        for_each_product(sizes, tensors, [&](std::size_t x, std::size_t w, std::size_t y) {
          const std::size_t first = pass == ConvolutionPass::data_gradient ? y : x;
          const std::size_t second = pass == ConvolutionPass::weight_gradient ? y : w;
          const std::size_t result = pass == ConvolutionPass::forward         ? y
                                     : pass == ConvolutionPass::data_gradient ? x
                                                                              : w;
          sums.at(result) += inputs(0, first) * inputs(1, second);
          ++terms.at(result);
        });
        for (std::size_t i = 0; i < sums.size(); ++i) {
          CHECK(convolution_value(sizes, tensors, pass, inputs, i).value == doctest::Approx(sums[i]));
          CHECK(terms[i] <= convolution_terms(sizes, pass));
        }
      }
    }
  }
}

TEST_CASE("convolution_tensors: fp32 has channels before pixels, others side by side, each value once") {
  const ConvolutionSizes sizes{
      .batch = 2, .in_channels = 3, .out_channels = 4, .kernel = 3, .in_size = 5, .stride = 1, .padding = 1};

  CHECK(convolution_tensors(sizes, "fp32").image.strides ==
        std::array<std::int64_t, 4>{3 * 5 * 5, 5 * 5, 5, 1});
  CHECK(convolution_tensors(sizes, "tf32").image.strides ==
        std::array<std::int64_t, 4>{3 * 5 * 5, 1, 5 * 3, 3});
  const ImageTensor weights = convolution_tensors(sizes, "bf16").weights;
  std::set<std::size_t> places;
  for (std::int64_t o = 0; o < 4; ++o) {
    for (std::int64_t c = 0; c < 3; ++c) {
      for (std::int64_t u = 0; u < 3; ++u) {
        for (std::int64_t v = 0; v < 3; ++v) places.insert(at(weights, o, c, u, v));
      }
    }
  }
  CHECK(places.size() == values_of(weights));
  CHECK(*places.rbegin() == values_of(weights) - 1);
}

TEST_CASE("convolution probes: counted by hand, each shape once, and only where a device names them") {
  ProbeLimits limits{.memory = gibibytes(2), .operations = Flops{1e13}, .units = 100};
  for (const Probe& probe : probe_list(Extent::full, limits)) CHECK_FALSE(probe.convolution.has_value());
  constexpr std::array supported = {SupportedOp{"conv2d", "fp16"}, SupportedOp{"conv2d_dgrad", "fp16"},
                                    SupportedOp{"conv2d_wgrad", "fp16"}};
  limits.supported = supported;

  std::map<std::string, std::size_t> counts;
  std::map<std::string, Probe> by_name;
  for (const Probe& probe : probe_list(Extent::full, limits)) {
    ++counts[probe.op];
    CHECK(by_name.emplace(name(probe), probe).second);
  }

  CHECK(counts["conv2d"] == 4 * 47);
  CHECK(counts["conv2d_dgrad"] == 47);
  CHECK(counts["conv2d_wgrad"] == 47);
  const Probe& forward = by_name.at("conv2d fp16 32x64x56 to 64 k3s1p1 cold");
  CHECK(forward.operations.value == 2.0 * 32 * 56 * 56 * 64 * 64 * 9);
  CHECK(forward.read.value == 2.0 * (32 * 64 * 56 * 56 + 64 * 64 * 9));
  CHECK(forward.written.value == 2.0 * 32 * 64 * 56 * 56);
  CHECK(forward.group == "ic64oc64k3");
  const Probe& of_weights = by_name.at("conv2d_wgrad fp16 32x3x224 to 64 k7s2p3 cold");
  CHECK(of_weights.operations.value == 2.0 * 32 * 112 * 112 * 64 * 3 * 49);
  CHECK(of_weights.written.value == 2.0 * 64 * 3 * 49);
  const Probe& of_images = by_name.at("conv2d_dgrad fp16 32x256x56 to 512 k1s2p0 cold");
  CHECK(of_images.read.value == 2.0 * (256 * 512 + 32 * 512 * 28 * 28));
  CHECK(of_images.written.value == 2.0 * 32 * 256 * 56 * 56);
}

}  // namespace
}  // namespace roofcast
