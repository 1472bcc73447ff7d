#pragma once
// Model in, prediction out: the stages in order. Read this first.

#include "engine/base/evidence.hpp"
#include "engine/base/optimizer.hpp"
#include "engine/graph/graph.hpp"
#include "engine/hardware/device.hpp"
#include "engine/hardware/priors.hpp"
#include "engine/hardware/runtime.hpp"
#include "engine/kernel_time/kernel_time.hpp"
#include "engine/lower/compiled_program.hpp"
#include "engine/memory/memory_plan.hpp"
#include "engine/schedule/step_kernel.hpp"
#include "engine/schedule/step_time.hpp"

namespace roofcast {

/// What is decided before anything is compiled.
struct CompileOptions {
  Task task = Task::inference;
  PrecisionPolicy precision{};
  Runtime runtime{};
  Optimizer optimizer = Optimizer::adamw;
  bool channels_last = false;  ///< images are stored with their channels last
  Bindings overridden{};       ///< symbols whose definitions the user replaces
};

/// Graph -> TypedGraph -> precision -> backward pass -> Program -> CompiledProgram.
Result<CompiledProgram> compile(const Graph& model, const CompileOptions& options);

/// One configuration on one device.
struct Prediction {
  TimeRange time{};
  std::array<Seconds, bounds> time_by_bound{};  ///< indexed by Bound; sums to the median
  Timeline timeline{};
  double power = 0;  ///< wanted on average, as a share of the board's limit
  MemoryPlan memory{};
  Evidence evidence = Evidence::data_sheet;
  double tokens_per_sample = 0;  ///< 0: the model does not say
  Bytes input{};                 ///< of all inputs of a pass

  /// What takes most of the time, and its share in [0, 1].
  Bound bound() const;
  double bound_share() const;
  /// How much of the time the device waits for the host, in [0, 1].
  double waiting_share() const;
};

/// Evaluates configurations of one compiled program on one device, reusing its buffers. Not for two threads
/// at once.
class Evaluator {
 public:
  Evaluator(const CompiledProgram& compiled, const Device& device, const Runtime& runtime,
            const Priors& priors);

  Result<Prediction> evaluate(const Bindings& bindings);
  /// The same for values of `compiled.tape.inputs()`; empty when something is wrong, `evaluate` tells what.
  std::optional<Prediction> evaluate(std::span<const std::int64_t> values);
  /// Memory alone, for searching the largest batch.
  Result<MemoryPlan> memory(const Bindings& bindings);

 private:
  Prediction predict() const;

  const CompiledProgram* compiled_;
  const Device* device_;
  const Runtime* runtime_;
  const Priors* priors_;
  TimeModel model_;
  std::vector<std::int64_t> slots_;
};

/// What a step consists of at the slots' values: all that its time depends on besides the device.
std::vector<StepKernel> step_kernels(const CompiledProgram& compiled, std::span<const std::int64_t> slots);
HostWork host_work(const CompiledProgram& compiled, std::span<const std::int64_t> slots);

/// The kernel's sizes at the slots' values.
BoundKernel bound(const CompiledKernel& kernel, std::span<const std::int64_t> slots);

}  // namespace roofcast
