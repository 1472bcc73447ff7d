#include "engine/kernel_time/kernel_time.hpp"

#include <algorithm>
#include <cmath>

#include "engine/kernel_time/executed.hpp"
#include "engine/kernel_time/work.hpp"

namespace roofcast {
namespace {

using Dim = std::int64_t;

constexpr std::size_t index(MatrixUnit unit) {
  return static_cast<std::size_t>(unit);
}

Bound longest(const KernelTime& time) {
  if (time.launch > std::max(time.compute, time.memory)) return Bound::launch;
  return time.compute > time.memory ? Bound::compute : Bound::memory;
}

KernelTime time_of(const Gemm<Dim>& form, const BoundKernel& kernel, const TimeModel& model, double cached) {
  const GemmParameters& fitted =
      model.priors->kernels.gemm[index(matrix_unit(kernel.arithmetic, model.machine))];
  const GemmTime gemm = gemm_time(work_of(form, kernel, cached), model.machine, fitted);
  return {.launch = gemm.launch,
          .compute = gemm.tiles,
          .memory = gemm.memory,
          .further = gemm.split + gemm.pack,
          .total = gemm.total,
          .cached = cached,
          .correction = std::exp(correction(fitted.residual, features(kernel.form))),
          .spread = fitted.spread};
}

KernelTime time_of(const Convolution<Dim>& form, const BoundKernel& kernel, const TimeModel& model,
                   double cached) {
  const ConvolutionParameters& fitted = parameters_of(form, kernel.arithmetic, model);
  const ConvolutionTime convolution = convolution_time(work_of(form, kernel, cached), model.machine, fitted);
  return {.launch = convolution.launch + convolution.gemm.launch,
          .compute = convolution.gemm.tiles.count() > 0 ? convolution.gemm.tiles : convolution.product,
          .memory = convolution.gemm.memory,
          .further = convolution.transform + convolution.gemm.split + convolution.gemm.pack,
          .total = convolution.total,
          .cached = cached,
          .correction = std::exp(correction(fitted.residual, features(kernel.form))),
          .multiplied_macs = convolution.executed_macs,
          .spread = fitted.spread};
}

KernelTime time_of(const Attention<Dim>& form, const BoundKernel& kernel, const TimeModel& model,
                   double /*cached*/) {
  const AttentionParameters& fitted = model.priors->kernels.attention;
  const AttentionTime attention = attention_time({.form = form,
                                                  .arithmetic = kernel.arithmetic,
                                                  .executed_macs = executed_macs(kernel),
                                                  .read = kernel.read,
                                                  .written = kernel.written},
                                                 model.machine, fitted);
  return {.launch = attention.launch,
          .compute = attention.compute,
          .memory = attention.memory,
          .total = attention.total,
          .spread = fitted.spread};
}

KernelTime time_of(const Stream<Dim>& form, const BoundKernel& kernel, const TimeModel& model,
                   double cached) {
  const StreamParameters& fitted = model.priors->kernels.stream[static_cast<std::size_t>(form.kind)];
  const StreamTime stream =
      stream_time(work_of(form, kernel, cached), model.machine, fitted, model.priors->kernels.cache);
  return {.launch = stream.launch,
          .compute = stream.compute,
          .memory = stream.memory,
          .total = stream.total,
          .cached = cached,
          .spread = fitted.spread};
}

// Rows shorter than a sector move a whole one.
KernelTime time_of(const Gather<Dim>& form, const BoundKernel& kernel, const TimeModel& model,
                   double /*cached*/) {
  const GatherParameters& fitted = model.priors->kernels.gather;
  const Bytes moved = kernel.read + kernel.written;
  const double sectors = static_cast<double>(form.rows) * fitted.sector_bytes;
  KernelTime time{.launch = microseconds(fitted.launch_us), .spread = fitted.spread};
  time.memory = Bytes{std::max(moved.value, sectors)} / (model.machine.bandwidth * fitted.bandwidth_share);
  time.total = time.launch + time.memory;
  return time;
}

// What no kernel can beat: its multiply-adds at the peak and its bytes from the cache.
Seconds least(const BoundKernel& kernel, const TimeModel& model, double multiplied) {
  const Machine& machine = model.machine;
  const double peak = machine.matrix[static_cast<std::size_t>(kernel.arithmetic)].value;
  const double cache = std::max(machine.bandwidth.value, model.priors->kernels.cache.l2_bytes_per_clock *
                                                             machine.sms * machine.clock.value);
  const double arithmetic = multiplied > 0 && peak > 0 ? 2 * multiplied / peak : 0;
  return Seconds{std::max(arithmetic, (kernel.read + kernel.written).value / cache)};
}

}  // namespace

double cached_share(const BoundKernel& kernel, const Machine& machine, const CacheParameters& cache) {
  const double usable = cache.resident_share * machine.l2.value;
  if (usable <= 0 || kernel.read.value <= 0) return 0;
  double held = 0;
  for (const Reuse<double>& reuse : kernel.reused) {
    if (reuse.bytes <= 0) continue;
    const double filled = (reuse.distance + (kernel.read + kernel.written).value) / usable;
    held += reuse.bytes / (1 + filled * filled * filled * filled);
  }
  return std::min(1.0, held / kernel.read.value);
}

Features features(const KernelForm<std::int64_t>& form) {
  const auto log2 = [](std::int64_t size) { return std::log2(static_cast<double>(size)); };
  if (const auto* gemm = std::get_if<Gemm<std::int64_t>>(&form)) {
    return {log2(gemm->m), log2(gemm->n), log2(gemm->k), log2(gemm->batch)};
  }
  if (const auto* conv = std::get_if<Convolution<std::int64_t>>(&form)) {
    return {log2(conv->batch), log2(conv->in_channels), log2(conv->out_channels),
            log2(conv->input[0]) + log2(conv->input[1]) + log2(conv->input[2])};
  }
  return {};
}

TimeModel time_model(const Device& device, const Priors& priors) {
  Evidence evidence = Evidence::interpolated;
  if (priors.fitted_on.empty()) evidence = Evidence::data_sheet;
  if (priors.widened > 1) evidence = Evidence::extrapolated;
  if (std::ranges::any_of(priors.fitted_on,
                          [&](const FittedOn& entry) { return entry.device == device.slug; })) {
    evidence = Evidence::calibrated;
  }
  return {.machine = machine_of(device), .priors = &priors, .evidence = evidence};
}

MatrixUnit matrix_unit(Arithmetic arithmetic, const Machine& machine) {
  if (!machine.tensor[static_cast<std::size_t>(arithmetic)]) return MatrixUnit::vector;
  switch (arithmetic) {
    case Arithmetic::tensor_fp64:
    case Arithmetic::tensor_tf32: return MatrixUnit::tensor32;
    case Arithmetic::tensor_fp16_fp16_accumulate:
    case Arithmetic::tensor_fp16:
    case Arithmetic::tensor_bf16: return MatrixUnit::tensor16;
    default: return MatrixUnit::tensor8;
  }
}

KernelTime kernel_time(const BoundKernel& kernel, const TimeModel& model) {
  const double cached = cached_share(kernel, model.machine, model.priors->kernels.cache);
  KernelTime time =
      std::visit([&](const auto& form) { return time_of(form, kernel, model, cached); }, kernel.form);
  time.executed_macs = executed_macs(kernel);
  const bool has_algorithm = time.multiplied_macs > 0;
  time.multiplied_macs =
      has_algorithm ? std::min(time.multiplied_macs, time.executed_macs) : time.executed_macs;
  time.total = std::max(time.total * time.correction, least(kernel, model, time.multiplied_macs));
  time.bound = longest(time);
  time.evidence = model.evidence;
  if (time.executed_macs > 0) {
    const PowerParameters& power =
        model.priors->kernels.power[index(matrix_unit(kernel.arithmetic, model.machine))];
    const double tera_per_second = 2e-12 * time.multiplied_macs / time.total.count();
    time.power = power.watts_per_tera * tera_per_second / model.machine.board_power.value;
  }
  return time;
}

double slowdown(double power, const PowerParameters& parameters) {
  return power > 1 ? std::pow(power, parameters.clock_exponent) : 1.0;
}

Seconds sustained(const KernelTime& time, MatrixUnit unit, const TimeModel& model) {
  return time.total * slowdown(time.power, model.priors->kernels.power[index(unit)]);
}

}  // namespace roofcast
