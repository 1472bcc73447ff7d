// The attentions of ONNX and of ONNX Runtime: they differ in how they lay out heads, and in who projects and
// who remembers. All become linear layers, views and one attention.

#include "engine/io/import_onnx/attention.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/io/import_onnx/family.hpp"
#include "engine/io/import_onnx/window.hpp"

namespace roofcast::onnx {
namespace {

// [batch, length, heads * size] -> [batch, heads, length, size]: a view.
Result<OnnxValue> heads_first(Importer& importer, const OnnxNode& node, const OnnxValue& value,
                              const Expr& heads) {
  const Shape split{value.shape[0], value.shape[1], heads, floor_divide(value.shape[2], heads)};
  auto result = importer.with_shape(node, value, split);
  if (!result) return result;
  return importer.permuted(node, *result, {0, 2, 1, 3});
}

// And back.
Result<OnnxValue> heads_last(Importer& importer, const OnnxNode& node, const OnnxValue& value) {
  auto result = importer.permuted(node, value, {0, 2, 1, 3});
  if (!result) return result;
  return importer.with_shape(node, *result,
                             {result->shape[0], result->shape[1], result->shape[2] * result->shape[3]});
}

// Keys or values of the past [batch, heads, length, size] in front of new ones.
Result<OnnxValue> remembered(Importer& importer, const OnnxNode& node, const OnnxValue& past,
                             const OnnxValue& value) {
  if (past.rank() != 4)
    return importer.refuse(node, fmt::format("a past of {} has not four dimensions", to_string(past.shape)));
  if (past.shape[2].is(0)) return value;
  auto before = heads_last(importer, node, past);
  if (!before) return before;
  Attributes attributes;
  attributes.set("axis", Expr{1});
  return importer.emit_one(node, {.op = "concat", .attributes = attributes}, {*before, value});
}

// The keys and values as the node hands them on. What they cost was counted when they were joined; without a
// past they are a view.
Result<OnnxValue> handed_on(Importer& importer, const OnnxNode& node, const OnnxValue& value,
                            const Expr& heads) {
  return heads_first(importer, node, value, heads);
}

Result<Values> split_into(Importer& importer, const OnnxNode& node, const OnnxValue& value, std::size_t axis,
                          const std::vector<Expr>& sizes) {
  Attributes attributes;
  attributes.set("axis", Expr{static_cast<std::int64_t>(axis)});
  attributes.set("sizes", sizes);
  auto parts =
      importer.emit(node, {.op = "split", .attributes = attributes, .outputs = sizes.size()}, {value});
  if (parts) {
    for (OnnxValue& part : *parts) part.strided = true;
  }
  return parts;
}

// A bias of the scores, if it is one that can be told to fit. Masks of one value a key, or of lengths, read
// next to nothing.
Result<std::optional<OnnxValue>> score_bias(Importer& importer, const OnnxNode& node, const OnnxValue& bias,
                                            const Expr& queries, const Expr& keys, bool must_fit) {
  if (bias.rank() < 2 || bias.rank() > 4) return std::optional<OnnxValue>{};
  const Expr& rows = bias.shape[bias.rank() - 2];
  const Expr& columns = bias.shape[bias.rank() - 1];
  const bool fits = (rows == queries || rows.is(1)) && (columns == keys || columns.is(1));
  if (!fits) {
    const auto differs = [](const Expr& a, const Expr& b) {
      return a.is_constant() && b.is_constant() && !(a == b) && !a.is(1);
    };
    if (must_fit && (differs(rows, queries) || differs(columns, keys))) {
      return importer.refuse(node, fmt::format("a bias of {} does not fit {} queries and {} keys",
                                               to_string(bias.shape), to_string(queries), to_string(keys)));
    }
    return std::optional<OnnxValue>{};
  }
  if (bias.rank() != 3) return std::optional{bias};
  auto result = importer.with_shape(node, bias, {bias.shape[0], Expr{1}, rows, columns});
  if (!result) return tl::unexpected(result.error());
  return std::optional{*result};
}

Expr heads_of(const OnnxNode& node, std::string_view attribute, std::int64_t fallback = 1) {
  return Expr{std::max<std::int64_t>(node.integer(attribute, fallback), 1)};
}

// Sizes that the file leaves open are those of heads with 64 values.
void settle_sizes(Importer& importer, const Expr& hidden, const Expr& projected, const Expr& heads) {
  constexpr std::int64_t usual_head = 64;
  constexpr std::int64_t parts = 3;
  importer.settle(hidden, heads.constant() * usual_head);
  importer.settle(projected, heads.constant() * usual_head * parts);
}

}  // namespace

Result<OnnxValue> attend(Importer& importer, const OnnxNode& node, const AttentionParts& parts) {
  Attributes attributes;
  attributes.set("heads", parts.heads);
  if (!(parts.heads == parts.kv_heads)) attributes.set("kv_heads", parts.kv_heads);
  if (parts.causal) attributes.set("causal", true);
  Values inputs{parts.query, parts.key, parts.value};
  if (parts.bias) inputs.push_back(*parts.bias);
  return importer.emit_one(node, {.op = "attention", .attributes = attributes}, inputs);
}

Result<Values> self_attention(Importer& importer, const OnnxNode& node, const OnnxValue& weight,
                              const std::optional<OnnxValue>& projection_bias, std::size_t mask,
                              std::size_t past, std::size_t bias) {
  const OnnxValue& input = node.input(0);
  if (input.rank() != 3 || weight.rank() != 2) {
    return importer.refuse(node, fmt::format("wants [batch, length, hidden] and a matrix, not {} and {}",
                                             to_string(input.shape), to_string(weight.shape)));
  }
  std::vector<Expr> sizes(3, floor_divide(weight.shape[1], Expr{3}));
  if (const auto given = node.integers("qkv_hidden_sizes"); given && given->size() == 3)
    sizes.assign(given->begin(), given->end());
  const Expr heads = heads_of(node, "num_heads");
  settle_sizes(importer, input.shape[2], weight.shape[1], heads);
  auto projected = linear_layer(importer, node, input, weight, projection_bias);
  if (!projected) return tl::unexpected(projected.error());
  auto parts = split_into(importer, node, *projected, 2, sizes);
  if (!parts) return parts;
  OnnxValue key = (*parts)[1];
  OnnxValue value = (*parts)[2];
  if (node.has(past)) {
    const OnnxValue& both = node.input(past);
    if (both.rank() != 5)
      return importer.refuse(node,
                             fmt::format("a past of {} has not five dimensions", to_string(both.shape)));
    auto halves = split_into(importer, node, both, 0, {Expr{1}, Expr{1}});
    if (!halves) return halves;
    const Shape one_of(both.shape.begin() + 1, both.shape.end());
    for (const std::size_t i : {0U, 1U}) {
      auto before = importer.with_shape(node, (*halves)[i], one_of);
      if (!before) return tl::unexpected(before.error());
      auto joined = remembered(importer, node, *before, i == 0 ? key : value);
      if (!joined) return tl::unexpected(joined.error());
      (i == 0 ? key : value) = *joined;
    }
  }
  AttentionParts attention{.query = (*parts)[0],
                           .key = key,
                           .value = value,
                           .heads = heads,
                           .kv_heads = heads,
                           .causal = node.integer("unidirectional") != 0};
  for (const auto& [index, must_fit] : {std::pair{bias, true}, std::pair{mask, false}}) {
    if (!node.has(index) || attention.bias) continue;
    if (!must_fit && node.input(index).rank() < 3) continue;  // lengths, or one value a key
    auto fitting = score_bias(importer, node, node.input(index), input.shape[1], key.shape[1], must_fit);
    if (!fitting) return tl::unexpected(fitting.error());
    attention.bias = *fitting;
  }
  auto result = attend(importer, node, attention);
  if (!result) return tl::unexpected(result.error());
  Values outputs{*result};
  if (node.wants(1)) {
    const Shape present{Expr{2}, key.shape[0], heads, key.shape[1], floor_divide(key.shape[2], heads)};
    auto both = importer.emit_one(
        node, {.op = "opaque", .attributes = result_attributes(present, key.element)}, {key, value});
    if (!both) return tl::unexpected(both.error());
    outputs.push_back(*both);
  }
  return outputs;
}

namespace {

// ---- ONNX's own, from operator set 23 on ----

// Inputs Q, K, V as [batch, heads, length, size] or [batch, length, heads * size], a mask, keys and values of
// the past.
Result<Values> import_standard(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 3); !ok) return tl::unexpected(ok.error());
  const bool split = node.input(0).rank() == 4;
  std::array<OnnxValue, 3> parts;
  for (const std::size_t i : {0U, 1U, 2U}) {
    const OnnxValue& input = node.input(i);
    if (input.rank() != (split ? 4U : 3U))
      return importer.refuse(node, fmt::format("cannot attend with {}", to_string(input.shape)));
    auto part = split ? heads_last(importer, node, input) : Result<OnnxValue>{input};
    if (!part) return tl::unexpected(part.error());
    parts[i] = *part;
  }
  const Expr heads = split ? node.input(0).shape[1] : heads_of(node, "q_num_heads");
  const Expr kv_heads = split ? node.input(1).shape[1] : heads_of(node, "kv_num_heads");
  for (const std::size_t i : {1U, 2U}) {
    if (!node.has(3 + i)) continue;
    auto joined = remembered(importer, node, node.input(3 + i), parts[i]);
    if (!joined) return tl::unexpected(joined.error());
    parts[i] = *joined;
  }
  AttentionParts attention{.query = parts[0],
                           .key = parts[1],
                           .value = parts[2],
                           .heads = heads,
                           .kv_heads = kv_heads,
                           .causal = node.integer("is_causal") != 0};
  const Expr& queries = parts[0].shape[1];
  const Expr& keys = parts[1].shape[1];
  if (node.has(3)) {
    auto bias = score_bias(importer, node, node.input(3), queries, keys, true);
    if (!bias) return tl::unexpected(bias.error());
    attention.bias = *bias;
  }
  auto result = attend(importer, node, attention);
  if (result && split) result = heads_first(importer, node, *result, heads);
  if (!result) return tl::unexpected(result.error());
  Values outputs{*result};
  for (const std::size_t i : {1U, 2U}) {
    auto present = handed_on(importer, node, parts[i], kv_heads);
    if (!present) return tl::unexpected(present.error());
    outputs.push_back(*present);
  }
  if (node.wants(3)) {  // the scores themselves
    auto scores = importer.emit_one(
        node,
        {.op = "opaque",
         .attributes = result_attributes({parts[0].shape[0], heads, queries, keys}, parts[0].element)},
        {*result});
    if (!scores) return tl::unexpected(scores.error());
    outputs.push_back(*scores);
  }
  return outputs;
}

