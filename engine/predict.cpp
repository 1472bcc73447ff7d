#include "engine/predict.hpp"

#include <algorithm>

#include "engine/kernel_time/bind_kernel.hpp"
#include "engine/lower/fold_into_convolutions.hpp"
#include "engine/lower/fuse_elementwise.hpp"
#include "engine/memory/plan_memory.hpp"

namespace roofcast {

Result<CompiledProgram> compile(const Graph& model, const CompileOptions& options) {
  auto typed = infer_shapes(model, options.task);
  if (!typed) return tl::unexpected(typed.error());
  TypedGraph graph = options.runtime.fused_attention ? *std::move(typed) : expand_attention(*typed);
  graph = apply_precision(graph, options.precision);
  if (options.task == Task::training) {
    auto trained = differentiate(graph, options.optimizer);
    if (!trained) return tl::unexpected(trained.error());
    graph = *std::move(trained);
  }
  Program program = lower(graph, options.precision, options.channels_last || options.runtime.channels_last);
  if (options.runtime.folds_into_convolutions) program = fold_into_convolutions(std::move(program));
  if (options.runtime.fuses_elementwise) program = fuse_elementwise(std::move(program));
  if (options.task == Task::training) program.optimizer = options.optimizer;
  const auto& files = model.stored_weights;
  if (files && files->elements && *files->elements > 0 && model.stored &&
      model.stored->precision.name == options.precision.name) {
    program.stored_bytes_per_value =
        static_cast<double>(files->bytes) / static_cast<double>(*files->elements);
  }
  return compile(std::move(program), options.overridden);
}

Bound Prediction::bound() const {
  const auto largest = std::ranges::max_element(time_by_bound);
  return static_cast<Bound>(largest - time_by_bound.begin());
}

double Prediction::bound_share() const {
  return time.p50.count() > 0 ? *std::ranges::max_element(time_by_bound) / time.p50 : 0.0;
}

double Prediction::waiting_share() const {
  return time.p50.count() > 0 ? timeline.waiting / time.p50 : 0.0;
}

BoundKernel bound(const CompiledKernel& kernel, std::span<const std::int64_t> slots) {
  return bind_kernel(kernel, [&](Slot slot) { return slots[static_cast<std::size_t>(slot)]; });
}

Evaluator::Evaluator(const CompiledProgram& compiled, const Device& device, const Runtime& runtime,
                     const Priors& priors)
    : compiled_(&compiled),
      device_(&device),
      runtime_(&runtime),
      priors_(&priors),
      model_(time_model(device, priors)),
      slots_(compiled.tape.slots(), 0) {}

std::vector<StepKernel> step_kernels(const CompiledProgram& compiled, std::span<const std::int64_t> slots) {
  std::vector<StepKernel> kernels;
  for (const CompiledKernel& kernel : compiled.kernels) {
    const auto count = static_cast<double>(slots[static_cast<std::size_t>(kernel.count)]);
    if (count > 0) kernels.push_back({bound(kernel, slots), static_cast<std::size_t>(kernel.phase), count});
  }
  return kernels;
}

HostWork host_work(const CompiledProgram& compiled, std::span<const std::int64_t> slots) {
  const auto value = [&](Slot slot) { return static_cast<double>(slots[static_cast<std::size_t>(slot)]); };
  HostWork work{.optimizer_tensors = compiled.program.optimizer ? value(compiled.tensors) : 0.0,
                .training = compiled.program.task == Task::training};
  for (std::size_t i = 0; i < stretches; ++i) work.operators[i] = value(compiled.operators[i]);
  return work;
}

Prediction Evaluator::predict() const {
  StepSum sum(*runtime_, model_);
  for (const CompiledKernel& kernel : compiled_->kernels) {
    const auto count = static_cast<double>(slots_[static_cast<std::size_t>(kernel.count)]);
    if (count > 0) sum.add(bound(kernel, slots_), static_cast<std::size_t>(kernel.phase), count);
  }
  const StepTime step = sum.finish(host_work(*compiled_, slots_));
  Prediction prediction{.time = step.time,
                        .time_by_bound = step.by_bound,
                        .timeline = step.timeline,
                        .power = step.power,
                        .evidence = model_.evidence};
  prediction.memory = plan_memory(*compiled_, slots_, *device_, *runtime_, *priors_);
  prediction.input = Bytes{static_cast<double>(slots_[static_cast<std::size_t>(compiled_->input_bytes)])};
  if (compiled_->tokens >= 0) {
    prediction.tokens_per_sample = static_cast<double>(slots_[static_cast<std::size_t>(compiled_->tokens)]);
  }
  return prediction;
}

Result<Prediction> Evaluator::evaluate(const Bindings& bindings) {
  auto slots = slot_values(*compiled_, bindings);
  if (!slots) return tl::unexpected(slots.error());
  slots_ = *std::move(slots);
  return predict();
}

std::optional<Prediction> Evaluator::evaluate(std::span<const std::int64_t> values) {
  if (!fill_slots(*compiled_, values, slots_)) return std::nullopt;
  return predict();
}

Result<MemoryPlan> Evaluator::memory(const Bindings& bindings) {
  auto slots = slot_values(*compiled_, bindings);
  if (!slots) return tl::unexpected(slots.error());
  slots_ = *std::move(slots);
  return plan_memory(*compiled_, slots_, *device_, *runtime_, *priors_);
}

}  // namespace roofcast
