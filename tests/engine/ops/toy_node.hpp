#pragma once
// One operator under test, with its inputs and attributes.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/precision.hpp"
#include "engine/ops/operator.hpp"

namespace doctest {
template <>
struct StringMaker<roofcast::Expr> {
  static String convert(const roofcast::Expr& value) { return roofcast::to_string(value).c_str(); }
};
template <>
struct StringMaker<roofcast::Shape> {
  static String convert(const roofcast::Shape& value) { return roofcast::to_string(value).c_str(); }
};
template <>
struct StringMaker<std::vector<std::string>> {
  static String convert(const std::vector<std::string>& value) {
    return fmt::format("{}", fmt::join(value, "\n          ")).c_str();
  }
};
}  // namespace doctest

namespace roofcast {

inline Expr sym(const std::string& name) {
  return Expr::symbol(name);
}

/// A real-valued tensor.
inline TensorType real(Shape shape) {
  return {.shape = std::move(shape)};
}
inline TensorType indices(Shape shape) {
  return {.shape = std::move(shape), .dtype = DType::int64};
}

inline Attributes attributes(std::initializer_list<std::pair<const char*, Attribute>> values) {
  Attributes all;
  for (const auto& [name, value] : values) all.set(name, value);
  return all;
}

class ToyNode {
 public:
  ToyNode(std::string_view op, std::vector<TensorType> inputs, Attributes given = {},
          Task task = Task::inference)
      : op_(find_operator(op)), inputs_(std::move(inputs)), attributes_(std::move(given)), task_(task) {
    REQUIRE(op_ != nullptr);
  }

  /// What the shape rule says.
  Result<Inference> infer() const { return op_->infer(before()); }

  /// Its message, or "no mistakes".
  std::string complaint() const {
    const auto inference = infer();
    return inference ? "no mistakes" : to_string(inference.error());
  }

  Shape output(std::size_t index = 0) const { return sound().outputs.at(index).type.shape; }
  std::size_t outputs() const { return sound().outputs.size(); }
  Shape parameter(std::size_t index) const { return sound().parameters.at(index).type.shape; }
  std::size_t parameters() const { return sound().parameters.size(); }

  /// "left = right: message", one a constraint.
  std::vector<std::string> constraints() const {
    std::vector<std::string> all;
    for (const Constraint& constraint : sound().constraints) {
      all.push_back(fmt::format("{} = {}: {}", to_string(constraint.left), to_string(constraint.right),
                                constraint.message));
    }
    return all;
  }

  std::vector<KernelSpec> kernels() const { return op_->kernels(after()); }

  /// "op(operands) -> targets", one a step.
  std::vector<std::string> gradient() const {
    std::vector<std::string> steps;
    for (const GradientStep& step : op_->gradient(after())) {
      std::vector<std::string> operands;
      std::vector<std::string> targets;
      for (const Operand& operand : step.operands) operands.push_back(name_of(operand));
      for (const auto& target : step.targets) targets.push_back(target ? name_of(*target) : "-");
      steps.push_back(
          fmt::format("{}({}) -> {}", step.op, fmt::join(operands, ", "), fmt::join(targets, ", ")));
    }
    return steps;
  }

  /// Elements that a kernel reads or writes, whatever their type.
  Expr read(const KernelSpec& kernel) const { return touched(kernel.reads); }
  Expr written(const KernelSpec& kernel) const { return touched(kernel.writes); }

 private:
  static std::string name_of(const Operand& operand) {
    switch (operand.from) {
      case Operand::From::input: return fmt::format("input {}", operand.index);
      case Operand::From::parameter: return fmt::format("parameter {}", operand.index);
      case Operand::From::output: return fmt::format("output {}", operand.index);
      case Operand::From::gradient: return fmt::format("gradient {}", operand.index);
      case Operand::From::step: return fmt::format("step {}", operand.index);
    }
    return "?";
  }

  NodeView before() const {
    return {.name = "node",
            .attributes = attributes_,
            .inputs = inputs_,
            .training = task_ == Task::training,
            .where = {"m.toml", 3, 1}};
  }

  NodeView after() const {
    NodeView node = before();
    const Inference inference = sound();
    for (const ParameterSpec& parameter : inference.parameters) node.parameters.push_back(parameter.type);
    for (const OutputSpec& output : inference.outputs) node.outputs.push_back(output.type);
    return node;
  }

  Inference sound() const {
    auto inference = infer();
    INFO("complaint: ", complaint());
    REQUIRE(inference.has_value());
    return *std::move(inference);
  }

  Expr touched(const std::vector<Access>& accesses) const {
    const NodeView node = after();
    Expr total{0};
    for (const Access& access : accesses) {
      const auto& types = access.operand.from == Operand::From::input       ? node.inputs
                          : access.operand.from == Operand::From::parameter ? node.parameters
                                                                            : node.outputs;
      total +=
          access.elements.value_or(elements(types.at(static_cast<std::size_t>(access.operand.index)).shape));
    }
    return total;
  }

  const Operator* op_;
  std::vector<TensorType> inputs_;
  Attributes attributes_;
  Task task_;
};

}  // namespace roofcast