// ---- ONNX Runtime ----

// Inputs: sequence, weight, bias, mask, past, bias of the scores.
Result<Values> import_attention(Importer& importer, const OnnxNode& node) {
  if (node.message().domain().empty() || node.message().domain() == "ai.onnx")
    return import_standard(importer, node);
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  return self_attention(importer, node, node.input(1),
                        node.has(2) ? std::optional{node.input(2)} : std::nullopt, 3, 4, 5);
}

/// Where an operator of ONNX Runtime that gets queries, keys and values has its further inputs.
struct Inputs {
  std::string_view op{};
  std::size_t bias = 0;  ///< of the scores; 0: none
  std::size_t past_key = 0;
  std::size_t past_value = 0;
};

constexpr Inputs inputs_of[] = {{"MultiHeadAttention", 5, 6, 7},
                                {"DecoderMaskedMultiHeadAttention", 4, 5, 6},
                                {"GroupQueryAttention", 10, 3, 4},
                                {"SparseAttention", 0, 3, 4}};

// Queries, keys and values as sequences: each may come with heads of its own, or packed into the first.
Result<Values> unpacked(Importer& importer, const OnnxNode& node, const Expr& heads, const Expr& kv_heads) {
  const OnnxValue& query = node.input(0);
  // [batch, length, heads, 2 or 3, size]
  const auto interleaved = [&](const OnnxValue& value, std::int64_t count) -> Result<Values> {
    auto parts =
        split_into(importer, node, value, 3, std::vector<Expr>(static_cast<std::size_t>(count), Expr{1}));
    if (!parts) return parts;
    for (OnnxValue& part : *parts) {
      auto flat =
          importer.with_shape(node, part, {value.shape[0], value.shape[1], value.shape[2] * value.shape[4]});
      if (!flat) return tl::unexpected(flat.error());
      part = *flat;
    }
    return parts;
  };
  if (query.rank() == 5) return interleaved(query, 3);
  if (query.rank() != 3)
    return importer.refuse(node, fmt::format("cannot attend with {}", to_string(query.shape)));
  const bool has_key = node.has(1) && node.input(1).rank() >= 3;
  if (!has_key) {  // [batch, length, (heads + 2 kv_heads) * size]
    const Expr size = floor_divide(query.shape[2], heads + Expr{2} * kv_heads);
    return split_into(importer, node, query, 2, {heads * size, kv_heads * size, kv_heads * size});
  }
  const OnnxValue& key = node.input(1);
  if (key.rank() == 5) {
    auto parts = interleaved(key, 2);
    if (parts) parts->insert(parts->begin(), query);
    return parts;
  }
  Values parts{query};
  for (const std::size_t i : {1U, 2U}) {
    if (!node.has(i)) return importer.refuse(node, "has keys but no values");
    auto part = node.input(i).rank() == 4 ? heads_last(importer, node, node.input(i))
                                          : Result<OnnxValue>{node.input(i)};
    if (!part) return tl::unexpected(part.error());
    if (part->rank() != 3)
      return importer.refuse(node, fmt::format("cannot attend to {}", to_string(part->shape)));
    parts.push_back(*part);
  }
  return parts;
}

