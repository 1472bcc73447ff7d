#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "engine/decide/estimate.hpp"
#include "engine/decide/phases.hpp"
#include "engine/decide/precisions.hpp"
#include "engine/decide/row.hpp"
#include "engine/decide/symbols.hpp"
#include "engine/kernel_time/bind_kernel.hpp"

namespace roofcast {
namespace {

class Explainer {
 public:
  Explainer(const Program& program, const Platform& platform, const Bindings& bindings, bool expand)
      : program_(program),
        platform_(platform),
        model_(time_model(platform.device, platform.priors)),
        bindings_(bindings),
        expand_(expand),
        moved_(number(program.moved_bytes)) {}

  std::vector<ExplainedKernel> run() {
    visit(0, program_.steps.size(), no_region, 1, [](const std::string& name) { return name; });
    return std::move(kernels_);
  }

 private:
  std::int64_t value(const Expr& expression) const { return expression.evaluate(bindings_).value_or(0); }
  double number(const Expr& expression) const { return static_cast<double>(value(expression)); }
  const TypedRegion& region(RegionId id) const { return program_.regions[static_cast<std::size_t>(id)]; }

  RegionId child_of(RegionId level, RegionId inner) const {
    while (region(inner).parent != level) inner = region(inner).parent;
    return inner;
  }

  bool is_within(RegionId inner, RegionId outer) const {
    for (; inner != no_region; inner = region(inner).parent) {
      if (inner == outer) return true;
    }
    return false;
  }

  // Steps [first, last) of `level`, each `repeats` times; `rename` gives layers their names.
  template <class Rename>
  void visit(std::size_t first, std::size_t last, RegionId level, std::int64_t repeats,
             const Rename& rename) {
    while (first < last) {
      const Step& step = program_.steps[first];
      if (step.region == level) {
        add(step, repeats, rename(step.name));
        ++first;
        continue;
      }
      const RegionId child = child_of(level, step.region);
      std::size_t end = first;
      while (end < last && is_within(program_.steps[end].region, child)) ++end;
      visit_region(first, end, child, repeats, std::function<std::string(const std::string&)>(rename));
      first = end;
    }
  }

  void visit_region(std::size_t first, std::size_t last, RegionId id, std::int64_t repeats,
                    const std::function<std::string(const std::string&)>& rename) {
    const std::int64_t count = value(region(id).repeat);
    if (!expand_) {
      visit(first, last, id, repeats * count, rename);
      return;
    }
    const std::string prefix = region(id).name + ".";
    const bool backward = program_.steps[first].phase == Phase::backward;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t repetition = backward ? count - 1 - i : i;
      const std::function<std::string(const std::string&)> numbered = [&](const std::string& name) {
        const std::string outer = rename(name);
        const std::string shown = rename(prefix);
        return outer.starts_with(shown)
                   ? fmt::format("{}{}.{}", shown, repetition, outer.substr(shown.size()))
                   : outer;
      };
      visit(first, last, id, repeats, numbered);
    }
  }

  std::vector<std::string> shapes(const std::vector<TensorId>& ids) const {
    std::vector<std::string> result;
    for (const TensorId id : ids) {
      const ProgramTensor& tensor = program_.tensors[static_cast<std::size_t>(id)];
      std::string text;
      for (const Expr& dimension : tensor.shape)
        text += fmt::format("{}{}", text.empty() ? "" : "x", value(dimension));
      result.push_back(fmt::format("{}:{}", text.empty() ? "scalar" : text, to_string(tensor.dtype)));
    }
    return result;
  }

