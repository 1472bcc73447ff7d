// Fused attention, causal (prefill) or not.

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/cuda/attention.hpp"
#include "kernels/cuda/by_precision.hpp"
#include "kernels/cuda/cuda_kernel.hpp"

namespace roofcast {
namespace {

constexpr std::string_view causal_op = "attention_prefill";

// Queries, keys, values.
std::vector<Operand> inputs(const Probe& probe, const CudaDevice& /*device*/) {
  const Element element = element_of(probe.precision);
  const AttentionSizes& sizes = *probe.attention;
  const std::size_t keys = static_cast<std::size_t>(sizes.batch) *
                           static_cast<std::size_t>(sizes.key_length) *
                           static_cast<std::size_t>(sizes.kv_heads * sizes.head_size);
  return {{element, cuda_elements(probe)}, {element, keys}, {element, keys}};
}

Result<Launch> prepare(const Probe& probe, const CudaDevice& /*device*/) {
  if (!probe.attention) return fail("attention needs its own sizes");
  return by_precision(probe.precision, [&]<class Number>(Number /*type*/) {
    if constexpr (sizeof(Number) == 2) {
      return Launch{[probe](const CudaOperands& operands, cudaStream_t stream) {
                      const auto [queries, keys, values] = operands.inputs;
                      return launch_attention<Number>(
                          {queries, keys, values, operands.results, *probe.attention, probe.op == causal_op},
                          stream);
                    },
                    "own: tiles of 64 queries by 64 keys; mma.sync"};
    } else {
      return Launch{};  // no kernel of this list
    }
  });
}

/// One number of a result, in two passes over all keys that its query sees.
ExpectedResult attended(const Probe& probe, const CudaDevice& /*device*/, const InputValues& inputs,
                        std::size_t at) {
  const AttentionSizes& sizes = *probe.attention;
  const auto size = static_cast<std::size_t>(sizes.head_size);
  const auto heads = static_cast<std::size_t>(sizes.heads);
  const auto kv_heads = static_cast<std::size_t>(sizes.kv_heads);
  const std::size_t column = at % size;
  const std::size_t head = at / size % heads;
  const std::size_t token = at / size / heads;
  const auto length = static_cast<std::size_t>(sizes.query_length);
  const auto seen =
      static_cast<std::size_t>(seen_keys(sizes, probe.op == causal_op, static_cast<int>(token % length)));
  const std::size_t first = token / length * static_cast<std::size_t>(sizes.key_length);
  const auto row_of = [&](std::size_t key) {
    return ((first + key) * kv_heads + head / (heads / kv_heads)) * size;
  };
  std::vector<double> query(size);
  for (std::size_t i = 0; i < size; ++i) query[i] = inputs(0, at - column + i);
  std::vector<double> weights(seen);
  for (std::size_t key = 0; key < seen; ++key) {
    double score = 0;
    for (std::size_t i = 0; i < size; ++i) score += query[i] * inputs(1, row_of(key) + i);
    weights[key] = score / std::sqrt(static_cast<double>(size));
  }
  const double largest = *std::ranges::max_element(weights);
  double sum = 0;
  ExpectedResult expected;
  for (std::size_t key = 0; key < seen; ++key) {
    const double weight = std::exp(weights[key] - largest);
    const double value = weight * inputs(2, row_of(key) + column);
    sum += weight;
    expected.value += value;
    expected.magnitude += std::abs(value);
  }
  return {expected.value / sum, expected.magnitude / sum};
}

/// A result needs the scores of all keys, each a sum over the head.
std::int64_t terms(const Probe& probe) {
  return std::int64_t{probe.attention->key_length} * probe.attention->head_size;
}

constexpr std::array<std::string_view, 1> half = {"fp16"};
constexpr std::array<std::string_view, 1> brain = {"bf16"};

// Weights are rounded to 11 bits or 8 before they multiply values: at most 2^-12 and 2^-9 of the magnitude. A
// tile of keys that is missing, or one too many, is more at any length that is measured.
constexpr CudaKernel attention_kernel(std::string_view op, std::span<const std::string_view> precision,
                                      int least, double tolerance) {
  CudaKernel kernel{op, precision, inputs, same_results, prepare, attended, least, tolerance};
  kernel.terms = terms;
  return kernel;
}

}  // namespace

std::span<const CudaKernel> cuda_attention_kernels() {
  static constexpr std::array kernels = {
      attention_kernel(causal_op, half, 75, 1e-3),
      attention_kernel(causal_op, brain, 80, 4e-3),
      attention_kernel("attention_bidirectional", half, 75, 1e-3),
      attention_kernel("attention_bidirectional", brain, 80, 4e-3),
  };
  return kernels;
}

}  // namespace roofcast