Result<Values> import_multi_head(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const Inputs& at = *std::ranges::find(inputs_of, node.op(), &Inputs::op);
  const Expr heads = heads_of(node, "num_heads");
  const Expr kv_heads = heads_of(node, "kv_num_heads", node.integer("num_heads", 1));
  auto parts = unpacked(importer, node, heads, kv_heads);
  if (!parts) return parts;
  if (node.integer("do_rotary") != 0) {
    for (const std::size_t i : {0U, 1U}) {
      auto rotated = pointwise(importer, node, {(*parts)[i]}, "RotaryEmbedding", (*parts)[i].element, 3);
      if (!rotated) return tl::unexpected(rotated.error());
      (*parts)[i] = *rotated;
    }
  }
  // A buffer for all positions is written in place: the present is as long as the past.
  bool shared = node.op() == "SparseAttention" || node.integer("past_present_share_buffer") != 0;
  if (const auto present = importer.declared_sizes(node, 1);
      present && present->size() == 4 && node.has(at.past_key) && node.input(at.past_key).rank() == 4) {
    shared = shared || (*present)[2] == node.input(at.past_key).shape[2];
  }
  for (const std::size_t i : {1U, 2U}) {
    const std::size_t past = i == 1 ? at.past_key : at.past_value;
    if (!node.has(past)) continue;
    OnnxValue& part = (*parts)[i];
    Result<OnnxValue> joined = part;
    if (shared) {
      auto written = importer.emit_one(node, {.op = "scatter"}, {node.input(past), part});
      joined = written ? heads_last(importer, node, *written) : written;
    } else {
      joined = remembered(importer, node, node.input(past), part);
    }
    if (!joined) return tl::unexpected(joined.error());
    part = *joined;
  }
  AttentionParts attention{.query = (*parts)[0],
                           .key = (*parts)[1],
                           .value = (*parts)[2],
                           .heads = heads,
                           .kv_heads = kv_heads,
                           .causal = node.op() == "GroupQueryAttention" || node.op() == "SparseAttention" ||
                                     node.integer("unidirectional") != 0};
  if (node.has(at.bias) && at.bias != 0) {
    auto bias = score_bias(importer, node, node.input(at.bias), attention.query.shape[1],
                           attention.key.shape[1], true);
    if (!bias) return tl::unexpected(bias.error());
    attention.bias = *bias;
  }
  auto result = attend(importer, node, attention);
  if (!result) return tl::unexpected(result.error());
  Values outputs{*result};
  for (const std::size_t i : {1U, 2U}) {
    if (!node.wants(i)) continue;
    auto present = handed_on(importer, node, (*parts)[i], kv_heads);
    if (!present) return tl::unexpected(present.error());
    outputs.push_back(*present);
  }
  return outputs;
}

