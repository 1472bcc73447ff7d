// softmax(q k^T * scale + bias) v, the product, the softmax and the second product as operators of their own.
// Source: Vaswani et al., "Attention Is All You Need", 2017.

#include <algorithm>

#include "engine/io/import_onnx/patterns/attention_operands.hpp"
#include "engine/io/import_onnx/patterns/attention_scores.hpp"
#include "engine/io/import_onnx/patterns/patterns.hpp"
#include "engine/ops/rules.hpp"

namespace roofcast::onnx {
namespace {

Shape leading(const Shape& shape) {
  return Shape(shape.begin(), shape.end() - 2);
}

/// A matrix of a product: [..., length, size], or with `turned` [..., size, length].
struct Matrix {
  ValueId value = no_value;
  bool turned = false;
  Expr length{1};
  Expr size{1};
};

Matrix matrix(const Rewriter& graph, ValueId value, bool turned) {
  const Shape shape = graph.shape(value);
  return {.value = value,
          .turned = turned,
          .length = from_end(shape, turned ? 1 : 2),
          .size = from_end(shape, turned ? 2 : 1)};
}

class Fusion {
 public:
  Fusion(Rewriter& graph, Scores scores, Weighted weighted)
      : graph_(graph), scores_(std::move(scores)), weighted_(weighted), views_(graph, weighted.product) {}

  bool run() {
    if (!read_operands() || !std::ranges::all_of(scores_.biases, [&](const Bias& b) { return fits(b); }))
      return false;
    std::vector<ValueId> inputs{side_by_side(by_head(query_, true))};
    ValueId keys = by_head(key_, true);
    ValueId values = by_head(value_, false);
    Expr kv_heads = sizes_.heads;
    const auto fewer_keys = unrepeated(views_, keys, 1);
    const auto fewer_values = fewer_keys ? unrepeated(views_, values, 1) : std::nullopt;
    if (fewer_values && fewer_keys->heads == fewer_values->heads) {
      keys = views_.without_copies(fewer_keys->value, true);
      values = views_.without_copies(fewer_values->value, false);
      kv_heads = fewer_keys->heads;
    }
    inputs.push_back(side_by_side(keys));
    inputs.push_back(side_by_side(values));
    if (!scores_.biases.empty()) inputs.push_back(joint_bias());
    Attributes attributes;
    attributes.set("heads", sizes_.heads);
    if (kv_heads != sizes_.heads) attributes.set("kv_heads", kv_heads);
    const ValueId result =
        graph_.add(weighted_.product, "attention", std::move(attributes), std::move(inputs));
    const ValueId before = graph_.node(weighted_.product).outputs.front();
    continue_from(views_, before, as_before(result, graph_.shape(before)));
    views_.drop_unread();
    return true;
  }

 private:
  bool read_operands() {
    const roofcast::Node first = graph_.node(scores_.product);
    const roofcast::Node second = graph_.node(weighted_.product);
    const Shape shape = graph_.shape(first.outputs.front());
    const Shape result = graph_.shape(second.outputs.front());
    for (const roofcast::Node* product : {&first, &second}) {  // a matrix that serves a whole batch
      if (graph_.shape(product->inputs[0]).size() != graph_.shape(product->inputs[1]).size()) return false;
    }
    query_ = matrix(graph_, first.inputs[0], first.attributes.flag("transpose_a"));
    key_ = matrix(graph_, first.inputs[1], !first.attributes.flag("transpose_b"));
    value_ = weighted_.turned ? matrix(graph_, second.inputs[0], !second.attributes.flag("transpose_a"))
                              : matrix(graph_, second.inputs[1], second.attributes.flag("transpose_b"));
    const Expr all = elements(leading(shape));
    if (elements(leading(result)) != all || value_.length != key_.length) return false;
    // Where the heads are told from the batch: in the scores, else in what came before or comes after.
    if (shape.size() > 4 || result.size() > 4) {
      sizes_ = {.batch = all};
      if (scores_.sizes && scores_.sizes->batch * scores_.sizes->heads == all) sizes_ = *scores_.sizes;
    } else if (scores_.sizes) {
      sizes_ = *scores_.sizes;
    } else if (result.size() == 4) {
      sizes_ = {.batch = result[0], .heads = result[1]};
    } else {
      sizes_ = {.batch = all};
      if (const auto found = shape.size() == 3 ? batch_and_heads(graph_, query_.value) : std::nullopt)
        sizes_ = *found;
    }
    return sizes_.batch * sizes_.heads == all;
  }

  // [batch, heads, length, size]
  ValueId by_head(const Matrix& matrix, bool scaled) {
    const Shape shape = matrix.turned ? Shape{sizes_.batch, sizes_.heads, matrix.size, matrix.length}
                                      : Shape{sizes_.batch, sizes_.heads, matrix.length, matrix.size};
    const ValueId value = views_.reshaped(views_.without_copies(matrix.value, scaled), shape);
    return matrix.turned ? views_.permuted(value, {0, 1, 3, 2}) : value;
  }

  // As `attention` has it: [batch, length, heads * size].
  ValueId side_by_side(ValueId value) {
    const Shape shape = graph_.shape(value);
    if (!shape[1].is(1)) value = views_.permuted(value, {0, 2, 1, 3});
    return views_.reshaped(value, {shape[0], shape[2], shape[1] * shape[3]});
  }

