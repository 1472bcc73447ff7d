// Keys and values of earlier tokens, kept so that generating a token does not compute them again.

#include "engine/ops/families.hpp"
#include "engine/ops/rules.hpp"

namespace roofcast {
namespace {

using namespace rules;

constexpr AttributeRule cache_attributes[] = {
    {"past", AttributeKind::size, true, "tokens that are in the cache already"},
    {"cached", AttributeKind::size, false,
     "1 (default) keeps a cache; 0 passes the input on, as in training"},
    {"window", AttributeKind::size, false, "tokens that the cache keeps at most, 0 (default) for all"}};

struct CacheSizes {
  Expr batch{1}, added{1}, width{1}, past{0}, cached{1};
};

CacheSizes cache_sizes(const NodeView& node) {
  const Shape& input = node.inputs[0].shape;
  return {.batch = input[0],
          .added = input[1],
          .width = input[2],
          .past = node.attributes.size("past"),
          .cached = node.attributes.size("cached", Expr{1})};
}

// [batch, new, width] -> [batch, past + new, width]. The result is a view. Where there is a cache it is one
// into the cache: the new rows are written to their place in a tensor that has room for all of them (vLLM's
// paged cache and the StaticCache of Hugging Face transformers do so; a DynamicCache copies the old rows as
// well). Without a cache it is the input itself, so that gradients pass. Because which of both it is depends
// on a symbol, the view is always counted as one of the input: with a cache the new rows stay alive until
// attention has read them, which is a little more memory than needed.
//
// The cache has 0 or 1 times `batch` sequences, each of past + new tokens or as many as its window has: a
// server that reserves room for longer ones (or whole blocks of tokens) takes more.
Result<Inference> infer_kv_cache(const NodeView& node) {
  const Shape& input = node.inputs[0].shape;
  if (input.size() != 3) {
    return reject(node, fmt::format("the input must be [batch, length, width], not {}", to_string(input)));
  }
  const CacheSizes sizes = cache_sizes(node);
  const Expr length = sizes.past + sizes.added;
  Inference inference;
  require_equal(inference, node, sizes.cached * sizes.cached, sizes.cached, "'cached' is neither 0 nor 1");
  require_equal(inference, node, sizes.cached * sizes.past, sizes.past, "'past' needs 'cached = 1'");
  inference.outputs = {{.type = {.shape = {sizes.batch, length, sizes.width}, .dtype = node.inputs[0].dtype},
                        .alias = Operand::input(0)}};
  const Expr kept = visible_keys(node.attributes.size("window"), length);
  inference.parameters = {
      {"cache", {.shape = {sizes.cached * sizes.batch, kept, sizes.width}}, ParameterKind::cache}};
  return inference;
}

// No launch without a cache.
std::vector<KernelSpec> kernels_kv_cache(const NodeView& node) {
  const Expr added = elements(node.inputs[0].shape);
  KernelSpec kernel = stream("write to cache", StreamKind::copy, added, 0, whole({Operand::input(0)}),
                             {{Operand::parameter(0), added}});
  kernel.count = node.attributes.size("cached", Expr{1});
  return {kernel};
}

// Only without a cache: with past tokens the sizes differ, and the constraint of `reshape` says so.
std::vector<GradientStep> gradient_kv_cache(const NodeView& node) {
  return {{.op = "reshape",
           .attributes = shape_attribute(node.inputs[0].shape),
           .operands = {Operand::gradient()},
           .targets = {Operand::input(0)}}};
}

}  // namespace

OperatorRows kv_cache_operators() {
  static const Operator rows[] = {
      {.name = "kv_cache",
       .summary =
           "keys or values of past tokens with the new ones behind them; keeps them for the next token",
       .attributes = cache_attributes,
       .infer = infer_kv_cache,
       .gradient = gradient_kv_cache,
       .kernels = kernels_kv_cache},
  };
  return rows;
}

}  // namespace roofcast
