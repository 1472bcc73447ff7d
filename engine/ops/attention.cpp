// Scaled dot-product attention as one operator, and rotary position embeddings.

#include "engine/ops/families.hpp"
#include "engine/ops/rules.hpp"

namespace roofcast {
namespace {

using namespace rules;

constexpr AttributeRule attention_attributes[] = {
    {"heads", AttributeKind::size, true, "query heads"},
    {"kv_heads", AttributeKind::size, false, "key and value heads, default as many as query heads"},
    {"causal", AttributeKind::flag, false,
     "a query sees no later keys (default false); queries are the last"},
    {"window", AttributeKind::size, false, "keys that a query sees at most, 0 (default) for all"},
    {"dropout", AttributeKind::number, false,
     "the share of the weights that training drops, 0 (default) for none; what matters is whether it is 0"}};

struct AttentionSizes {
  Expr batch{1}, heads{1}, kv_heads{1}, query_length{1}, key_length{1}, head_size{1}, value_size{1};
  Expr visible{1};  // keys that one query sees at most
  Expr touched{1};  // keys that any of the queries sees
};

AttentionSizes attention_sizes(const NodeView& node) {
  const Shape& q = node.inputs[0].shape;
  const Shape& k = node.inputs[1].shape;
  const Shape& v = node.inputs[2].shape;
  AttentionSizes sizes{.batch = q[0], .heads = node.attributes.size("heads")};
  sizes.kv_heads = node.attributes.size("kv_heads", sizes.heads);
  sizes.query_length = q[1];
  sizes.key_length = k[1];
  sizes.head_size = floor_divide(q[2], sizes.heads);
  sizes.value_size = floor_divide(v[2], sizes.kv_heads);
  sizes.visible = visible_keys(node.attributes.size("window"), sizes.key_length);
  sizes.touched = minimum(sizes.key_length, sizes.visible + sizes.query_length - Expr{1});
  return sizes;
}

// o = softmax(q k^T / sqrt(d) + bias) v, for each head. Inputs are [batch, length, heads * head_size]; the
// optional bias broadcasts to [batch, heads, query length, key length]. The second output is the log-sum-exp
// per query.
Result<Inference> infer_attention(const NodeView& node) {
  for (const int input : {0, 1, 2}) {
    if (node.inputs[static_cast<std::size_t>(input)].shape.size() != 3) {
      return reject(node,
                    fmt::format("input {} must be [batch, length, heads * head_size], not {}", input + 1,
                                to_string(node.inputs[static_cast<std::size_t>(input)].shape)));
    }
  }
  const AttentionSizes sizes = attention_sizes(node);
  const Shape& q = node.inputs[0].shape;
  const Shape& k = node.inputs[1].shape;
  const Shape& v = node.inputs[2].shape;
  Inference inference;
  require_equal(inference, node, modulo(q[2], sizes.heads), Expr{0}, "queries do not divide into 'heads'");
  require_equal(inference, node, modulo(k[2], sizes.kv_heads), Expr{0}, "keys do not divide into 'kv_heads'");
  require_equal(inference, node, modulo(v[2], sizes.kv_heads), Expr{0},
                "values do not divide into 'kv_heads'");
  require_equal(inference, node, modulo(sizes.heads, sizes.kv_heads), Expr{0},
                "'heads' is no multiple of 'kv_heads'");
  require_equal(inference, node, floor_divide(k[2], sizes.kv_heads), sizes.head_size,
                "queries and keys have different head sizes");
  require_equal(inference, node, q[0], k[0], "queries and keys have different batch sizes");
  require_equal(inference, node, k[0], v[0], "keys and values have different batch sizes");
  require_equal(inference, node, k[1], v[1], "keys and values have different lengths");
  if (node.inputs.size() > 3) {
    const Shape scores{sizes.batch, sizes.heads, sizes.query_length, sizes.key_length};
    if (auto ok = broadcast(inference, node, scores, node.inputs[3].shape); !ok)
      return tl::unexpected(ok.error());
  }
  inference.outputs = {{.type = {.shape = {q[0], q[1], sizes.heads * sizes.value_size}}},
                       {.type = {.shape = {q[0], sizes.heads, q[1]}, .dtype = DType::fp32}}};
  return inference;
}

// Per score: the maximum, a subtraction, an exponential, a sum and a division.
constexpr std::int64_t softmax_operations = 5;

// All of the operands, but of keys and values only what some query sees.
std::vector<Access> attention_reads(const NodeView& node, const AttentionSizes& sizes) {
  std::vector<Access> reads = everything_read(node);
  for (const std::size_t input : {1U, 2U}) {
    if (sizes.touched != sizes.key_length)
      reads[input].elements = sizes.batch * sizes.touched * node.inputs[input].shape[2];
  }
  return reads;
}

KernelSpec attention_kernel(const NodeView& node, std::string_view name, Pass pass, std::int64_t products,
                            std::int64_t recomputed) {
  const AttentionSizes sizes = attention_sizes(node);
  // By definition each query meets all keys, or with a window as many keys as it has: what the mask hides at
  // the beginning of a sequence counts, as it does for the causal square.
  const Expr scores = sizes.batch * sizes.heads * sizes.query_length * sizes.visible;
  // Half of the products run over the head size of queries and keys, half over that of values.
  const Expr pair = scores * (sizes.head_size + sizes.value_size);
  return {.name = name,
          .form = Attention<Expr>{.pass = pass,
                                  .batch = sizes.batch,
                                  .heads = sizes.heads,
                                  .kv_heads = sizes.kv_heads,
                                  .query_length = sizes.query_length,
                                  .key_length = sizes.key_length,
                                  .head_size = sizes.head_size,
                                  .window = node.attributes.size("window"),
                                  .causal = node.attributes.flag("causal")},
          .macs = pair * Expr{products / 2},
          .recomputed_macs = scores * sizes.head_size * Expr{recomputed},
          .operations = scores * Expr{softmax_operations},
          .reads = attention_reads(node, sizes)};
}

std::vector<KernelSpec> kernels_attention(const NodeView& node) {
  KernelSpec kernel = attention_kernel(node, "fused attention", Pass::forward, 2, 0);
  kernel.writes = whole({Operand::output(0), Operand::output(1)});
  return {kernel};
}

std::vector<GradientStep> gradient_attention(const NodeView& node) {
  // A mask that selects has no gradient.
  const bool biased = node.inputs.size() > 3 && (!node.inputs[3].dtype || is_floating(*node.inputs[3].dtype));
  GradientStep step{.op = "attention_backward",
                    .attributes = node.attributes,
                    .operands = {Operand::input(0), Operand::input(1), Operand::input(2), Operand::output(0),
                                 Operand::output(1), Operand::gradient(0)},
                    .targets = {Operand::input(0), Operand::input(1), Operand::input(2)}};
  if (biased) {
    step.operands.push_back(Operand::input(3));
    step.targets.emplace_back(Operand::input(3));
  }
  return {step};
}

// dv = P^T do, dP = do v^T, dq = dS k, dk = dS^T q; P is recomputed from q, k and the log-sum-exp (a fifth
// product). Source: Dao, "FlashAttention-2", 2023, algorithm 2.
Result<Inference> infer_attention_backward(const NodeView& node) {
  Inference inference;
  for (const std::size_t input : {0U, 1U, 2U})
    inference.outputs.push_back({.type = {.shape = node.inputs[input].shape}});
  if (node.inputs.size() > 6) inference.outputs.push_back({.type = {.shape = node.inputs[6].shape}});
  return inference;
}

std::vector<KernelSpec> kernels_attention_backward(const NodeView& node) {
  KernelSpec kernel = attention_kernel(node, "fused attention (backward)", Pass::backward, 4, 1);
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    kernel.writes.push_back({Operand::output(static_cast<int>(i)), {}});
  }
  constexpr std::int64_t fp32_bytes = 4;  // dq is accumulated in fp32
  kernel.workspace_bytes = elements(node.inputs[0].shape) * Expr{fp32_bytes};
  return {kernel};
}

// Rotates pairs of values in each head by an angle that grows with the position: x cos + rotate_half(x) sin.
// Source: Su et al., "RoFormer", 2021.
constexpr AttributeRule rotary_attributes[] = {
    {"head_size", AttributeKind::size, true, "values per head; the last dimension is a multiple of it"}};

Result<Inference> infer_rotary(const NodeView& node) {
  if (auto ok = require_rank(node, 0, 3, "[batch, length, heads * head_size]"); !ok)
    return tl::unexpected(ok.error());
  const Shape& shape = node.inputs[0].shape;
  Inference inference{.outputs = {{.type = {.shape = shape}}}};
  require_equal(inference, node, modulo(shape.back(), node.attributes.size("head_size")), Expr{0},
                "the last dimension is no multiple of 'head_size'");
  return inference;
}

// Without fusion: negate and concatenate a half, two products with the cosine and sine tables, a sum.
std::vector<KernelSpec> kernels_rotary(const NodeView& node) {
  const Expr count = elements(node.outputs[0].shape);
  const Access input{Operand::input(0), {}};
  const Access output{Operand::output(), {}};
  return {stream("negate half", StreamKind::elementwise, floor_divide(count, Expr{2}), 1,
                 {{Operand::input(0), floor_divide(count, Expr{2})}},
                 {{Operand::output(), floor_divide(count, Expr{2})}}),
          stream("concatenate halves", StreamKind::copy, count, 0, {input}, {output}),
          stream("multiply by cosine", StreamKind::elementwise, count, 1, {input}, {output}),
          stream("multiply by sine", StreamKind::elementwise, count, 1, {input}, {output}),
          stream("add", StreamKind::elementwise, count, 1, {input, input}, {output})};
}

std::vector<GradientStep> gradient_rotary(const NodeView& node) {
  return {{.op = "rotary",
           .attributes = node.attributes,
           .operands = {Operand::gradient()},
           .targets = {Operand::input(0)}}};
}

}  // namespace

OperatorRows attention_operators() {
  static const Operator rows[] = {
      {.name = "attention",
       .summary = "softmax(q k^T / sqrt(d) + bias) v per head; inputs q, k, v and an optional bias",
       .least_inputs = 3,
       .most_inputs = 4,
       .cast = CastRule::low,
       .attributes = attention_attributes,
       .infer = infer_attention,
       .gradient = gradient_attention,
       .kernels = kernels_attention},
      {.name = "attention_backward",
       .least_inputs = 6,
       .most_inputs = 7,
       .cast = CastRule::low,
       .in_model_files = false,
       .attributes = attention_attributes,
       .infer = infer_attention_backward,
       .kernels = kernels_attention_backward},
      {.name = "rotary",
       .summary = "rotary position embedding of queries or keys",
       .attributes = rotary_attributes,
       .infer = infer_rotary,
       .gradient = gradient_rotary,
       .kernels = kernels_rotary},
  };
  return rows;
}

}  // namespace roofcast