// Sequences of all samples one behind the other [tokens, hidden], padded here to [batch, length, hidden] by
// the offsets in input `offsets`.
Result<Values> import_packed(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const bool projects = node.op() == "PackedAttention";
  const std::size_t offsets = projects ? 3 : 4;
  if (!node.has(offsets) || node.input(offsets).rank() != 2 || node.input(0).rank() < 2)
    return importer.refuse(node, "wants [tokens, hidden] and the offset of each token");
  const Shape& padded = node.input(offsets).shape;
  const Expr heads = heads_of(node, "num_heads");
  const Expr& tokens = node.input(0).shape[0];
  Values parts;
  if (projects) {
    if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
    if (node.input(1).rank() != 2) return importer.refuse(node, "wants a matrix of weights");
    settle_sizes(importer, node.input(0).shape.back(), node.input(1).shape[1], heads);
    auto all = linear_layer(importer, node, node.input(0), node.input(1),
                            node.has(2) ? std::optional{node.input(2)} : std::nullopt);
    if (!all) return tl::unexpected(all.error());
    std::vector<Expr> sizes(3, floor_divide(all->shape.back(), Expr{3}));
    if (const auto given = node.integers("qkv_hidden_sizes"); given && given->size() == 3)
      sizes.assign(given->begin(), given->end());
    auto split = split_into(importer, node, *all, 1, sizes);
    if (!split) return split;
    parts = *std::move(split);
  } else if (node.input(0).rank() == 4) {  // [tokens, heads, 3, size]
    const Shape& shape = node.input(0).shape;
    auto split = split_into(importer, node, node.input(0), 2, std::vector<Expr>(3, Expr{1}));
    if (!split) return split;
    for (const OnnxValue& part : *split) {
      auto flat = importer.with_shape(node, part, {tokens, shape[1] * shape[3]});
      if (!flat) return tl::unexpected(flat.error());
      parts.push_back(*flat);
    }
  } else {
    if (auto ok = require_inputs(importer, node, 3); !ok) return tl::unexpected(ok.error());
    parts = {node.input(0), node.input(1), node.input(2)};
  }
  for (OnnxValue& part : parts) {
    auto row = rearranged(importer, node, part, {padded[0], padded[1], part.shape.back()});
    if (!row) return tl::unexpected(row.error());
    part = *row;
  }
  auto result =
      attend(importer, node,
             {.query = parts[0], .key = parts[1], .value = parts[2], .heads = heads, .kv_heads = heads});
  if (!result) return tl::unexpected(result.error());
  return one(rearranged(importer, node, *result, {tokens, result->shape.back()}));
}

