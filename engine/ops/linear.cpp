// Matrix products: linear layers, batched products, and their gradients.

#include "engine/ops/families.hpp"
#include "engine/ops/rules.hpp"

namespace roofcast {
namespace {

using namespace rules;

// y[..., out] = x[..., in] * W[out, in]^T + b[out]
constexpr AttributeRule linear_attributes[] = {
    {"out_features", AttributeKind::size, true, "size of the last dimension of the result"},
    {"bias", AttributeKind::flag, false, "adds a learned vector (default true)"}};

Result<Inference> infer_linear(const NodeView& node) {
  if (auto ok = require_rank(node, 0, 1, "[..., in_features]"); !ok) return tl::unexpected(ok.error());
  const Expr out = node.attributes.size("out_features");
  Shape shape = node.inputs[0].shape;
  const Expr in = shape.back();
  shape.back() = out;
  Inference inference{.outputs = {{.type = {.shape = shape}}},
                      .parameters = {{"weight", {.shape = {out, in}}}}};
  if (node.attributes.flag("bias", true)) inference.parameters.push_back({"bias", {.shape = {out}}});
  return inference;
}

std::vector<GradientStep> gradient_linear(const NodeView& node) {
  const Shape& input = node.inputs[0].shape;
  const Shape& weight = node.parameters[0].shape;
  std::vector<GradientStep> steps;
  steps.push_back({.op = "linear_input_gradient",
                   .attributes = shape_attribute(input),
                   .operands = {Operand::gradient(), Operand::parameter(0)},
                   .targets = {Operand::input(0)}});
  steps.push_back({.op = "linear_weight_gradient",
                   .attributes = shape_attribute(weight),
                   .operands = {Operand::gradient(), Operand::input(0)},
                   .targets = {Operand::parameter(0)}});
  if (node.parameters.size() > 1) {
    steps.push_back({.op = "sum_to",
                     .attributes = shape_attribute(node.parameters[1].shape),
                     .operands = {Operand::gradient()},
                     .targets = {Operand::parameter(1)}});
  }
  return steps;
}

std::vector<KernelSpec> kernels_linear(const NodeView& node) {
  const Shape& input = node.inputs[0].shape;
  const Expr out = node.outputs[0].shape.back();
  KernelSpec kernel = gemm("gemm", {.m = rows(input), .n = out, .k = input.back()}, everything_read(node),
                           whole({Operand::output()}));
  if (node.parameters.size() > 1) kernel.operations = elements(node.outputs[0].shape);
  return {kernel};
}

// dX[..., in] = dY[..., out] * W[out, in]
std::vector<KernelSpec> kernels_linear_input_gradient(const NodeView& node) {
  const Shape& gradient = node.inputs[0].shape;
  const Shape& weight = node.inputs[1].shape;
  return {gemm("gemm (input gradient)", {.m = rows(gradient), .n = weight[1], .k = weight[0]},
               everything_read(node), whole({Operand::output()}))};
}

// dW[out, in] = dY[..., out]^T * X[..., in]
std::vector<KernelSpec> kernels_linear_weight_gradient(const NodeView& node) {
  const Shape& gradient = node.inputs[0].shape;
  const Shape& input = node.inputs[1].shape;
  return {gemm("gemm (weight gradient)", {.m = gradient.back(), .n = input.back(), .k = rows(gradient)},
               everything_read(node), whole({Operand::output()}))};
}

// C[..., m, n] = A[..., m, k] * B[..., k, n]; a B without leading dimensions serves all of A's.
constexpr AttributeRule matmul_attributes[] = {
    {"transpose_a", AttributeKind::flag, false, "the first operand is [..., k, m]"},
    {"transpose_b", AttributeKind::flag, false, "the second operand is [..., n, k]"}};

struct Product {
  Shape batch{};
  Expr m{1}, n{1}, k{1}, k_of_b{1};
  bool shared_b = false;
};

Product product_of(const NodeView& node) {
  const Shape& a = node.inputs[0].shape;
  const Shape& b = node.inputs[1].shape;
  const bool transposed_a = node.attributes.flag("transpose_a");
  const bool transposed_b = node.attributes.flag("transpose_b");
  const auto at = [](const Shape& shape, std::size_t from_end) { return shape[shape.size() - from_end]; };
  return {.batch = Shape(a.begin(), a.end() - 2),
          .m = at(a, transposed_a ? 1 : 2),
          .n = at(b, transposed_b ? 2 : 1),
          .k = at(a, transposed_a ? 2 : 1),
          .k_of_b = at(b, transposed_b ? 1 : 2),
          .shared_b = b.size() == 2 && a.size() > 2};
}

Result<Inference> infer_matmul(const NodeView& node) {
  for (const int input : {0, 1}) {
    if (auto ok = require_rank(node, input, 2, "[..., rows, columns]"); !ok)
      return tl::unexpected(ok.error());
  }
  const Product product = product_of(node);
  Inference inference;
  require_equal(inference, node, product.k, product.k_of_b, "inner dimensions of the matrix product differ");
  if (!product.shared_b) {
    const Shape& b = node.inputs[1].shape;
    if (auto ok = require_same_shape(inference, node, product.batch, Shape(b.begin(), b.end() - 2),
                                     "leading dimensions of the matrix product differ");
        !ok) {
      return tl::unexpected(ok.error());
    }
  }
  Shape result = product.batch;
  result.push_back(product.m);
  result.push_back(product.n);
  if (node.attributes.flag("sum_batch")) result = {product.m, product.n};
  inference.outputs = {{.type = {.shape = result}}};
  return inference;
}

Attributes transposes(bool a, bool b, bool sum_batch = false) {
  Attributes attributes;
  attributes.set("transpose_a", a);
  attributes.set("transpose_b", b);
  if (sum_batch) attributes.set("sum_batch", true);
  return attributes;
}

std::vector<GradientStep> gradient_matmul(const NodeView& node) {
  const bool a = node.attributes.flag("transpose_a");
  const bool b = node.attributes.flag("transpose_b");
  const bool shared = product_of(node).shared_b;
  const Operand dc = Operand::gradient();
  // C = A B: dA = dC B^T, dB = A^T dC; transposed operands swap sides.
  GradientStep second{.op = "matmul", .targets = {Operand::input(1)}};
  second.attributes = b ? transposes(true, a, shared) : transposes(!a, false, shared);
  second.operands = b ? std::vector{dc, Operand::input(0)} : std::vector{Operand::input(0), dc};
  if (a && shared) {  // B has no leading dimensions, so it stays on the right: dA^T = dC B^T
    std::vector<Expr> axes;
    const auto rank = static_cast<std::int64_t>(node.inputs[0].shape.size());
    for (std::int64_t axis = 0; axis < rank - 2; ++axis) axes.emplace_back(axis);
    axes.emplace_back(rank - 1);
    axes.emplace_back(rank - 2);
    GradientStep product{.op = "matmul",
                         .attributes = transposes(false, !b),
                         .operands = {dc, Operand::input(1)},
                         .targets = {std::nullopt}};
    GradientStep turned{.op = "permute", .operands = {Operand::step(0)}, .targets = {Operand::input(0)}};
    turned.attributes.set("axes", axes);
    return {product, turned, second};
  }
  GradientStep first{.op = "matmul", .targets = {Operand::input(0)}};
  first.attributes = a ? transposes(b, true) : transposes(false, !b);
  first.operands = a ? std::vector{Operand::input(1), dc} : std::vector{dc, Operand::input(1)};
  return {first, second};
}

std::vector<KernelSpec> kernels_matmul(const NodeView& node) {
  const Product product = product_of(node);
  const Expr batch = elements(product.batch);
  Gemm<Expr> sizes{.batch = batch, .m = product.m, .n = product.n, .k = product.k};
  if (product.shared_b) sizes = {.m = batch * product.m, .n = product.n, .k = product.k};
  if (node.attributes.flag("sum_batch")) sizes = {.m = product.m, .n = product.n, .k = batch * product.k};
  return {gemm("gemm", sizes, everything_read(node), whole({Operand::output()}))};
}

}  // namespace

OperatorRows linear_operators() {
  static const Operator rows[] = {
      {.name = "linear",
       .summary = "y = x W^T + b over the last dimension",
       .cast = CastRule::low,
       .layer = true,
       .attributes = linear_attributes,
       .infer = infer_linear,
       .gradient = gradient_linear,
       .kernels = kernels_linear},
      {.name = "matmul",
       .summary = "batched matrix product of two activations",
       .least_inputs = 2,
       .most_inputs = 2,
       .cast = CastRule::low,
       .attributes = matmul_attributes,
       .infer = infer_matmul,
       .gradient = gradient_matmul,
       .kernels = kernels_matmul},
      {.name = "linear_input_gradient",
       .least_inputs = 2,
       .most_inputs = 2,
       .cast = CastRule::low,
       .in_model_files = false,
       .infer = like_shape_attribute,
       .kernels = kernels_linear_input_gradient},
      {.name = "linear_weight_gradient",
       .least_inputs = 2,
       .most_inputs = 2,
       .cast = CastRule::low,
       .in_model_files = false,
       .infer = like_shape_attribute,
       .kernels = kernels_linear_weight_gradient},
  };
  return rows;
}

}  // namespace roofcast
