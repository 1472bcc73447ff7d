// Operators that only move or rename: views cost nothing, copies cost their bytes.

#include "engine/ops/families.hpp"
#include "engine/ops/rules.hpp"

namespace roofcast {
namespace {

using namespace rules;

Inference view_of_input(Shape shape) {
  return {.outputs = {{.type = {.shape = std::move(shape)}, .alias = Operand::input(0)}}};
}

TensorType like(const NodeView& node, Shape shape, std::size_t input = 0) {
  return {.shape = std::move(shape), .dtype = node.inputs[input].dtype};
}

std::vector<KernelSpec> kernels_copy(const NodeView& node) {
  return {stream("copy", StreamKind::copy, elements(node.outputs[0].shape), 0,
                 {{Operand::input(0), elements(node.outputs[0].shape)}}, whole({Operand::output()}))};
}

std::vector<GradientStep> gradient_reshape(const NodeView& node) {
  return {{.op = "reshape",
           .attributes = shape_attribute(node.inputs[0].shape),
           .operands = {Operand::gradient()},
           .targets = {Operand::input(0)}}};
}

constexpr AttributeRule reshape_attributes[] = {
    {"shape", AttributeKind::sizes, true, "the new shape; at most one size may be -1, what is left"}};

Result<Inference> infer_reshape(const NodeView& node) {
  const Shape& input = node.inputs[0].shape;
  Shape shape = node.attributes.sizes("shape");
  Expr given{1};
  std::size_t open = shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!shape[i].is(-1)) {
      given *= shape[i];
    } else if (open == shape.size()) {
      open = i;
    } else {
      return reject(node, "more than one size of the new shape is -1");
    }
  }
  if (open < shape.size()) shape[open] = floor_divide(elements(input), given);
  Inference inference = view_of_input(shape);
  inference.outputs[0].type.dtype = node.inputs[0].dtype;
  require_equal(
      inference, node, elements(input), elements(shape),
      fmt::format("{} and {} have different numbers of elements", to_string(input), to_string(shape)));
  return inference;
}

constexpr AttributeRule flatten_attributes[] = {
    {"from", AttributeKind::size, false, "first dimension to fold into one, default 1"}};

Result<Inference> infer_flatten(const NodeView& node) {
  const Shape& input = node.inputs[0].shape;
  const auto from = axis(node, "from", 1, input.size());
  if (!from) return tl::unexpected(from.error());
  Shape shape(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(*from));
  shape.push_back(elements(input, *from, input.size()));
  Inference inference = view_of_input(shape);
  inference.outputs[0].type.dtype = node.inputs[0].dtype;
  return inference;
}

constexpr AttributeRule permute_attributes[] = {
    {"axes", AttributeKind::sizes, true, "for each dimension of the result the one of the input"}};

Result<std::vector<std::size_t>> permutation(const NodeView& node) {
  const std::size_t rank = node.inputs[0].shape.size();
  const Shape axes = node.attributes.sizes("axes");
  std::vector<std::size_t> order;
  std::vector<bool> seen(rank, false);
  for (const Expr& axis : axes) {
    if (!axis.is_constant() || axis.constant() < 0 || axis.constant() >= static_cast<std::int64_t>(rank) ||
        seen[static_cast<std::size_t>(axis.constant())]) {
      break;
    }
    order.push_back(static_cast<std::size_t>(axis.constant()));
    seen[order.back()] = true;
  }
  if (order.size() != rank || axes.size() != rank) {
    return reject(node, fmt::format("'axes' must name each of the {} dimensions once, from 0", rank));
  }
  return order;
}

Result<Inference> infer_permute(const NodeView& node) {
  const auto order = permutation(node);
  if (!order) return tl::unexpected(order.error());
  Shape shape;
  for (const std::size_t axis : *order) shape.push_back(node.inputs[0].shape[axis]);
  Inference inference = view_of_input(shape);
  inference.outputs[0].type.dtype = node.inputs[0].dtype;
  return inference;
}

std::vector<GradientStep> gradient_permute(const NodeView& node) {
  const auto order = permutation(node);
  std::vector<Expr> inverse(order->size());
  for (std::size_t i = 0; i < order->size(); ++i) inverse[(*order)[i]] = Expr{static_cast<std::int64_t>(i)};
  Attributes attributes;
  attributes.set("axes", inverse);
  return {{.op = "permute",
           .attributes = attributes,
           .operands = {Operand::gradient()},
           .targets = {Operand::input(0)}}};
}

Result<Inference> infer_copy(const NodeView& node) {
  return Inference{.outputs = {{.type = node.inputs[0]}}};
}

std::vector<GradientStep> pass_gradient(const NodeView& /*node*/) {
  return {{.op = "identity", .operands = {Operand::gradient()}, .targets = {Operand::input(0)}}};
}

Result<Inference> infer_identity(const NodeView& node) {
  Inference inference = view_of_input(node.inputs[0].shape);
  inference.outputs[0].type.dtype = node.inputs[0].dtype;
  return inference;
}

