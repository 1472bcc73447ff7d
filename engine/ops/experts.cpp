// Mixture of experts: a router picks a few of many linear layers for each token.

#include "engine/ops/families.hpp"
#include "engine/ops/rules.hpp"

namespace roofcast {
namespace {

using namespace rules;

constexpr AttributeRule router_attributes[] = {
    {"experts", AttributeKind::size, true, "how many there are"},
    {"top_k", AttributeKind::size, true, "how many each token goes to"},
    {"bias", AttributeKind::flag, false, "adds a learned vector to the scores (default false)"}};

void require_top_k(Inference& inference, const NodeView& node) {
  const Expr experts = node.attributes.size("experts");
  const Expr top_k = node.attributes.size("top_k");
  require_equal(inference, node, minimum(top_k, experts), top_k, "'top_k' is more than 'experts'");
}

// p = softmax(x W^T + b); the top_k largest p and their experts. Output 0 are the weights [..., top_k], which
// `expert_linear` and `combine` take; output 1 the experts' indices; output 2 p, for the gradient. Source:
// Shazeer et al., "Outrageously Large Neural Networks", 2017; Jiang et al., "Mixtral of Experts", 2024.
// Families differ in whether the softmax comes before or after the choice and in further scalings, which
// costs the same.
Result<Inference> infer_router(const NodeView& node) {
  if (auto ok = require_rank(node, 0, 1, "[..., hidden]"); !ok) return tl::unexpected(ok.error());
  const Expr experts = node.attributes.size("experts");
  Shape shape = node.inputs[0].shape;
  const Expr hidden = shape.back();
  Inference inference;
  require_top_k(inference, node);
  shape.back() = experts;
  Shape chosen = shape;
  chosen.back() = node.attributes.size("top_k");
  inference.outputs = {{.type = {.shape = chosen}},
                       {.type = {.shape = chosen, .dtype = DType::int64}},
                       {.type = {.shape = shape}}};
  inference.parameters = {{"weight", {.shape = {experts, hidden}}}};
  if (node.attributes.flag("bias")) inference.parameters.push_back({"bias", {.shape = {experts}}});
  return inference;
}

std::vector<KernelSpec> kernels_router(const NodeView& node) {
  const Shape& input = node.inputs[0].shape;
  const Expr scores = elements(node.outputs[2].shape);
  KernelSpec product =
      gemm("router gemm", {.m = rows(input), .n = node.outputs[2].shape.back(), .k = input.back()},
           everything_read(node), whole({Operand::output(2)}));
  if (node.parameters.size() > 1) product.operations = scores;
  constexpr std::int64_t softmax_operations = 14;  // as in softmax
  constexpr std::int64_t compares = 1;             // per score, in one pass of a radix or insertion select
  return {product,
          stream("router softmax", StreamKind::softmax, scores, softmax_operations,
                 whole({Operand::output(2)}), whole({Operand::output(2)})),
          stream("top k", StreamKind::reduction, scores, compares, whole({Operand::output(2)}),
                 whole({Operand::output(0), Operand::output(1)}))};
}

std::vector<GradientStep> gradient_router(const NodeView& node) {
  std::vector<GradientStep> steps = {
      {.op = "router_backward",
       .operands = {Operand::gradient(0), Operand::output(1), Operand::output(2)},
       .targets = {std::nullopt}},
      {.op = "linear_input_gradient",
       .attributes = shape_attribute(node.inputs[0].shape),
       .operands = {Operand::step(0), Operand::parameter(0)},
       .targets = {Operand::input(0)}},
      {.op = "linear_weight_gradient",
       .attributes = shape_attribute(node.parameters[0].shape),
       .operands = {Operand::step(0), Operand::input(0)},
       .targets = {Operand::parameter(0)}}};
  if (node.parameters.size() > 1) {
    steps.push_back({.op = "sum_to",
                     .attributes = shape_attribute(node.parameters[1].shape),
                     .operands = {Operand::step(0)},
                     .targets = {Operand::parameter(1)}});
  }
  return steps;
}

// The chosen weights' gradient among zeros, then through the softmax.
Result<Inference> infer_router_backward(const NodeView& node) {
  return Inference{.outputs = {{.type = {.shape = node.inputs[2].shape}}}};
}

std::vector<KernelSpec> kernels_router_backward(const NodeView& node) {
  const Expr scores = elements(node.outputs[0].shape);
  return {stream("scatter", StreamKind::copy, scores, 0, whole({Operand::input(0), Operand::input(1)}),
                 whole({Operand::output()})),
          stream("softmax backward", StreamKind::softmax, scores, 4,
                 whole({Operand::input(2), Operand::output()}), whole({Operand::output()}))};
}

constexpr AttributeRule expert_attributes[] = {
    {"experts", AttributeKind::size, true, "how many there are"},
    {"top_k", AttributeKind::size, true, "how many each token goes to"},
    {"out_features", AttributeKind::size, true, "size of the last dimension of the result"},
    {"bias", AttributeKind::flag, false, "each expert adds a learned vector (default false)"},
    {"spread", AttributeKind::flag, false,
     "x is [..., in] and each row goes to 'top_k' experts; else (default) x is [..., top_k, in]"}};

/// How the rows meet the experts. With r rows in all, no more than min(experts, r) experts are used, and that
/// many if routing spreads them as well as it can: an upper bound of what is read, close to the truth from a
/// few rows per expert on. With fewer, chance leaves experts out: of E experts, r rows hit E (1 - (1 -
/// 1/E)^r).
struct Routing {
  Expr rows{1};        // rows that an expert multiplies, over all experts
  Expr active{1};      // experts with at least one row
  Expr per_expert{1};  // rows of an active expert, rounded up
};

Routing routing_of(const Attributes& attributes, const Shape& routing) {
  Routing result{.rows = elements(routing)};
  result.active = minimum(attributes.size("experts"), result.rows);
  result.per_expert = ceil_divide(result.rows, result.active);
  return result;
}

// y[..., j, :] = W[e] x + b[e] for each of the top_k experts e that the router gave the row.
Result<Inference> infer_expert_linear(const NodeView& node) {
  const bool spread = node.attributes.flag("spread");
  if (auto ok = require_rank(node, 0, spread ? 1 : 2, spread ? "[..., in]" : "[..., top_k, in]"); !ok)
    return tl::unexpected(ok.error());
  const Shape& input = node.inputs[0].shape;
  const Expr experts = node.attributes.size("experts");
  const Expr top_k = node.attributes.size("top_k");
  const Expr out = node.attributes.size("out_features");
  const Expr in = input.back();
  Shape routed(input.begin(), input.end() - 1);
  if (spread) routed.push_back(top_k);
  Inference inference;
  require_top_k(inference, node);
  if (auto ok = require_same_shape(inference, node, routed, node.inputs[1].shape,
                                   "the rows are not those that the router has seen");
      !ok) {
    return tl::unexpected(ok.error());
  }
  Shape output = routed;
  output.push_back(out);
  inference.outputs = {{.type = {.shape = output}}};
  inference.parameters = {
      {"weight", {.shape = {experts, out, in}}, ParameterKind::learned, top_k * out * in}};
  if (node.attributes.flag("bias")) {
    inference.parameters.push_back({"bias", {.shape = {experts, out}}, ParameterKind::learned, top_k * out});
  }
  return inference;
}

/// One grouped product; counts every row once, whatever the tiles of the last row of each expert are.
KernelSpec grouped_gemm(std::string_view name, const Gemm<Expr>& sizes, const Expr& macs,
                        std::vector<Access> reads, std::vector<Access> writes) {
  KernelSpec kernel = gemm(name, sizes, std::move(reads), std::move(writes));
  kernel.macs = macs;
  return kernel;
}

// As fused kernels do it (vLLM's fused_moe, grouped GEMM of CUTLASS): rows are gathered while they are read,
// only the weights of active experts are. Libraries that loop over the experts launch more and are slower.
std::vector<KernelSpec> kernels_expert_linear(const NodeView& node) {
  const Routing routing = routing_of(node.attributes, node.inputs[1].shape);
  const Expr out = node.outputs[0].shape.back();
  const Expr in = node.inputs[0].shape.back();
  std::vector<Access> reads = whole({Operand::input(0), Operand::input(1)});
  reads.push_back({Operand::parameter(0), routing.active * out * in});
  if (node.parameters.size() > 1) reads.push_back({Operand::parameter(1), routing.active * out});
  KernelSpec kernel =
      grouped_gemm("grouped gemm", {.batch = routing.active, .m = routing.per_expert, .n = out, .k = in},
                   routing.rows * out * in, std::move(reads), whole({Operand::output()}));
  if (node.parameters.size() > 1) kernel.operations = elements(node.outputs[0].shape);
  return {kernel};
}

std::vector<GradientStep> gradient_expert_linear(const NodeView& node) {
  const bool spread = node.attributes.flag("spread");
  const Shape& input = node.inputs[0].shape;
  Shape routed = node.inputs[1].shape;
  routed.push_back(input.back());
  const auto with_experts = [&](const Shape& shape) {
    Attributes attributes = shape_attribute(shape);
    attributes.set("experts", node.attributes.size("experts"));
    return attributes;
  };
  std::vector<GradientStep> steps;
  steps.push_back({.op = "expert_input_gradient",
                   .attributes = with_experts(routed),
                   .operands = {Operand::gradient(), Operand::parameter(0), Operand::input(1)},
                   .targets = {Operand::input(0)}});
  if (spread) {  // the gradients of a row's top_k copies add up
    steps.back().targets = {std::nullopt};
    GradientStep sum{.op = "sum", .operands = {Operand::step(0)}, .targets = {Operand::input(0)}};
    sum.attributes.set("axis", Expr{-2});
    steps.push_back(sum);
  }
  steps.push_back({.op = "expert_weight_gradient",
                   .attributes = with_experts(node.parameters[0].shape),
                   .operands = {Operand::gradient(), Operand::input(0), Operand::input(1)},
                   .targets = {Operand::parameter(0)}});
  if (node.parameters.size() > 1) {
    steps.push_back({.op = "expert_bias_gradient",
                     .attributes = shape_attribute(node.parameters[1].shape),
                     .operands = {Operand::gradient(), Operand::input(1)},
                     .targets = {Operand::parameter(1)}});
  }
  return steps;
}

// dX[row, in] = dY[row, out] W[e, out, in]
std::vector<KernelSpec> kernels_expert_input_gradient(const NodeView& node) {
  const Routing routing = routing_of(node.attributes, node.inputs[2].shape);
  const Expr out = node.inputs[1].shape[1];
  const Expr in = node.inputs[1].shape[2];
  return {grouped_gemm(
      "grouped gemm (input gradient)", {.batch = routing.active, .m = routing.per_expert, .n = in, .k = out},
      routing.rows * out * in,
      {{Operand::input(0), {}}, {Operand::input(1), routing.active * out * in}, {Operand::input(2), {}}},
      whole({Operand::output()}))};
}

// dW[e, out, in] = sum over the rows of e of dY[row, out] X[row, in]; experts without a row get zeros.
std::vector<KernelSpec> kernels_expert_weight_gradient(const NodeView& node) {
  const Routing routing = routing_of(node.attributes, node.inputs[2].shape);
  const Expr out = node.outputs[0].shape[1];
  const Expr in = node.outputs[0].shape[2];
  return {grouped_gemm("grouped gemm (weight gradient)",
                       {.batch = routing.active, .m = out, .n = in, .k = routing.per_expert},
                       routing.rows * out * in, everything_read(node), whole({Operand::output()}))};
}

std::vector<KernelSpec> kernels_expert_bias_gradient(const NodeView& node) {
  return {stream("sum rows by expert", StreamKind::reduction, elements(node.inputs[0].shape), 1,
                 everything_read(node), whole({Operand::output()}))};
}

// y[..., :] = sum over j of w[..., j] x[..., j, :]
Result<Inference> infer_combine(const NodeView& node) {
  if (auto ok = require_rank(node, 0, 2, "[..., top_k, hidden]"); !ok) return tl::unexpected(ok.error());
  const Shape& input = node.inputs[0].shape;
  Inference inference;
  if (auto ok = require_same_shape(inference, node, Shape(input.begin(), input.end() - 1),
                                   node.inputs[1].shape, "the rows are not those that the router has seen");
      !ok) {
    return tl::unexpected(ok.error());
  }
  Shape output(input.begin(), input.end() - 2);
  output.push_back(input.back());
  inference.outputs = {{.type = {.shape = output}}};
  return inference;
}

std::vector<KernelSpec> kernels_combine(const NodeView& node) {
  KernelSpec kernel = stream("weighted sum", StreamKind::reduction, elements(node.inputs[0].shape), 2,
                             everything_read(node), whole({Operand::output()}));
  return {kernel};
}

std::vector<GradientStep> gradient_combine(const NodeView& /*node*/) {
  return {{.op = "combine_backward",
           .operands = {Operand::gradient(), Operand::input(0), Operand::input(1)},
           .targets = {Operand::input(0), Operand::input(1)}}};
}

// dx[..., j, :] = w[..., j] dy, dw[..., j] = dy . x[..., j, :]
Result<Inference> infer_combine_backward(const NodeView& node) {
  return Inference{
      .outputs = {{.type = {.shape = node.inputs[1].shape}}, {.type = {.shape = node.inputs[2].shape}}}};
}

std::vector<KernelSpec> kernels_combine_backward(const NodeView& node) {
  const Expr count = elements(node.inputs[1].shape);
  return {stream("weigh gradient", StreamKind::elementwise, count, 1,
                 whole({Operand::input(0), Operand::input(2)}), whole({Operand::output(0)})),
          stream("weights' gradient", StreamKind::reduction, count, 2,
                 whole({Operand::input(0), Operand::input(1)}), whole({Operand::output(1)}))};
}

constexpr AttributeRule gradient_attributes[] = {
    {"shape", AttributeKind::sizes, true, "of the result"},
    {"experts", AttributeKind::size, false, "how many there are"}};

Operator backward(std::string_view name, int inputs, Result<Inference> (*infer)(const NodeView&),
                  std::vector<KernelSpec> (*kernels)(const NodeView&), CastRule cast = CastRule::low) {
  return {.name = name,
          .least_inputs = inputs,
          .most_inputs = inputs,
          .cast = cast,
          .in_model_files = false,
          .attributes = gradient_attributes,
          .infer = infer,
          .kernels = kernels};
}

}  // namespace

OperatorRows expert_operators() {
  static const Operator rows[] = {
      {.name = "router",
       .summary = "a mixture's router: scores of all experts, their softmax, the weights of the top k",
       .cast = CastRule::low,
       .attributes = router_attributes,
       .infer = infer_router,
       .gradient = gradient_router,
       .kernels = kernels_router},
      {.name = "expert_linear",
       .summary = "a linear layer of each expert; inputs x and the router's result",
       .least_inputs = 2,
       .most_inputs = 2,
       .cast = CastRule::low,
       .layer = true,
       .attributes = expert_attributes,
       .infer = infer_expert_linear,
       .gradient = gradient_expert_linear,
       .kernels = kernels_expert_linear},
      {.name = "combine",
       .summary = "the experts' results [..., top_k, hidden] weighted by the router's and added",
       .least_inputs = 2,
       .most_inputs = 2,
       .infer = infer_combine,
       .gradient = gradient_combine,
       .kernels = kernels_combine},
      backward("router_backward", 3, infer_router_backward, kernels_router_backward, CastRule::widest),
      backward("expert_input_gradient", 3, like_shape_attribute, kernels_expert_input_gradient),
      backward("expert_weight_gradient", 3, like_shape_attribute, kernels_expert_weight_gradient),
      backward("expert_bias_gradient", 2, like_shape_attribute, kernels_expert_bias_gradient,
               CastRule::widest),
      backward("combine_backward", 3, infer_combine_backward, kernels_combine_backward, CastRule::widest),
  };
  return rows;
}

}  // namespace roofcast
