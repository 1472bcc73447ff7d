// A step of an optimiser over many tensors at once. Only devices that name these operators have them.

#include <array>

#include "kernels/probes/families.hpp"

namespace roofcast {
namespace {

/// Adam reads gradient, parameter and two running means and writes all but the gradient: 28 bytes in fp32. Of
/// its 13 operations the means are 3 and 4, the update 6.
Probe adam_probe(std::int64_t tensors, std::int64_t values) {
  const double count = static_cast<double>(tensors) * static_cast<double>(values);
  return {.op = "adam",
          .m = tensors,
          .n = values,
          .residency = Residency::cold,
          .group = "adam",
          .operations = Flops{13 * count},
          .read = Bytes{16 * count},
          .written = Bytes{12 * count}};
}

struct List {
  std::int64_t tensors = 1;
  std::int64_t values = 1;
};

// As many tensors as ResNet-50 (161, 25.6 million parameters) and BERT large (391) have, all of them alike;
// small ones, which are as many biases and norms; few large ones.
constexpr std::array full = {List{161, 158736}, List{161, 16384}, List{161, 256},     List{391, 1024},
                             List{391, 65536},  List{1, 65536},   List{1, 1 << 20},   List{1, 1 << 24},
                             List{16, 1 << 20}, List{16, 65540},  List{1000, 1 << 14}};
constexpr std::array quick = {List{161, 158736}, List{391, 1024}, List{16, 1 << 20}};

}  // namespace

std::vector<Probe> optimizer_probes(Extent extent, const ProbeLimits& limits) {
  if (limits.supported.empty() || precisions_of("adam", limits).empty()) return {};
  const std::span<const List> lists = extent == Extent::quick ? std::span<const List>(quick) : full;
  std::vector<Probe> probes;
  for (const List& list : lists) probes.push_back(adam_probe(list.tensors, list.values));
  return probes;
}

}  // namespace roofcast