constexpr AttributeRule split_attributes[] = {
    {"parts", AttributeKind::size, false, "number of equal parts"},
    {"sizes", AttributeKind::sizes, false, "sizes of the parts, instead of 'parts'"},
    {"axis", AttributeKind::size, false, "default -1, the last"}};

Result<Inference> infer_split(const NodeView& node) {
  const Shape& input = node.inputs[0].shape;
  const auto along = axis(node, "axis", -1, input.size());
  if (!along) return tl::unexpected(along.error());
  if (node.attributes.has("parts") == node.attributes.has("sizes")) {
    return reject(node, "give one of 'parts' and 'sizes'");
  }
  Shape sizes = node.attributes.sizes("sizes");
  if (node.attributes.has("parts")) {
    constexpr std::int64_t most_parts = 4096;
    const Expr parts = node.attributes.size("parts");
    if (!parts.is_constant() || parts.constant() < 1 || parts.constant() > most_parts) {
      return reject(node, fmt::format("'parts' must be a number from 1 to {}", most_parts));
    }
    sizes.assign(static_cast<std::size_t>(parts.constant()), floor_divide(input[*along], parts));
  }
  Inference inference;
  Expr total{0};
  for (const Expr& size : sizes) {
    Shape shape = input;
    shape[*along] = size;
    total += size;
    inference.outputs.push_back({.type = like(node, shape), .alias = Operand::input(0)});
  }
  require_equal(inference, node, total, input[*along], "the parts do not add up to the dimension");
  return inference;
}

std::vector<GradientStep> gradient_split(const NodeView& node) {
  GradientStep step{.op = "concat", .targets = {Operand::input(0)}};
  step.attributes.set("axis", node.attributes.size("axis", Expr{-1}));
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    step.operands.push_back(Operand::gradient(static_cast<int>(i)));
  }
  return {step};
}

constexpr AttributeRule slice_attributes[] = {{"start", AttributeKind::size, false, "first index, default 0"},
                                              {"length", AttributeKind::size, true, "how many"},
                                              {"axis", AttributeKind::size, false, "default -1, the last"}};

Result<Inference> infer_slice(const NodeView& node) {
  Shape shape = node.inputs[0].shape;
  const auto along = axis(node, "axis", -1, shape.size());
  if (!along) return tl::unexpected(along.error());
  const Expr length = node.attributes.size("length");
  const Expr end = node.attributes.size("start") + length;
  Inference inference;
  require_equal(inference, node, maximum(end, shape[*along]), shape[*along],
                "the slice leaves the dimension");
  shape[*along] = length;
  inference.outputs = {{.type = like(node, shape), .alias = Operand::input(0)}};
  return inference;
}

std::vector<GradientStep> gradient_slice(const NodeView& node) {
  return {{.op = "slice_backward",
           .attributes = shape_attribute(node.inputs[0].shape),
           .operands = {Operand::gradient()},
           .targets = {Operand::input(0)}}};
}

// Zeros everywhere, then the slice. Frameworks skip a slice that is the whole.
std::vector<KernelSpec> kernels_slice_backward(const NodeView& node) {
  const Expr all = elements(node.outputs[0].shape);
  const Expr part = elements(node.inputs[0].shape);
  std::vector<KernelSpec> kernels = {
      stream("fill", StreamKind::copy, all, 0, {}, whole({Operand::output()})),
      stream("copy", StreamKind::copy, part, 0, everything_read(node), {{Operand::output(), part}})};
  for (KernelSpec& kernel : kernels) kernel.count = minimum(Expr{1}, all - part);
  return kernels;
}

constexpr AttributeRule concat_attributes[] = {{"axis", AttributeKind::size, false, "default -1, the last"}};

Result<Inference> infer_concat(const NodeView& node) {
  Shape shape = node.inputs[0].shape;
  const auto along = axis(node, "axis", -1, shape.size());
  if (!along) return tl::unexpected(along.error());
  Inference inference;
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    const Shape& other = node.inputs[i].shape;
    if (other.size() != shape.size()) {
      return reject(node, fmt::format("cannot join {} and {}", to_string(shape), to_string(other)));
    }
    for (std::size_t dimension = 0; dimension < shape.size(); ++dimension) {
      if (dimension == *along) {
        shape[dimension] += other[dimension];
      } else {
        require_equal(inference, node, shape[dimension], other[dimension],
                      fmt::format("inputs 1 and {} differ in dimension {}", i + 1, dimension));
      }
    }
  }
  inference.outputs = {{.type = like(node, shape)}};
  return inference;
}

std::vector<GradientStep> gradient_concat(const NodeView& node) {
  std::vector<GradientStep> steps;
  const auto along = axis(node, "axis", -1, node.inputs[0].shape.size());
  Expr start{0};
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Expr length = node.inputs[i].shape[*along];
    GradientStep step{
        .op = "slice", .operands = {Operand::gradient()}, .targets = {Operand::input(static_cast<int>(i))}};
    step.attributes.set("axis", Expr{static_cast<std::int64_t>(*along)});
    step.attributes.set("start", start);
    step.attributes.set("length", length);
    start += length;
    steps.push_back(step);
  }
  return steps;
}

