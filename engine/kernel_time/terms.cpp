#include "engine/kernel_time/terms.hpp"

#include <fmt/format.h>

#include "engine/kernel_time/work.hpp"

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

namespace {

struct Words {
  std::string compute{};
  std::string memory{};
  std::string further{};
};

std::string bytes_moved(const BoundKernel& kernel) {
  return fmt::format("{}B read + {}B written", scaled(kernel.read.value), scaled(kernel.written.value));
}

std::string bandwidth(double share, const TimeModel& model) {
  return fmt::format("{:.2f} x {}B/s", share, scaled(model.machine.bandwidth.value));
}

std::string products(const KernelTime& time, const BoundKernel& kernel, const TimeModel& model) {
  return fmt::format("2 x {}MAC at up to {}FLOP/s", scaled(time.executed_macs),
                     scaled(model.machine.matrix[static_cast<std::size_t>(kernel.arithmetic)].value));
}

std::string tiles(const GemmTime& gemm) {
  std::string text = fmt::format(", tiles of {}x{}", gemm.tile_m, gemm.tile_n);
  if (gemm.split_k > 1) text += fmt::format(", k in {} parts", gemm.split_k);
  return text + fmt::format(", {:.3g} {}", gemm.waves, gemm.waves == 1 ? "wave" : "waves");
}

Words words_of(const Gemm<std::int64_t>& form, const BoundKernel& kernel, const KernelTime& time,
               const TimeModel& model) {
  const GemmParameters& fitted =
      model.priors->kernels.gemm[static_cast<std::size_t>(matrix_unit(kernel.arithmetic, model.machine))];
  const GemmTime gemm = gemm_time(work_of(form, kernel, time.cached), model.machine, fitted);
  return {.compute = products(time, kernel, model) + tiles(gemm),
          .memory = fmt::format("{}B at up to {}", scaled(gemm.traffic.value),
                                bandwidth(fitted.bandwidth_share, model)),
          .further = gemm.pack.count() > 0 ? std::string("copying the operands into blocks")
                                           : fmt::format("sum of {} parts", gemm.split_k)};
}

Words words_of(const Convolution<std::int64_t>& form, const BoundKernel& kernel, const KernelTime& time,
               const TimeModel& model) {
  const ConvolutionParameters& fitted = parameters_of(form, kernel.arithmetic, model);
  const ConvolutionTime convolution =
      convolution_time(work_of(form, kernel, time.cached), model.machine, fitted);
  const bool direct = convolution.algorithm == ConvolutionAlgorithm::direct;
  Words words{
      .compute = fmt::format("{}, {}", to_string(convolution.algorithm), products(time, kernel, model)),
      .memory = bytes_moved(kernel),
      .further = "transforms and changes of layout"};
  if (!direct && convolution.gemm.tile_m > 0) words.compute += tiles(convolution.gemm);
  return words;
}

Words words_of(const Attention<std::int64_t>& /*form*/, const BoundKernel& kernel, const KernelTime& time,
               const TimeModel& model) {
  return {.compute = products(time, kernel, model),
          .memory = fmt::format("({}) / ({})", bytes_moved(kernel),
                                bandwidth(model.priors->kernels.attention.bandwidth_share, model))};
}

Words words_of(const Stream<std::int64_t>& form, const BoundKernel& kernel, const KernelTime& time,
               const TimeModel& model) {
  const StreamParameters& fitted = model.priors->kernels.stream[static_cast<std::size_t>(form.kind)];
  const StreamTime stream =
      stream_time(work_of(form, kernel, time.cached), model.machine, fitted, model.priors->kernels.cache);
  Words words{
      .compute = fmt::format("{}op / ({:.2f} x {}FLOP/s)", scaled(kernel.operations), fitted.operations_share,
                             scaled(model.machine.vector.value)),
      .memory = fmt::format("({}) / ({})", bytes_moved(kernel), bandwidth(fitted.bandwidth_share, model))};
  if (stream.further_reads > 0) words.memory += fmt::format(", {:.2f} further reads", stream.further_reads);
  if (stream.resident > 0.01)
    words.memory += fmt::format(", {:.0f}% of what is written in the L2 cache", 100 * stream.resident);
  return words;
}

Words words_of(const Gather<std::int64_t>& /*form*/, const BoundKernel& kernel, const KernelTime& /*time*/,
               const TimeModel& model) {
  return {.memory = fmt::format("({}) / ({})", bytes_moved(kernel),
                                bandwidth(model.priors->kernels.gather.bandwidth_share, model))};
}

}  // namespace

std::vector<TimeTerm> time_terms(const BoundKernel& kernel, const TimeModel& model) {
  const KernelTime time = kernel_time(kernel, model);
  Words words =
      std::visit([&](const auto& form) { return words_of(form, kernel, time, model); }, kernel.form);
  if (time.cached > 0.01)
    words.memory += fmt::format(", {:.0f}% of the reads in the L2 cache", 100 * time.cached);
  std::vector<TimeTerm> terms = {{"launch", "on the device", time.launch}};
  if (!words.compute.empty()) terms.push_back({"compute", words.compute, time.compute});
  terms.push_back({"memory", words.memory, time.memory});
  if (time.further.count() > 0) terms.push_back({"further", words.further, time.further});
  if (time.correction != 1) {
    terms.push_back({"residual", fmt::format("x {:.3f}, fitted", time.correction),
                     time.total - time.total / time.correction});
  }
  return terms;
}

}  // namespace roofcast