  // What `attention` gives, as the product with the values gave it.
  ValueId as_before(ValueId value, const Shape& wanted) {
    const auto& [batch, heads] = sizes_;
    if (heads.is(1)) {
      value = views_.reshaped(value, {batch, Expr{1}, query_.length, value_.size});
    } else {
      value = views_.reshaped(value, {batch, query_.length, heads, value_.size});
      value = views_.permuted(value, {0, 2, 1, 3});
    }
    if (weighted_.turned) value = views_.permuted(value, {0, 1, 3, 2});
    return views_.reshaped(value, wanted);
  }

  /// The shape of a bias, with ones in front, against that of the scores there.
  Shape padded(const Bias& bias) const {
    Shape shape = graph_.shape(bias.value);
    const std::size_t missing = bias.scores.size() - std::min(bias.scores.size(), shape.size());
    shape.insert(shape.begin(), missing, Expr{1});
    return shape;
  }

  static bool all_ones(const Shape& shape) {
    return std::ranges::all_of(shape, [](const Expr& size) { return size.is(1); });
  }

  // Where the scores have more dimensions than [batch, heads, queries, keys], the last of them are the heads.
  bool folds_batch(const Shape& leads) const {
    const bool has_heads = leads.size() > 1 && leads.back() == sizes_.heads;
    return has_heads ? elements(leads, 0, leads.size() - 1) == sizes_.batch
                     : sizes_.heads.is(1) && elements(leads) == sizes_.batch;
  }

  bool fits(const Bias& bias) const {
    const Shape shape = padded(bias);
    if (shape.size() != bias.scores.size()) return false;
    for (std::size_t i = 1; i <= shape.size(); ++i) {
      if (!from_end(shape, i).is(1) && !may_be_equal(from_end(shape, i), from_end(bias.scores, i)))
        return false;
    }
    const Shape leads = leading(bias.scores);
    if (all_ones(leading(shape)) || folds_batch(leads)) return true;
    return leads.size() == 1 && leads[0] == sizes_.batch * sizes_.heads;
  }

  // [batch or 1, heads or 1, queries or 1, keys or 1]. Needs: it fits.
  ValueId by_head(const Bias& bias) {
    Shape shape = padded(bias);
    ValueId value = views_.reshaped(bias.value, shape);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (!shape[i].is(1)) shape[i] = bias.scores[i];
    }
    const Expr queries = from_end(shape, 2);
    const Expr keys = from_end(shape, 1);
    const Shape leads = leading(bias.scores);
    if (all_ones(leading(shape))) {
      return views_.reshaped(views_.expanded(value, shape), {Expr{1}, Expr{1}, queries, keys});
    }
    if (!folds_batch(leads)) {  // [batch * heads, queries, keys]
      return views_.reshaped(views_.expanded(value, shape), {sizes_.batch, sizes_.heads, queries, keys});
    }
    const bool has_heads = leads.size() > 1 && leads.back() == sizes_.heads;
    const std::size_t folded = has_heads ? leads.size() - 1 : leads.size();
    const Expr heads = has_heads ? shape[folded] : Expr{1};
    const bool has_batch =
        !all_ones(Shape(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(folded)));
    for (std::size_t i = 0; has_batch && i < folded; ++i) shape[i] = leads[i];
    value = views_.expanded(value, shape);
    return views_.reshaped(value, {has_batch ? sizes_.batch : Expr{1}, heads, queries, keys});
  }

  // Several are added up, or what one selects is taken of the other, before the scores see them.
  ValueId joint_bias() {
    ValueId joint = by_head(scores_.biases.front());
    for (std::size_t i = 1; i < scores_.biases.size(); ++i) {
      const ValueId next = by_head(scores_.biases[i]);
      Shape shape = graph_.shape(joint);
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis].is(1)) shape[axis] = graph_.shape(next)[axis];
      }
      const bool selects = !graph_.is_real(joint) || !graph_.is_real(next);
      Attributes attributes = rules::shape_attribute(shape);
      attributes.set("function", std::string(selects ? "Where" : "Add"));
      joint = graph_.add(weighted_.product, "pointwise", std::move(attributes), {joint, next});
    }
    return joint;
  }

  Rewriter& graph_;
  Scores scores_;
  Weighted weighted_;
  Views views_;
  Matrix query_{}, key_{}, value_{};
  BatchAndHeads sizes_{};
};

}  // namespace

int fuse_attention(Rewriter& graph) {
  int count = 0;
  const int nodes = graph.size();
  for (int index = 0; index < nodes; ++index) {
    // The importer names the axis only where it is not the last.
    if (!graph.is(index, "softmax") || graph.node(index).attributes.has("axis")) continue;
    const RegionId region = graph.node(index).region;
    auto scores = scores_behind(graph, graph.node(index).inputs.front(), region);
    if (!scores) continue;
    const auto weighted = product_after(graph, graph.node(index).outputs.front(), region);
    if (weighted && Fusion(graph, *std::move(scores), *weighted).run()) ++count;
  }
  return count;
}

}  // namespace roofcast::onnx
