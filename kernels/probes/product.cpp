// Matrix products: shapes spread evenly over all sizes, those of transformers, and sizes around those of
// tiles.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <set>

#include "kernels/probes/families.hpp"
#include "kernels/random.hpp"

namespace roofcast {
namespace {

using Shape = std::array<std::int64_t, 3>;  // m, n, k

/// Point `i` of an evenly spread sequence in the unit cube, shifted at random:
///
///     x_d = frac(s_d + (i + 1) / g^d),  d = 1..3
///
/// s: the shift, g: the root of g^4 = g + 1. Source: Roberts, "The unreasonable effectiveness of
/// quasirandom sequences", 2018; the shift is Cranley and Patterson's, 1976.
std::array<double, 3> spread_point(std::uint64_t i) {
  constexpr double g = 1.2207440846057596;
  constexpr std::uint64_t seed = 2;
  std::array<double, 3> point{};
  for (std::size_t d = 0; d < 3; ++d) {
    const double place =
        random_uniform(seed, d) + static_cast<double>(i + 1) / std::pow(g, static_cast<double>(d + 1));
    point[d] = place - std::floor(place);
  }
  return point;
}

Probe product_probe(const Shape& shape, std::string_view precision) {
  const auto [m, n, k] = shape;
  const auto rows = static_cast<double>(m);
  const auto columns = static_cast<double>(n);
  const auto depth = static_cast<double>(k);
  return {.op = "gemm",
          .precision = std::string(precision),
          .m = m,
          .n = n,
          .k = k,
          .residency = Residency::cold,
          .group = fmt::format("gemm:n{}k{}", n, k),
          .operations = Flops{2 * rows * columns * depth},
          .read = Bytes{(rows * depth + depth * columns) * value_bytes(precision)},
          .written = Bytes{rows * columns * product_bytes(precision)}};
}

bool is_allowed(const Shape& shape, const ProbeLimits& limits) {
  const Probe probe = product_probe(shape, "fp32");
  return probe.operations <= limits.operations && probe.read + probe.written <= limits.memory;
}

/// Libraries have products of single bytes only where rows of weights and results are multiples of 16 bytes.
bool is_aligned(const Shape& shape, std::string_view precision) {
  const auto [m, n, k] = shape;
  return value_bytes(precision) > 1 || (n % 16 == 0 && k % 16 == 0);
}

/// Sizes from 1 (k: 16) to 8192, even in their logarithms; every other shape has sizes that are multiples of
/// 8, as most in networks are.
std::set<Shape> spread_shapes(std::size_t count, const ProbeLimits& limits) {
  constexpr std::uint64_t most_tries = 4096;  // small limits may leave few shapes
  std::set<Shape> shapes;
  for (std::uint64_t i = 0; i < most_tries && shapes.size() < count; ++i) {
    const auto point = spread_point(i);
    const bool aligned = i % 2 == 0;
    const auto size = [&](double place, double least, double most) {
      const double octave = std::log2(least) + place * std::log2(most / least);
      const std::int64_t exact = std::llround(std::exp2(octave));
      return aligned ? (exact + 7) / 8 * 8 : exact;
    };
    const Shape shape = {size(point[0], 1, 8192), size(point[1], 1, 8192), size(point[2], 16, 8192)};
    if (is_allowed(shape, limits)) shapes.insert(shape);
  }
  return shapes;
}

/// The layers of BERT, GPT-2 and Llama 2 (width x width, feed-forward, vocabulary) by tokens.
std::set<Shape> transformer_shapes(Extent extent) {
  struct Layer {
    std::int64_t n = 0;
    std::int64_t k = 0;
  };
  constexpr std::array layers = {Layer{768, 768},   Layer{3072, 768},  Layer{768, 3072}, Layer{2304, 768},
                                 Layer{4096, 1024}, Layer{50257, 768}, Layer{4096, 4096}};
  const std::vector<std::int64_t> tokens =
      extent == Extent::quick ? std::vector<std::int64_t>{1, 128}
                              : std::vector<std::int64_t>{1, 4, 16, 64, 128, 512, 2048, 8192};
  std::set<Shape> shapes;
  for (const Layer& layer : layers) {
    for (const std::int64_t m : tokens) shapes.insert({m, layer.n, layer.k});
  }
  return shapes;
}

/// One below, at and above a tile's sizes, where a last tile is almost empty or almost full.
std::set<Shape> tail_shapes(Extent extent) {
  const std::vector<std::int64_t> sizes =
      extent == Extent::quick ? std::vector<std::int64_t>{255, 256, 257}
                              : std::vector<std::int64_t>{63,  64,  65,  127, 128,  129,  255, 256,
                                                          257, 511, 512, 513, 1023, 1024, 1025};
  std::set<Shape> shapes;
  for (const std::int64_t size : sizes) shapes.insert({size, size, 512});
  return shapes;
}

/// Large squares: the highest rate that the device reaches.
std::set<Shape> square_shapes() {
  return {{512, 512, 512}, {1024, 1024, 1024}, {1536, 1536, 1536}, {2048, 2048, 2048}, {8192, 8192, 8192}};
}

/// Products that keep a device busy, and some whose operands do, for which it is under load for seconds: how
/// far power and heat bring its clock down. In a quick list one, in a precision that all devices have.
std::vector<Probe> sustained_probes(Extent extent, const ProbeLimits& limits) {
  if (limits.supported.empty()) return {};
  const std::vector<Shape> shapes =
      extent == Extent::quick
          ? std::vector<Shape>{{8192, 8192, 8192}}
          : std::vector<Shape>{{8192, 8192, 8192}, {4096, 14336, 4096}, {128, 8192, 8192}, {16, 8192, 8192}};
  std::vector<Probe> probes;
  for (const std::string_view precision : precisions_of("gemm", limits)) {
    if (extent == Extent::quick && precision != "fp16") continue;
    for (const Shape& shape : shapes) {
      if (!is_allowed(shape, limits)) continue;
      probes.push_back(product_probe(shape, precision));
      probes.back().load = Load::sustained;
    }
  }
  return probes;
}

}  // namespace

std::vector<Probe> product_probes(Extent extent, const ProbeLimits& limits) {
  std::set<Shape> shapes = spread_shapes(extent == Extent::quick ? 24 : 200, limits);
  shapes.merge(transformer_shapes(extent));
  shapes.merge(tail_shapes(extent));
  shapes.merge(square_shapes());
  std::vector<Probe> probes = sustained_probes(extent, limits);
  for (const std::string_view precision : precisions_of("gemm", limits)) {
    for (const Shape& shape : shapes) {
      if (is_allowed(shape, limits) && is_aligned(shape, precision))
        probes.push_back(product_probe(shape, precision));
    }
  }
  return probes;
}

}  // namespace roofcast
