#include "engine/fit/fit_networks.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "engine/fit/fit_tables.hpp"

namespace roofcast {
namespace {

// A kernel on a machine, shared by all passes that launch it.
struct SharedKernel {
  BoundKernel kernel{};
  Machine machine{};
  KernelFamily family = KernelFamily::elementwise;
  MatrixUnit unit = MatrixUnit::vector;
  std::size_t group = 0;  // of tables that its time depends on
  std::uint64_t timed_for = 0;
  KernelTime time{};
};

// Tables that the time of one kind of kernel depends on, all others aside.
std::vector<std::vector<std::string>> table_groups() {
  std::vector<std::vector<std::string>> groups;
  for (std::size_t unit = 0; unit < matrix_units; ++unit) {
    const std::string name(to_string(static_cast<MatrixUnit>(unit)));
    groups.push_back({"gemm." + name, "power." + name, "cache"});
  }
  for (std::size_t unit = 0; unit < matrix_units; ++unit) {
    const std::string name(to_string(static_cast<MatrixUnit>(unit)));
    groups.push_back({"convolution." + name, "convolution." + name + ".product", "power." + name, "cache"});
  }
  for (std::size_t kind = 0; kind < stream_kinds; ++kind) {
    groups.push_back({"stream." + std::string(to_string(static_cast<StreamKind>(kind))), "cache"});
  }
  groups.push_back(
      {"attention", "power.vector", "power.tensor32", "power.tensor16", "power.tensor8", "cache"});
  groups.push_back({"gather", "cache"});
  return groups;
}

std::size_t group_of(const BoundKernel& kernel, MatrixUnit unit) {
  using Dim = std::int64_t;
  const auto index = static_cast<std::size_t>(unit);
  if (std::holds_alternative<Gemm<Dim>>(kernel.form)) return index;
  if (std::holds_alternative<Convolution<Dim>>(kernel.form)) return matrix_units + index;
  if (const auto* stream = std::get_if<Stream<Dim>>(&kernel.form))
    return 2 * matrix_units + static_cast<std::size_t>(stream->kind);
  return 2 * matrix_units + stream_kinds + (std::holds_alternative<Attention<Dim>>(kernel.form) ? 0 : 1);
}

std::vector<double> identity(const BoundKernel& kernel, const Machine& machine) {
  std::vector<double> key = {static_cast<double>(kernel.form.index()),
                             static_cast<double>(kernel.arithmetic),
                             kernel.macs,
                             kernel.recomputed_macs,
                             kernel.operations,
                             kernel.read.value,
                             kernel.written.value,
                             machine.bandwidth.value,
                             machine.vector.value,
                             machine.l2.value,
                             machine.board_power.value};
  map_dimensions<std::int64_t>(kernel.form, [&](std::int64_t size) {
    key.push_back(static_cast<double>(size));
    return size;
  });
  if (const auto* conv = std::get_if<Convolution<std::int64_t>>(&kernel.form)) {
    key.push_back(static_cast<double>(conv->pass));
    key.push_back(conv->channels_last ? 1 : 0);
  }
  if (const auto* attention = std::get_if<Attention<std::int64_t>>(&kernel.form)) {
    key.push_back(static_cast<double>(attention->pass));
    key.push_back(attention->causal ? 1 : 0);
  }
  if (const auto* stream = std::get_if<Stream<std::int64_t>>(&kernel.form))
    key.push_back(static_cast<double>(stream->kind));
  return key;
}

// Times networks again and again while a few parameters change: kernels that do not depend on those keep
// their time.
class NetworkTimer {
 public:
  explicit NetworkTimer(std::span<const NetworkSample> samples) : samples_(samples), groups_(table_groups()) {
    std::map<std::vector<double>, std::size_t> known;
    for (const NetworkSample& sample : samples) {
      for (const NetworkSample::Pass& pass : sample.passes) {
        for (const StepKernel& step : pass.kernels) {
          const auto [entry, added] =
              known.try_emplace(identity(step.kernel, sample.machine), kernels_.size());
          if (added) {
            const MatrixUnit unit = matrix_unit(step.kernel.arithmetic, sample.machine);
            kernels_.push_back({.kernel = step.kernel,
                                .machine = sample.machine,
                                .family = family(step.kernel.form),
                                .unit = unit,
                                .group = group_of(step.kernel, unit)});
          }
          indices_.push_back(entry->second);
        }
      }
    }
  }

  std::vector<double> errors(const Priors& priors) {
    const std::vector<std::uint64_t> versions = versions_of(priors);
    for (SharedKernel& shared : kernels_) {
      if (shared.timed_for == versions[shared.group]) continue;
      shared.time = kernel_time(shared.kernel, {.machine = shared.machine, .priors = &priors});
      shared.timed_for = versions[shared.group];
    }
    std::vector<double> result;
    std::size_t at = 0;
    for (const NetworkSample& sample : samples_) {
      const TimeModel model{.machine = sample.machine, .priors = &priors};
      Seconds predicted{};
      for (const NetworkSample::Pass& pass : sample.passes) {
        StepSum sum(sample.runtime, model);
        for (const StepKernel& step : pass.kernels) {
          const SharedKernel& shared = kernels_[indices_[at++]];
          sum.add(shared.time, shared.family, shared.unit, step.stretch, step.count);
        }
        predicted += pass.times * sum.finish(pass.host).time.p50;
      }
      result.push_back(std::log(sample.measured / predicted));
    }
    return result;
  }

 private:
  // Equal for equal values of a group's tables.
  std::vector<std::uint64_t> versions_of(const Priors& priors) {
    Priors copy = priors;
    std::vector<std::uint64_t> versions;
    const std::vector<NamedParameter> all = named_parameters(copy.kernels);
    for (const auto& tables : groups_) {
      std::uint64_t hash = 14695981039346656037U;  // FNV-1a over the values
      for (const NamedParameter& parameter : all) {
        if (std::ranges::find(tables, parameter.table) == tables.end()) continue;
        hash = (hash ^ std::bit_cast<std::uint64_t>(*parameter.value)) * 1099511628211U;
      }
      versions.push_back(hash);
    }
    return versions;
  }

  std::span<const NetworkSample> samples_;
  std::vector<std::vector<std::string>> groups_;
  std::vector<SharedKernel> kernels_{};
  std::vector<std::size_t> indices_{};  // of the kernels, in the order of samples, passes and steps
};

}  // namespace

std::vector<double> errors(std::span<const NetworkSample> samples, const Priors& priors) {
  return NetworkTimer(samples).errors(priors);
}

double covered(std::span<const NetworkSample> samples, const Priors& priors) {
  double inside = 0;
  for (const NetworkSample& sample : samples) {
    const TimeModel model{.machine = sample.machine, .priors = &priors};
    TimeRange range;
    for (const NetworkSample::Pass& pass : sample.passes) {
      StepSum sum(sample.runtime, model);
      for (const StepKernel& step : pass.kernels) sum.add(step.kernel, step.stretch, step.count);
      const TimeRange time = sum.finish(pass.host).time;
      range.p10 += pass.times * time.p10;
      range.p90 += pass.times * time.p90;
    }
    inside += range.p10 <= sample.measured && sample.measured <= range.p90 ? 1 : 0;
  }
  return samples.empty() ? 0 : inside / static_cast<double>(samples.size());
}

Priors fit_parameters(const Priors& priors, std::span<const NetworkSample> samples,
                      std::span<const std::string> tables, const FitOptions& options) {
  NetworkTimer timer(samples);
  return fit_tables(priors, tables, options, [&](const Priors& at) { return timer.errors(at); });
}

}  // namespace roofcast