std::vector<KernelSpec> kernels_concat(const NodeView& node) {
  return {stream("concatenate", StreamKind::copy, elements(node.outputs[0].shape), 0, everything_read(node),
                 whole({Operand::output()}))};
}

constexpr AttributeRule expand_attributes[] = {
    {"shape", AttributeKind::sizes, true, "the shape to stretch to; dimensions of size 1 stretch"}};

Result<Inference> infer_expand(const NodeView& node) {
  const Shape shape = node.attributes.sizes("shape");
  Inference inference;
  const auto joint = broadcast(inference, node, shape, node.inputs[0].shape);
  if (!joint) return tl::unexpected(joint.error());
  if (joint->size() != shape.size()) return reject(node, "'shape' has fewer dimensions than the input");
  inference.outputs = {{.type = like(node, *joint), .alias = Operand::input(0)}};
  return inference;
}

std::vector<GradientStep> gradient_expand(const NodeView& node) {
  return {{.op = "sum_to",
           .attributes = shape_attribute(node.inputs[0].shape),
           .operands = {Operand::gradient()},
           .targets = {Operand::input(0)}}};
}

// A view into the input's memory with other steps: every second element, or one element many times.
Result<Inference> infer_strided_view(const NodeView& node) {
  return Inference{
      .outputs = {{.type = like(node, node.attributes.sizes("shape")), .alias = Operand::input(0)}}};
}

std::vector<GradientStep> gradient_strided_view(const NodeView& node) {
  return {{.op = "rearrange",
           .attributes = shape_attribute(node.inputs[0].shape),
           .operands = {Operand::gradient()},
           .targets = {Operand::input(0)}}};
}

constexpr AttributeRule take_attributes[] = {
    {"count", AttributeKind::size, true, "how many values per row"},
    {"from", AttributeKind::size, false, "dimensions from this one on form the row, default 1"}};

// Picks `count` values at fixed places out of each row, such as the lower triangle of a matrix.
Result<Inference> infer_take(const NodeView& node) {
  const Shape& input = node.inputs[0].shape;
  const auto from = axis(node, "from", 1, input.size());
  if (!from) return tl::unexpected(from.error());
  Shape shape(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(*from));
  shape.push_back(node.attributes.size("count"));
  return Inference{.outputs = {{.type = like(node, shape)}}};
}

std::vector<KernelSpec> kernels_take(const NodeView& node) {
  const Expr count = elements(node.outputs[0].shape);
  return {{.name = "take",
           .form = Gather<Expr>{.rows = count},
           .reads = {{Operand::input(0), count}},
           .writes = whole({Operand::output()}),
           .further_bytes_read = node.attributes.size("count") * Expr{8}}};
}

Operator row(std::string_view name, std::string_view summary, std::span<const AttributeRule> attributes,
             Result<Inference> (*infer)(const NodeView&),
             std::vector<GradientStep> (*gradient)(const NodeView&),
             std::vector<KernelSpec> (*kernels)(const NodeView&) = no_kernels) {
  return {.name = name,
          .summary = summary,
          .attributes = attributes,
          .infer = infer,
          .gradient = gradient,
          .kernels = kernels};
}

}  // namespace

OperatorRows shape_operators() {
  constexpr int unlimited = 100'000;
  static const std::vector<Operator> rows = [] {
    std::vector<Operator> all = {
        row("reshape", "the same elements in another shape (a view)", reshape_attributes, infer_reshape,
            gradient_reshape),
        row("flatten", "folds all dimensions from one on (a view)", flatten_attributes, infer_flatten,
            gradient_reshape),
        row("permute", "dimensions in another order (a view)", permute_attributes, infer_permute,
            gradient_permute),
        row("contiguous", "a copy in memory order, as after a permute", {}, infer_copy, pass_gradient,
            kernels_copy),
        row("split", "parts along a dimension (views); name them with 'outputs'", split_attributes,
            infer_split, gradient_split),
        row("slice", "a range of indices of a dimension (a view)", slice_attributes, infer_slice,
            gradient_slice),
        row("concat", "inputs joined along a dimension", concat_attributes, infer_concat, gradient_concat,
            kernels_concat),
        row("expand", "stretches dimensions of size 1 (a view)", expand_attributes, infer_expand,
            gradient_expand),
        row("strided_view", "a view with other steps, such as every second element", expand_attributes,
            infer_strided_view, gradient_strided_view),
        row("take", "values at fixed places of each row", take_attributes, infer_take, gradient_slice,
            kernels_take),
        row("identity", "the input under another name (a view)", {}, infer_identity, pass_gradient),
        row("slice_backward", {}, {}, like_shape_attribute, nullptr, kernels_slice_backward),
    };
    for (Operator& op : all) {
      if (op.name == "concat") op.most_inputs = unlimited;
      if (op.name == "slice_backward") op.in_model_files = false;
    }
    return all;
  }();
  return rows;
}

}  // namespace roofcast
