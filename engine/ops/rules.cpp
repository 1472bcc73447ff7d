#include "engine/ops/rules.hpp"

#include <algorithm>

namespace roofcast::rules {

tl::unexpected<Diagnostics> reject(const NodeView& node, std::string message, std::string hint) {
  return fail(fmt::format("'{}': {}", node.name, message), node.where, std::move(hint));
}

void require_equal(Inference& inference, const NodeView& node, const Expr& left, const Expr& right,
                   std::string_view what) {
  if (left == right) return;
  inference.constraints.push_back({left, right, fmt::format("'{}': {}", node.name, what), node.where});
}

Result<void> require_same_shape(Inference& inference, const NodeView& node, const Shape& left,
                                const Shape& right, std::string_view what) {
  if (left.size() != right.size()) {
    return reject(node, fmt::format("{}: {} and {}", what, to_string(left), to_string(right)));
  }
  for (std::size_t i = 0; i < left.size(); ++i) require_equal(inference, node, left[i], right[i], what);
  return {};
}

Result<Shape> broadcast(Inference& inference, const NodeView& node, const Shape& left, const Shape& right) {
  const Shape& longer = left.size() >= right.size() ? left : right;
  const Shape& shorter = left.size() >= right.size() ? right : left;
  Shape result = longer;
  const std::size_t offset = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    Expr& dimension = result[offset + i];
    if (shorter[i].is(1)) continue;
    if (dimension.is(1)) {
      dimension = shorter[i];
    } else {
      require_equal(inference, node, dimension, shorter[i],
                    fmt::format("shapes {} and {} do not go together", to_string(left), to_string(right)));
    }
  }
  return result;
}

Result<void> require_rank(const NodeView& node, int input, std::size_t least, std::string_view form) {
  const Shape& shape = node.inputs[static_cast<std::size_t>(input)].shape;
  if (shape.size() >= least) return {};
  return reject(node, fmt::format("input {} must be {}, not {}", input + 1, form, to_string(shape)));
}

Result<Inference> like_first_input(const NodeView& node) {
  OutputSpec output{.type = {.shape = node.inputs[0].shape}};
  if (node.attributes.flag("inplace")) output.alias = Operand::input(0);
  return Inference{.outputs = {output}};
}

Result<Inference> like_shape_attribute(const NodeView& node) {
  return Inference{.outputs = {{.type = {.shape = node.attributes.sizes("shape"),
                                         .dtype = parse_dtype(node.attributes.word("dtype"))}}}};
}

KernelSpec stream(std::string_view name, StreamKind kind, const Expr& elements,
                  std::int64_t operations_per_element, std::vector<Access> reads,
                  std::vector<Access> writes) {
  return {.name = name,
          .form = Stream<Expr>{kind, elements},
          .operations = elements * Expr{operations_per_element},
          .reads = std::move(reads),
          .writes = std::move(writes)};
}

KernelSpec gemm(std::string_view name, const Gemm<Expr>& sizes, std::vector<Access> reads,
                std::vector<Access> writes) {
  return {.name = name,
          .form = sizes,
          .macs = sizes.batch * sizes.m * sizes.n * sizes.k,
          .reads = std::move(reads),
          .writes = std::move(writes)};
}

std::vector<Access> everything_read(const NodeView& node) {
  std::vector<Access> reads;
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    reads.push_back({Operand::input(static_cast<int>(i)), {}});
  for (std::size_t i = 0; i < node.parameters.size(); ++i) {
    reads.push_back({Operand::parameter(static_cast<int>(i)), {}});
  }
  return reads;
}

std::vector<Access> whole(std::initializer_list<Operand> operands) {
  std::vector<Access> accesses;
  for (const Operand& operand : operands) accesses.push_back({operand, {}});
  return accesses;
}

Attributes shape_attribute(const Shape& shape) {
  Attributes attributes;
  attributes.set("shape", shape);
  return attributes;
}

void finish_broadcast(std::vector<GradientStep>& steps, const Shape& result, const Shape& operand,
                      const Operand& target) {
  if (result == operand) {
    steps.back().targets = {target};
    return;
  }
  steps.back().targets = {std::nullopt};
  const int last = static_cast<int>(steps.size()) - 1;
  steps.push_back({.op = "sum_to",
                   .attributes = shape_attribute(operand),
                   .operands = {Operand::step(last)},
                   .targets = {target}});
}

Expr rows(const Shape& shape) {
  return elements(shape, 0, shape.empty() ? 0 : shape.size() - 1);
}

Expr visible_keys(const Expr& window, const Expr& keys) {
  if (window.is(0)) return keys;
  // A window that is a symbol may come to 0 later.
  const Expr none = Expr{1} - minimum(window, Expr{1});
  return minimum(keys, window + none * keys);
}

Result<std::size_t> axis(const NodeView& node, std::string_view attribute, std::int64_t fallback,
                         std::size_t rank) {
  const Expr value = node.attributes.size(attribute, Expr{fallback});
  if (!value.is_constant()) return reject(node, fmt::format("'{}' must be a number", attribute));
  const std::int64_t given = value.constant();
  const auto dimensions = static_cast<std::int64_t>(rank);
  if (given < -dimensions || given >= dimensions) {
    return reject(node, fmt::format("'{}' is {}, but the input has {} dimensions", attribute, given, rank));
  }
  return static_cast<std::size_t>(given < 0 ? given + dimensions : given);
}

std::vector<KernelSpec> no_kernels(const NodeView& /*node*/) {
  return {};
}
std::vector<GradientStep> no_gradient(const NodeView& /*node*/) {
  return {};
}

}  // namespace roofcast::rules
