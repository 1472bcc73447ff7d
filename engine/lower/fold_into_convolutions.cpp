#include "engine/lower/fold_into_convolutions.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

namespace roofcast {
namespace {

constexpr std::array foldable = {"batch_norm", "add",     "relu", "relu6",
                                 "leaky_relu", "sigmoid", "tanh", "hardsigmoid"};

Expr bytes_of(const std::vector<KernelAccess>& accesses) {
  Expr total{0};
  for (const KernelAccess& access : accesses) total += access.bytes;
  return total;
}

bool is_convolution(const Step& step) {
  return step.kernels.size() == 1 && step.kernels.front().count.is(1) &&
         std::holds_alternative<Convolution<Expr>>(step.kernels.front().form);
}

bool is_foldable(const Step& step) {
  return std::ranges::find(foldable, step.op) != foldable.end() && step.kernels.size() == 1 &&
         step.outputs.size() == 1 && step.kernels.front().count.is(1) &&
         std::holds_alternative<Stream<Expr>>(step.kernels.front().form);
}

class Folding {
 public:
  explicit Folding(Program program) : program_(std::move(program)) {
    for (const Step& step : program_.steps) {
      for (const TensorId id : step.inputs) ++readers_[id];
    }
    kept_.insert(program_.outputs.begin(), program_.outputs.end());
    for (const TypedRegion& region : program_.regions) {
      for (const TypedCarry& carry : region.carries) {
        kept_.insert({carry.initial, carry.inside, carry.next, carry.result});
      }
    }
  }

  Program run() {
    std::vector<Step> all = std::move(program_.steps);
    std::vector<Step> left;
    for (Step& step : all) {
      if (const auto convolution = host(step, left)) {
        fold(left[*convolution], step);
        for (const TensorId id : step.outputs) maker_[root(id)] = *convolution;
        continue;
      }
      for (const TensorId id : step.outputs) maker_[root(id)] = left.size();
      left.push_back(std::move(step));
    }
    program_.steps = std::move(left);
    return std::move(program_);
  }

 private:
  TensorId root(TensorId id) const {
    while (program_.tensors[static_cast<std::size_t>(id)].storage != id)
      id = program_.tensors[static_cast<std::size_t>(id)].storage;
    return id;
  }

  /// The last step that made an operand, if it is a convolution that can take this one in.
  std::optional<std::size_t> host(const Step& step, const std::vector<Step>& before) const {
    if (!is_foldable(step)) return std::nullopt;
    std::optional<std::size_t> last;
    for (const TensorId id : step.inputs) {
      if (const auto maker = maker_.find(root(id)); maker != maker_.end())
        last = std::max(last.value_or(0), maker->second);
    }
    if (!last) return std::nullopt;
    const Step& convolution = before[*last];
    if (!is_convolution(convolution) || convolution.outputs.size() != 1 ||
        convolution.region != step.region || convolution.phase != step.phase)
      return std::nullopt;
    // Only the result itself, not a view of it, which counts as a reader.
    const TensorId result = convolution.outputs.front();
    const bool once = std::ranges::count(step.inputs, result) == 1 && readers_.at(result) == 1;
    if (!once || kept_.contains(result)) return std::nullopt;
    return last;
  }

  static void fold(Step& convolution, const Step& step) {
    Kernel& into = convolution.kernels.front();
    const Kernel& kernel = step.kernels.front();
    const TensorId inside = convolution.outputs.front();
    const Expr further_read = kernel.bytes_read - bytes_of(kernel.reads);
    const Expr further_written = kernel.bytes_written - bytes_of(kernel.writes);
    into.bytes_written = into.bytes_written - bytes_of(into.writes) + bytes_of(kernel.writes);
    into.bytes_written += further_written;
    into.bytes_read += further_read;
    for (const KernelAccess& access : kernel.reads) {
      if (access.tensor == inside) continue;
      into.reads.push_back(access);
      into.bytes_read += access.bytes;
    }
    into.writes = kernel.writes;
    into.operations += kernel.operations;
    for (const TensorId id : step.inputs) {
      if (id != inside && std::ranges::find(convolution.inputs, id) == convolution.inputs.end())
        convolution.inputs.push_back(id);
    }
    convolution.outputs = step.outputs;
    convolution.parameters += step.parameters;
  }

  Program program_;
  std::map<TensorId, int> readers_{};        // operands of steps that it is
  std::set<TensorId> kept_{};                // that must be there at the end or for the next repetition
  std::map<TensorId, std::size_t> maker_{};  // of storage: the step that wrote it
};

}  // namespace

Program fold_into_convolutions(Program program) {
  if (program.task != Task::inference) return program;
  return Folding(std::move(program)).run();
}

}  // namespace roofcast