  void add(const Step& step, std::int64_t repeats, const std::string& layer) {
    const ExplainedKernel common{.layer = layer,
                                 .op = std::string(step.op),
                                 .phase = std::string(to_string(step.phase)),
                                 .inputs = shapes(step.inputs),
                                 .outputs = shapes(step.outputs),
                                 .count = repeats};
    if (step.kernels.empty()) {  // a view; shown only if it brings parameters
      if (step.parameters.is(0)) return;
      ExplainedKernel row = common;
      row.kernel = "none (a view)";
      row.parameters = value(step.parameters);
      kernels_.push_back(std::move(row));
      return;
    }
    bool is_first = true;
    for (const Kernel& kernel : step.kernels) {
      ExplainedKernel row = common;
      row.kernel = kernel.name;
      row.count = repeats * value(kernel.count);
      row.parameters = is_first ? value(step.parameters) : 0;
      is_first = false;
      if (row.count == 0) continue;  // a cache that is not in use
      fill(row, kernel);
      kernels_.push_back(std::move(row));
    }
  }

  void fill(ExplainedKernel& row, const Kernel& kernel) const {
    BoundKernel sized = bind_kernel(kernel, [&](const Expr& size) { return value(size); });
    sized.reused.back() = {number(kernel.reused_from_last_step), moved_};
    const KernelTime time = kernel_time(sized, model_);
    row.family = to_string(family(sized.form));
    row.form = describe(sized.form);
    // Without the path itself the card computes on the units that libraries fall back to.
    row.arithmetic = platform_.device.peak(sized.arithmetic)
                         ? std::string(to_string(sized.arithmetic))
                         : fmt::format("CUDA cores, without {}", to_string(sized.arithmetic));
    row.macs = sized.macs;
    row.flops = 2.0 * sized.macs;
    row.other_operations = sized.operations;
    row.executed_macs = time.executed_macs;
    row.read = sized.read;
    row.written = sized.written;
    const double bytes = (sized.read + sized.written).value;
    row.intensity = bytes > 0 ? (2.0 * time.executed_macs + sized.operations) / bytes : 0;
    row.time = time.total;
    row.bound = time.bound;
    row.evidence = time.evidence;
    row.terms = time_terms(sized, model_);
  }

  const Program& program_;
  const Platform& platform_;
  TimeModel model_;
  Bindings bindings_;
  bool expand_;
  double moved_;  // bytes, by all kernels of a step
  std::vector<ExplainedKernel> kernels_{};
};

}  // namespace

Result<Explanation> explain(const Graph& model, const Platform& platform, const Request& request,
                            bool expand) {
  const auto models = phase_models(model, request);
  if (!models) return tl::unexpected(models.error());
  if (request.phases.size() > 1) return fail("an explanation is of one phase");
  const PhaseModel& phase = *std::ranges::find(*models, deciding_phase(*models), &PhaseModel::phase);
  const auto policies = precisions_for(platform.device, request, model.stored);
  if (!policies) return tl::unexpected(policies.error());
  if (policies->size() != 1 || request.batches.size() != 1) {
    return fail("an explanation is of one precision and one batch size");
  }
  const auto compiled = compile(phase.graph, compile_options(platform, request, policies->front()));
  if (!compiled) return tl::unexpected(compiled.error());
  Bindings bindings = request.symbols;
  bindings["batch"] = request.batches.front();
  Evaluator evaluator(*compiled, platform.device, platform.runtime, platform.priors);
  const auto prediction = evaluator.evaluate(bindings);
  if (!prediction) return tl::unexpected(prediction.error());
  const auto symbols = all_symbols(phase.graph.symbols, bindings);
  if (!symbols) return tl::unexpected(symbols.error());
  Explanation explanation{
      .row = answer_row(phase, platform, request, policies->front(), request.batches.front(), *prediction),
      .hw_name = platform.device.name,
      .kernels = Explainer(compiled->program, platform, *symbols, expand).run(),
      .assumptions = assumptions(model, platform, request)};
  for (const ExplainedKernel& kernel : explanation.kernels) {
    explanation.macs += static_cast<double>(kernel.count) * kernel.macs;
    explanation.flops += static_cast<double>(kernel.count) * kernel.flops;
  }
  const auto slots = slot_values(*compiled, bindings);
  if (slots) explanation.parameters = (*slots)[static_cast<std::size_t>(compiled->parameters)];
  return explanation;
}

}  // namespace roofcast
