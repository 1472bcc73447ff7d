#include "kernels/cpu/cpu_backend.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "kernels/cpu/blas.hpp"
#include "kernels/cpu/clock_speed.hpp"
#include "kernels/cpu/cpu_facts.hpp"
#include "kernels/cpu/fma_rate.hpp"
#include "kernels/cpu/operand_sets.hpp"
#include "kernels/random.hpp"

namespace roofcast {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t input_seed = 3;

Result<void> compare_one(const CpuKernel& kernel, const Probe& probe, const Operands& operands,
                         std::size_t at) {
  constexpr double tolerance = 1e-5;  // of the magnitude; single precision has 6e-8
  constexpr double rounding = 1e-7;   // of the value: to a float
  const Expected expected = kernel.expected(probe, operands, at);
  const double found = operands.results[at];
  const double allowed = tolerance * expected.magnitude + rounding * std::abs(expected.value);
  if (std::abs(found - expected.value) <= allowed) return {};
  return fail(fmt::format("wrong: result {} is {} not {}", at, found, expected.value));
}

/// Compares results with the reference: all of a few; of many the first, the last and some at random, and
/// that all have been written.
Result<void> compare(const CpuKernel& kernel, const Probe& probe, const Operands& operands) {
  constexpr std::size_t compared = 128;
  const std::size_t count = kernel.result_size(probe);
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(operands.results[i]))
      return fail(fmt::format("wrong: result {} is {}", i, operands.results[i]));
  }
  const bool many = count > compared;
  for (std::size_t i = 0; i < (many ? compared : count); ++i) {
    const std::size_t at = !many ? i : i == 0 ? 0 : i == 1 ? count - 1 : random_bits(input_seed, i) % count;
    if (auto right = compare_one(kernel, probe, operands, at); !right) return right;
  }
  return {};
}

/// How often the system has taken a core away from a thread of this process that was not done.
long interruptions() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

class PreparedCpu : public Prepared {
 public:
  PreparedCpu(const CpuKernel& kernel, Probe probe, OperandSets operands)
      : kernel_(kernel), probe_(std::move(probe)), operands_(std::move(operands)) {}

  Result<void> verify() override {
    kernel_.run(probe_, operands_[0]);
    return compare(kernel_, probe_, operands_[0]);
  }

  // Other programs take cores away for milliseconds. What they disturb is timed again a few times, unless it
  // is so long that the next time will not do better; what was disturbed least counts.
  Result<Seconds> run(std::int64_t times) override {
    constexpr int most_tries = 4;
    constexpr Seconds hopeless{0.02};
    Seconds best{};
    long fewest = std::numeric_limits<long>::max();
    for (int i = 0; i < most_tries && fewest > 0; ++i) {
      const long before = interruptions();
      const Seconds took = run_once(times);
      const long interrupted = interruptions() - before;
      if (interrupted > fewest || (interrupted == fewest && took >= best)) continue;
      best = took;
      fewest = interrupted;
      if (took > hopeless) break;
    }
    return best;
  }

 private:
  Seconds run_once(std::int64_t times) {
    const auto begin = Clock::now();
    for (std::int64_t i = 0; i < times; ++i) {
      kernel_.run(probe_, operands_[next_]);
      next_ = next_ + 1 == operands_.count() ? 0 : next_ + 1;
    }
    return Clock::now() - begin;
  }

  const CpuKernel& kernel_;
  Probe probe_{};
  OperandSets operands_;
  std::size_t next_ = 0;  // set of the next run
};

class CpuBackend : public Backend {
 public:
  explicit CpuBackend(DeviceFacts facts) : facts_(std::move(facts)) {}

  const DeviceFacts& device() const override { return facts_; }

  // A set may take a sixth of the memory and, so that a list ends, a GiB; a run a tenth of a second at 16
  // operations per clock and core, about half of what cores with 256-bit vectors can do.
  ProbeLimits limits() const override {
    constexpr double operations_per_clock = 16;
    return {.memory = std::min(facts_.usable / 6.0, gibibytes(1)),
            .operations = Flops{0.1 * operations_per_clock * facts_.units * facts_.clock.value}};
  }

  Bytes footprint(const Probe& probe) const override {
    const CpuKernel* kernel = find_cpu_kernel(probe.op);
    if (kernel == nullptr) return {};
    return operand_bytes(*kernel, probe, operand_sets(*kernel, probe, cache()));
  }

  Result<std::unique_ptr<Prepared>> prepare(const Probe& probe) override {
    const CpuKernel* kernel = find_cpu_kernel(probe.op);
    if (kernel == nullptr || probe.precision != "fp32")
      return fail(fmt::format("the CPU backend has no kernel '{} {}'", probe.op, probe.precision));
    auto operands = OperandSets::make(*kernel, probe, operand_sets(*kernel, probe, cache()), input_seed);
    if (!operands) return tl::make_unexpected(operands.error());
    return std::make_unique<PreparedCpu>(*kernel, probe, *std::move(operands));
  }

  std::optional<Hertz> clock_now() override { return clock_speed(); }

 private:
  // A system that does not tell is taken to have as much as a large server processor.
  Bytes cache() const { return facts_.last_level_cache.value > 0 ? facts_.last_level_cache : mebibytes(64); }

  DeviceFacts facts_{};
};

}  // namespace

Result<std::unique_ptr<Backend>> open_cpu_backend() {
  DeviceFacts facts = cpu_facts();
  if (facts.usable.value <= 0) return fail("/proc/meminfo does not say how much memory there is");
  set_blas_threads(facts.units);
  // A core that was idle needs a few milliseconds to reach its clock.
  const auto begin = Clock::now();
  while (Clock::now() - begin < std::chrono::milliseconds(50))
    facts.clock = std::max(facts.clock, clock_speed());
  facts.multiply_adds = fma_rate();
  return std::make_unique<CpuBackend>(std::move(facts));
}

}  // namespace roofcast
