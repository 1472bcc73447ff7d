#include "engine/schedule/step_time.hpp"

#include <algorithm>
#include <cmath>

namespace roofcast {
namespace {

// Of the board's limit: what a kernel draws that only moves data. Published samples of decoding and of small
// products lie between 0.4 and 0.5.
constexpr double moving_data = 0.45;

// The stretch that is no part of a recorded graph: the model is recorded, its optimizer is not.
constexpr std::size_t optimizer = 2;

double square(double value) {
  return value * value;
}

}  // namespace

void StepSum::add(const BoundKernel& kernel, std::size_t stretch, double count) {
  add(kernel_time(kernel, *model_), family(kernel.form), matrix_unit(kernel.arithmetic, model_->machine),
      stretch, count);
}

void StepSum::add(const KernelTime& time, KernelFamily family, MatrixUnit unit, std::size_t stretch,
                  double count) {
  const Seconds all = count * time.total;
  launches_[stretch] += count;
  device_[stretch] += all;
  all_ += all;
  by_bound_[static_cast<std::size_t>(time.bound)] += all;
  work_ += all.count() * std::max(time.power, moving_data);
  if (time.compute > time.memory) arithmetic_[static_cast<std::size_t>(unit)] += all;
  Range& range = ranges_[static_cast<std::size_t>(family)];
  range.low += all.count() * std::log(time.spread.low);
  range.high += all.count() * std::log(time.spread.high);
}

std::array<Stretch, stretches> StepSum::stretches_of(const HostWork& work, double longer_device,
                                                     double longer_host) const {
  const HostCosts& costs = runtime_->host;
  std::array<Stretch, stretches> parts{};
  for (std::size_t i = 0; i < stretches; ++i) {
    parts[i].device = longer_device * device_[i] + launches_[i] * runtime_->gap;
    if (runtime_->replays && i != optimizer) continue;
    Seconds call = i == 1 ? costs.backward_call : costs.call;
    if (i == 0 && work.training) call += costs.training_call;
    parts[i].host = work.operators[i] * call + launches_[i] * costs.launch;
  }
  parts[0].host += costs.step;
  parts[optimizer].host += work.optimizer_tensors * costs.optimizer_tensor;
  for (Stretch& part : parts) part.host = longer_host * part.host;
  return parts;
}

StepTime StepSum::finish(const HostWork& work) const {
  StepTime result;
  result.power = all_.count() > 0 ? work_ / all_.count() : 0;
  Seconds capped{};
  for (std::size_t unit = 0; unit < matrix_units; ++unit) {
    capped += arithmetic_[unit] * (slowdown(result.power, model_->priors->kernels.power[unit]) - 1);
  }
  const double longer = all_.count() > 0 ? (all_ + capped) / all_ : 1;

  const auto with_host = [&](double longer_host) {
    return timeline(stretches_of(work, longer, longer_host), runtime_->latency);
  };
  result.timeline = with_host(1);

  const Seconds total = result.timeline.total;
  const Seconds device = result.timeline.device;
  for (std::size_t bound = 0; bound < bounds; ++bound) {
    result.by_bound[bound] = all_.count() > 0 ? (device / all_) * by_bound_[bound] : Seconds{};
  }
  result.by_bound[static_cast<std::size_t>(Bound::launch)] += result.timeline.waiting;

  if (total.count() <= 0) return result;
  double low = 0;
  double high = 0;
  const double share = device / total;
  for (const Range& range : ranges_) {
    if (all_.count() <= 0) break;
    low += square(share * range.low / all_.count());
    high += square(share * range.high / all_.count());
  }
  const double common = square(std::log(runtime_->spread));
  const double host = runtime_->host.spread;
  low += common + square(std::log(total / with_host(1 / host).total));
  high += common + square(std::log(with_host(host).total / total));
  const double widened = model_->priors->widened;
  result.time = {.p10 = total * std::exp(-widened * std::sqrt(low)),
                 .p50 = total,
                 .p90 = total * std::exp(widened * std::sqrt(high))};
  return result;
}

}  // namespace roofcast