// Each token sees a window on both sides and some tokens see all: the full product is an upper bound.
Result<Values> import_longformer(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 3); !ok) return tl::unexpected(ok.error());
  importer.note(fmt::format("'{}' attends within a window of {}: full attention is counted, an upper bound",
                            node.name(), node.integer("window")));
  return self_attention(importer, node, node.input(1), node.input(2), 3, 99, 99);
}

// Queries of one sequence, keys and values of the same or another one, kept from step to step. Everything has
// its length in front: [length, batch, hidden].
Result<Values> import_decoder_attention(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 5); !ok) return tl::unexpected(ok.error());
  const Expr heads = heads_of(node, "num_heads");
  const OnnxValue& query_weight = node.input(2);
  const OnnxValue& both_weight = node.input(3);
  if (node.input(0).rank() != 3 || node.input(1).rank() != 3 || query_weight.rank() != 2 ||
      both_weight.rank() != 2)
    return importer.refuse(node, "wants two sequences and two matrices");
  const Expr hidden = query_weight.shape[1];
  auto query = linear_layer(importer, node, node.input(0), query_weight);
  auto both = linear_layer(importer, node, node.input(1), both_weight);
  if (!query) return tl::unexpected(query.error());
  if (!both) return tl::unexpected(both.error());
  auto halves = split_into(importer, node, *both, 2, {hidden, hidden});
  if (!halves) return halves;
  std::array<OnnxValue, 3> parts{*query, (*halves)[0], (*halves)[1]};
  for (OnnxValue& part : parts) {
    auto turned = importer.permuted(node, part, {1, 0, 2});
    if (!turned) return tl::unexpected(turned.error());
    part = *turned;
  }
  const auto uses_past = node.has(10) ? integers(node.input(10)) : std::nullopt;
  for (const std::size_t i : {1U, 2U}) {
    const std::size_t past = 5 + i;
    if (!node.has(past) || (uses_past && uses_past->size() == 1 && uses_past->front() == 0)) continue;
    auto joined = remembered(importer, node, node.input(past), parts[i]);
    if (!joined) return tl::unexpected(joined.error());
    parts[i] = *joined;
  }
  auto result =
      attend(importer, node,
             {.query = parts[0], .key = parts[1], .value = parts[2], .heads = heads, .kv_heads = heads});
  if (result) result = importer.permuted(node, *result, {1, 0, 2});
  if (!result) return tl::unexpected(result.error());
  Values outputs{*result};
  for (const std::size_t i : {1U, 2U}) {
    if (!node.wants(i)) continue;
    auto present = handed_on(importer, node, parts[i], heads);
    if (!present) return tl::unexpected(present.error());
    outputs.push_back(*present);
  }
  return outputs;
}

