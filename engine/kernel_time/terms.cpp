#include "engine/kernel_time/terms.hpp"

#include <fmt/format.h>

namespace roofcast {
namespace {

/// 3 significant digits with the prefix that suits: "1.23 G".
std::string scaled(double value) {
  constexpr std::array<std::string_view, 6> prefixes = {"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  while (value >= 1000.0 && prefix + 1 < prefixes.size()) {
    value /= 1000.0;
    ++prefix;
  }
  const std::string number = value >= 100.0 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
  return fmt::format("{} {}", number, prefixes[prefix]);
}

std::string product(const std::array<std::int64_t, 3>& axes) {
  std::string text;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (text.empty() && axes[i] == 1 && i == 0) continue;  // fewer than three axes
    text += fmt::format("{}{}", text.empty() ? "" : "x", axes[i]);
  }
  return text;
}

std::string_view name_of(Pass pass) {
  switch (pass) {
    case Pass::forward: return "forward";
    case Pass::input_gradient: return "input gradient";
    case Pass::weight_gradient: return "weight gradient";
    case Pass::backward: return "backward";
  }
  return "";
}

}  // namespace

std::string describe(const KernelForm<std::int64_t>& form) {
  using Dim = std::int64_t;
  if (const auto* gemm = std::get_if<Gemm<Dim>>(&form)) {
    const std::string batch = gemm->batch == 1 ? "" : fmt::format("batch={} ", gemm->batch);
    return fmt::format("{}m={} n={} k={}", batch, gemm->m, gemm->n, gemm->k);
  }
  if (const auto* conv = std::get_if<Convolution<Dim>>(&form)) {
    const std::string groups = conv->groups == 1 ? "" : fmt::format(" groups={}", conv->groups);
    return fmt::format("{}: n={} {}x{} -> {}x{} kernel={} stride={}{}", name_of(conv->pass), conv->batch,
                       conv->in_channels, product(conv->input), conv->out_channels, product(conv->output),
                       product(conv->kernel), product(conv->stride), groups);
  }
  if (const auto* attention = std::get_if<Attention<Dim>>(&form)) {
    const bool windowed = attention->window > 0 && attention->window < attention->key_length;
    return fmt::format("{}: n={} heads={}/{} q={} k={} d={}{}{}", name_of(attention->pass), attention->batch,
                       attention->heads, attention->kv_heads, attention->query_length, attention->key_length,
                       attention->head_size, attention->causal ? " causal" : "",
                       windowed ? fmt::format(" window={}", attention->window) : "");
  }
  if (const auto* stream = std::get_if<Stream<Dim>>(&form))
    return fmt::format("{} elements", stream->elements);
  const auto& gather = std::get<Gather<Dim>>(form);
  return fmt::format("{} {} rows of {}", gather.scatter ? "scatter" : "gather", gather.rows,
                     gather.row_elements);
}

std::vector<TimeTerm> time_terms(const BoundKernel& kernel, const DeviceRates& rates, const Runtime& runtime,
                                 const Priors& priors) {
  const KernelTime time = kernel_time(kernel, rates, runtime, priors);
  const Efficiency& reached = priors.efficiency[static_cast<std::size_t>(family(kernel.form))];
  std::string compute;
  if (time.executed_macs > 0) {
    compute = fmt::format("2 * {}MAC / ({:.2f} * {}FLOP/s)", scaled(time.executed_macs), reached.compute,
                          scaled(rates.matrix[static_cast<std::size_t>(kernel.arithmetic)].value));
  } else {
    compute = fmt::format("{}op / ({:.2f} * {}FLOP/s)", scaled(kernel.operations), reached.compute,
                          scaled(rates.vector.value));
  }
  const std::string memory =
      fmt::format("({}B read + {}B written) / ({:.2f} * {}B/s)", scaled(kernel.read.value),
                  scaled(kernel.written.value), reached.memory, scaled(rates.bandwidth.value));
  return {{"launch", fmt::format("one launch under {}", runtime.name), time.launch},
          {"compute", compute, time.compute},
          {"memory", memory, time.memory}};
}

}  // namespace roofcast
