// Convolutions of ResNet-50, ConvNeXt-T and EfficientNet-B0, each shape once, and their gradients. Those with
// a group for each channel are left out: tables of measured convolutions have no groups. Only devices that
// name these operators have them.

#include <fmt/format.h>

#include <array>

#include "kernels/probes/families.hpp"

namespace roofcast {
namespace {

struct Layer {
  std::int64_t in = 0;
  std::int64_t out = 0;
  std::int64_t kernel = 1;
  std::int64_t size = 0;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
};

constexpr std::array layers = {
    // ResNet-50, with the stride in the 3 x 3 convolution. Source: He et al., "Deep residual learning for
    // image
    // recognition", 2015, table 1; torchvision's resnet50.
    Layer{3, 64, 7, 224, 2, 3}, Layer{64, 64, 1, 56}, Layer{64, 64, 3, 56, 1, 1}, Layer{64, 256, 1, 56},
    Layer{256, 64, 1, 56}, Layer{256, 128, 1, 56}, Layer{128, 128, 3, 56, 2, 1}, Layer{256, 512, 1, 56, 2},
    Layer{128, 512, 1, 28}, Layer{512, 128, 1, 28}, Layer{128, 128, 3, 28, 1, 1}, Layer{512, 256, 1, 28},
    Layer{256, 256, 3, 28, 2, 1}, Layer{512, 1024, 1, 28, 2}, Layer{256, 1024, 1, 14},
    Layer{1024, 256, 1, 14}, Layer{256, 256, 3, 14, 1, 1}, Layer{1024, 512, 1, 14},
    Layer{512, 512, 3, 14, 2, 1}, Layer{1024, 2048, 1, 14, 2}, Layer{512, 2048, 1, 7}, Layer{2048, 512, 1, 7},
    Layer{512, 512, 3, 7, 1, 1},
    // ConvNeXt-T: the stem and what makes images smaller. Source: Liu et al., "A ConvNet for the 2020s",
    // 2022.
    Layer{3, 96, 4, 224, 4}, Layer{96, 192, 2, 56, 2}, Layer{192, 384, 2, 28, 2}, Layer{384, 768, 2, 14, 2},
    // EfficientNet-B0. Source: Tan, Le, "EfficientNet", 2019, table 1; an expansion of 6 but in the first
    // block.
    Layer{3, 32, 3, 224, 2, 1}, Layer{32, 16, 1, 112}, Layer{16, 96, 1, 112}, Layer{96, 24, 1, 56},
    Layer{24, 144, 1, 56}, Layer{144, 24, 1, 56}, Layer{144, 40, 1, 28}, Layer{40, 240, 1, 28},
    Layer{240, 40, 1, 28}, Layer{240, 80, 1, 14}, Layer{80, 480, 1, 14}, Layer{480, 80, 1, 14},
    Layer{480, 112, 1, 14}, Layer{112, 672, 1, 14}, Layer{672, 112, 1, 14}, Layer{672, 192, 1, 7},
    Layer{192, 1152, 1, 7}, Layer{1152, 192, 1, 7}, Layer{1152, 320, 1, 7}, Layer{320, 1280, 1, 7}};

// A wide, a usual and a deep one of ResNet-50.
constexpr std::array quick_layers = {Layer{3, 64, 7, 224, 2, 3}, Layer{64, 64, 3, 56, 1, 1},
                                     Layer{1024, 256, 1, 14}};

/// The gradients need as many operations as the convolution, and each moves two of its three tensors in and
/// the third out.
Probe convolution_probe(const char* op, std::string_view precision, const Layer& layer, std::int64_t batch) {
  const ConvolutionSizes sizes{.batch = batch,
                               .in_channels = layer.in,
                               .out_channels = layer.out,
                               .kernel = layer.kernel,
                               .in_size = layer.size,
                               .stride = layer.stride,
                               .padding = layer.padding};
  const auto side = static_cast<double>(output_size(sizes));
  const auto taps = static_cast<double>(layer.kernel * layer.kernel);
  const double image = static_cast<double>(batch * layer.in * layer.size * layer.size);
  const double weights = static_cast<double>(layer.in * layer.out) * taps;
  const double result = static_cast<double>(batch * layer.out) * side * side;
  const std::string_view pass = op;
  const double written = pass == "conv2d_dgrad" ? image : pass == "conv2d_wgrad" ? weights : result;
  const double bytes = value_bytes(precision);
  return {.op = op,
          .precision = std::string(precision),
          .convolution = sizes,
          .residency = Residency::cold,
          .group = fmt::format("ic{}oc{}k{}", layer.in, layer.out, layer.kernel),
          .operations = Flops{2 * result * static_cast<double>(layer.in) * taps},
          .read = Bytes{(image + weights + result - written) * bytes},
          .written = Bytes{written * bytes}};
}

}  // namespace

std::vector<Probe> convolution_probes(Extent extent, const ProbeLimits& limits) {
  if (limits.supported.empty()) return {};
  struct Pass {
    const char* op = "";
    std::vector<std::int64_t> batches{};
  };
  const bool quick = extent == Extent::quick;
  const std::vector<std::int64_t> of_training = {32};
  const std::array passes = {
      Pass{"conv2d", quick ? std::vector<std::int64_t>{8} : std::vector<std::int64_t>{1, 8, 32, 128}},
      Pass{"conv2d_dgrad", of_training}, Pass{"conv2d_wgrad", of_training}};
  const auto shapes = quick ? std::span<const Layer>(quick_layers) : std::span<const Layer>(layers);
  std::vector<Probe> probes;
  for (const Pass& pass : passes) {
    for (const std::string_view precision : precisions_of(pass.op, limits)) {
      for (const Layer& layer : shapes) {
        if (quick && pass.op != passes.front().op && layer.kernel != 3) continue;
        for (const std::int64_t batch : pass.batches) {
          Probe probe = convolution_probe(pass.op, precision, layer, batch);
          if (probe.read + probe.written <= limits.memory) probes.push_back(std::move(probe));
        }
      }
    }
  }
  return probes;
}

}  // namespace roofcast