// One fused pass over the values; the tables are small.
Result<Values> import_rotary(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  return one(pointwise(importer, node, {node.input(0)}, node.op(), node.input(0).element, 3));
}

// Padding goes: [batch, length, hidden] -> [tokens, hidden], with the offset of each token and where each
// sample starts. At most all tokens stay.
Result<Values> import_remove_padding(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  if (input.rank() != 3) return importer.refuse(node, "wants [batch, length, hidden]");
  importer.note(fmt::format("how many tokens '{}' keeps depends on data: all are counted", node.name()));
  const Expr tokens = input.shape[0] * input.shape[1];
  auto packed = rearranged(importer, node, input, {tokens, input.shape[2]});
  if (!packed) return tl::unexpected(packed.error());
  Values outputs{*packed};
  for (const Shape& shape :
       {Shape{input.shape[0], input.shape[1]}, Shape{input.shape[0] + Expr{1}}, Shape{Expr{1}}}) {
    auto table = importer.emit_one(node,
                                   {.op = "opaque",
                                    .attributes = result_attributes(shape, ElementType::int32),
                                    .element = ElementType::int32},
                                   {node.input(1)});
    if (!table) return tl::unexpected(table.error());
    outputs.push_back(*table);
  }
  return outputs;
}

Result<Values> import_restore_padding(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  const OnnxValue& offsets = node.input(1);
  if (input.rank() != 2 || offsets.rank() != 2)
    return importer.refuse(node, "wants [tokens, hidden] and the offset of each token");
  return one(rearranged(importer, node, input, {offsets.shape[0], offsets.shape[1], input.shape[1]}));
}

}  // namespace

HandlerRows attention_handlers() {
  static const HandlerRow rows[] = {{"Attention", import_attention},
                                    {"DecoderMaskedSelfAttention", import_attention},
                                    {"MultiHeadAttention", import_multi_head},
                                    {"DecoderMaskedMultiHeadAttention", import_multi_head},
                                    {"GroupQueryAttention", import_multi_head},
                                    {"SparseAttention", import_multi_head},
                                    {"PackedAttention", import_packed},
                                    {"PackedMultiHeadAttention", import_packed},
                                    {"LongformerAttention", import_longformer},
                                    {"DecoderAttention", import_decoder_attention},
                                    {"RotaryEmbedding", import_rotary},
                                    {"GemmaRotaryEmbedding", import_rotary},
                                    {"RemovePadding", import_remove_padding},
                                    {"RestorePadding", import_restore_padding}};
  return rows;
}

}  // namespace roofcast::onnx
