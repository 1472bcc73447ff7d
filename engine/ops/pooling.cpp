// Maxima and means over sliding windows.

#include "engine/ops/families.hpp"
#include "engine/ops/rules.hpp"
#include "engine/ops/window.hpp"

namespace roofcast {
namespace {

using namespace rules;

constexpr AttributeRule window_attributes[] = {
    {"kernel", AttributeKind::sizes, true, "window size, one for all axes or one each"},
    {"stride", AttributeKind::sizes, false, "default: the window size"},
    {"padding", AttributeKind::sizes, false, "default 0"},
    {"padding_end", AttributeKind::sizes, false, "behind the last element, if unlike 'padding'"},
    {"dilation", AttributeKind::sizes, false, "default 1"},
    {"ceil_mode", AttributeKind::flag, false, "rounds the number of windows up (default false)"}};
constexpr AttributeRule adaptive_attributes[] = {
    {"output", AttributeKind::sizes, false, "spatial sizes of the result, default 1 (global)"}};

Shape pooled(const Shape& input, const Shape& spatial) {
  Shape shape{input[0], input[1]};
  shape.insert(shape.end(), spatial.begin(), spatial.end());
  return shape;
}

Result<Inference> infer_pool(const NodeView& node) {
  const auto window = read_window(node, true);
  if (!window) return tl::unexpected(window.error());
  return Inference{
      .outputs = {{.type = {.shape = pooled(node.inputs[0].shape,
                                            window_output(*window, node.attributes.flag("ceil_mode")))}}}};
}

// Training keeps where each maximum was: int64, as PyTorch does.
Result<Inference> infer_max_pool(const NodeView& node) {
  auto inference = infer_pool(node);
  if (inference && node.training) {
    inference->outputs.push_back(
        {.type = {.shape = inference->outputs[0].type.shape, .dtype = DType::int64}});
  }
  return inference;
}

Result<Inference> infer_adaptive_pool(const NodeView& node) {
  if (auto ok = require_rank(node, 0, 3, "[batch, channels, spatial...]"); !ok)
    return tl::unexpected(ok.error());
  const Shape& input = node.inputs[0].shape;
  Shape sizes = node.attributes.sizes("output", {Expr{1}});
  if (sizes.size() == 1) sizes.resize(input.size() - 2, sizes.front());
  if (sizes.size() != input.size() - 2) return reject(node, "'output' needs one size a spatial axis");
  return Inference{.outputs = {{.type = {.shape = pooled(input, sizes)}}}};
}

std::vector<KernelSpec> kernels_pool(const NodeView& node) {
  const Shape kernel = node.attributes.sizes("kernel");
  Expr window = elements(kernel);
  if (kernel.size() == 1) {
    for (std::size_t axis = 3; axis < node.inputs[0].shape.size(); ++axis) window *= kernel[0];
  }
  std::vector<Access> writes;
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    writes.push_back({Operand::output(static_cast<int>(i)), {}});
  KernelSpec kernel_spec =
      stream("pool", StreamKind::pooling, elements(node.outputs[0].shape), 1, everything_read(node), writes);
  kernel_spec.operations = elements(node.outputs[0].shape) * window;
  return {kernel_spec};
}

std::vector<KernelSpec> kernels_adaptive_pool(const NodeView& node) {
  return {stream("adaptive pool", StreamKind::pooling, elements(node.inputs[0].shape), 1,
                 everything_read(node), whole({Operand::output()}))};
}

std::vector<GradientStep> gradient_max_pool(const NodeView& node) {
  return {{.op = "pool_backward",
           .attributes = shape_attribute(node.inputs[0].shape),
           .operands = {Operand::gradient(), Operand::output(1), Operand::input(0)},
           .targets = {Operand::input(0)}}};
}

// A mean's gradient needs only sizes, but automatic differentiation keeps the input all the same.
std::vector<GradientStep> gradient_avg_pool(const NodeView& node) {
  return {{.op = "pool_backward",
           .attributes = shape_attribute(node.inputs[0].shape),
           .operands = {Operand::gradient(), Operand::input(0)},
           .targets = {Operand::input(0)}}};
}

std::vector<KernelSpec> kernels_pool_backward(const NodeView& node) {
  // The kept input only lends its sizes.
  std::vector<Access> reads = whole({Operand::input(0)});
  if (node.inputs.size() > 1 && node.inputs[1].dtype == DType::int64)
    reads.push_back({Operand::input(1), {}});
  return {stream("pool backward", StreamKind::pooling, elements(node.outputs[0].shape), 1, reads,
                 whole({Operand::output()}))};
}

}  // namespace

OperatorRows pooling_operators() {
  static const Operator rows[] = {
      {.name = "max_pool",
       .summary = "maximum over sliding windows",
       .attributes = window_attributes,
       .infer = infer_max_pool,
       .gradient = gradient_max_pool,
       .kernels = kernels_pool},
      {.name = "avg_pool",
       .summary = "mean over sliding windows",
       .attributes = window_attributes,
       .infer = infer_pool,
       .gradient = gradient_avg_pool,
       .kernels = kernels_pool},
      {.name = "adaptive_avg_pool",
       .summary = "mean over as many windows as 'output' says; 1 is global pooling",
       .attributes = adaptive_attributes,
       .infer = infer_adaptive_pool,
       .gradient = gradient_avg_pool,
       .kernels = kernels_adaptive_pool},
      {.name = "pool_backward",
       .least_inputs = 1,
       .most_inputs = 3,
       .in_model_files = false,
       .infer = like_shape_attribute,
       .kernels = kernels_pool_backward},
  };
  return rows;
}

}  // namespace roofcast
