#pragma once
// An operator is a row of functions: its shape rule, its gradient, the kernels that it becomes.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostics.hpp"
#include "engine/base/kernel_form.hpp"
#include "engine/base/tensor.hpp"
#include "engine/ops/attributes.hpp"

namespace roofcast {

/// A node as its operator sees it. `parameters` and `outputs` are empty until the shape rule has run.
struct NodeView {
  std::string_view name{};
  const Attributes& attributes;
  std::vector<TensorType> inputs{};
  std::vector<TensorType> parameters{};
  std::vector<TensorType> outputs{};
  bool training = false;
  Location where{};
};

/// What kind of state an operator owns.
enum class ParameterKind : std::uint8_t {
  learned,
  statistic,  ///< a running statistic or constant that is stored with the model
  cache       ///< keys or values of earlier tokens: neither stored with the model nor learned
};

/// A tensor that an operator owns and that outlives a run.
struct ParameterSpec {
  std::string_view name{};
  TensorType type{};
  ParameterKind kind = ParameterKind::learned;
  std::optional<Expr> used_per_token{};  ///< learned values that one token needs; absent: all of them
};

/// Something that a gradient step or a kernel names: one of the node's own tensors, the gradient that arrives
/// at one of its outputs, or a result of an earlier step.
struct Operand {
  enum class From : std::uint8_t { input, parameter, output, gradient, step };
  From from = From::input;
  int index = 0;
  int result = 0;  ///< which result of the step

  static Operand input(int index) { return {From::input, index}; }
  static Operand parameter(int index) { return {From::parameter, index}; }
  static Operand output(int index = 0) { return {From::output, index}; }
  static Operand gradient(int index = 0) { return {From::gradient, index}; }
  static Operand step(int index, int result = 0) { return {From::step, index, result}; }
};

struct OutputSpec {
  TensorType type{};
  std::optional<Operand>
      alias{};  ///< the input or parameter whose storage it shares: a view or an in-place result
};

/// What a shape rule finds.
struct Inference {
  std::vector<OutputSpec> outputs{};
  std::vector<ParameterSpec> parameters{};
  std::vector<Constraint> constraints{};
};

/// One node of the backward pass. `targets[i]` says whose gradient result i is; results without a target feed
/// later steps. A step none of whose results is wanted is not built, so the first layer pays for no input
/// gradient.
struct GradientStep {
  std::string_view op{};
  Attributes attributes{};
  std::vector<Operand> operands{};
  std::vector<std::optional<Operand>> targets{};
};

/// Part of a tensor that a kernel reads or writes; the whole of it unless `elements` says otherwise.
struct Access {
  Operand operand{};
  std::optional<Expr> elements{};
};

/// A kernel of an operator, before precision is known.
struct KernelSpec {
  std::string_view name{};
  KernelForm<Expr> form{};
  Expr macs{0};             ///< multiply-adds that the operator's definition asks for
  Expr recomputed_macs{0};  ///< further ones that this kernel does to save memory
  Expr operations{0};       ///< everything else, in operations
  std::vector<Access> reads{};
  std::vector<Access> writes{};
  Expr further_bytes_read{0};  ///< of data that is none of the node's operands, such as optimizer state
  Expr further_bytes_written{0};
  Expr workspace_bytes{0};
  Expr count{1};  ///< launches in a row, each of this size
};

/// What autocast does with an operator: run it in the low precision, in fp32, or in the widest type that
/// comes in.
enum class CastRule : std::uint8_t { low, fp32, widest };

struct Operator {
  std::string_view name{};
  std::string_view summary{};
  int least_inputs = 1;
  int most_inputs = 1;
  CastRule cast = CastRule::widest;
  bool in_model_files = true;  ///< false for operators that only gradients and passes create
  bool layer = false;          ///< convolutions and linear layers, whose outputs count as "activations"
  std::span<const AttributeRule> attributes{};
  Result<Inference> (*infer)(const NodeView&) = nullptr;
  /// Null: no gradient is known, a named error in training. Needs inferred outputs.
  std::vector<GradientStep> (*gradient)(const NodeView&) = nullptr;
  std::vector<KernelSpec> (*kernels)(const NodeView&) = nullptr;
};

/// All operators, in the order of the documentation.
std::span<const Operator* const> operator_table();
const Operator* find_operator(std::string_view name);

}  // namespace roofcast
