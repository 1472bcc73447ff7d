#pragma once
// Many configurations of compiled programs, on several threads.

#include <functional>
#include <span>
#include <vector>

#include "engine/decide/answer.hpp"
#include "engine/decide/phases.hpp"
#include "engine/decide/request.hpp"
#include "engine/predict.hpp"

namespace roofcast {

/// Called with the number of configurations done and the total, now and then, by one thread at a time.
using Progress = std::function<void(std::size_t done, std::size_t total)>;

/// Configurations that differ in their batch only. What it points to must outlive it.
struct Curve {
  const PhaseModel* phase = nullptr;
  const PrecisionPolicy* policy = nullptr;
  CompiledProgram program{};
  std::vector<std::int64_t> batches{};
};

/// A configuration that makes no sense, and why.
struct Refusal {
  std::size_t curve = 0;
  std::size_t place = 0;  ///< among the curve's batches
  Diagnostics problems{};
};

struct Swept {
  std::vector<AnswerRow> rows{};   ///< by curve and batch, without those that are refused
  std::vector<Refusal> refused{};  ///< in the same order
};

/// All configurations of the curves. `symbols` are the others that are bound. The result does not depend on
/// the number of threads.
Swept sweep(std::span<const Curve> curves, const Platform& platform, const Request& request,
            const Bindings& symbols, const Progress& progress);

}  // namespace roofcast
