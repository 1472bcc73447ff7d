// ai.onnx.ml: linear models, trees, support vectors, encoders. Their coefficients are attributes of the node.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/io/import_onnx/family.hpp"
#include "engine/io/import_onnx/onnx.pb.h"

namespace roofcast::onnx {
namespace {

// A row for each sample: [samples, features], or one sample without the first dimension.
Result<OnnxValue> samples_of(Importer& importer, const OnnxNode& node) {
  const OnnxValue& input = node.input(0);
  if (input.rank() == 2) return input;
  if (input.rank() == 1) return importer.with_shape(node, input, {Expr{1}, input.shape[0]});
  return importer.refuse(node, fmt::format("wants [samples, features], not {}", to_string(input.shape)));
}

// The classes of a node, and whether they are strings.
struct Classes {
  std::int64_t count = 0;
  ElementType element = ElementType::int64;
};

Classes classes_of(const OnnxNode& node) {
  for (const char* name : {"classlabels_int64s", "classlabels_ints"}) {
    if (const auto given = node.integers(name); given && !given->empty())
      return {static_cast<std::int64_t>(given->size())};
  }
  return {static_cast<std::int64_t>(node.texts("classlabels_strings").size()), ElementType::string};
}

std::int64_t length_of(const OnnxNode& node, std::string_view attribute) {
  const auto reals = node.reals(attribute);
  return reals ? static_cast<std::int64_t>(reals->size()) : 0;
}

Result<Values> labelled(Importer& importer, const OnnxNode& node, const OnnxValue& scores,
                        const Classes& classes) {
  auto labels = importer.emit_one(node,
                                  {.op = "reduce",
                                   .attributes = result_attributes({scores.shape[0]}, classes.element),
                                   .element = classes.element},
                                  {scores});
  if (!labels) return tl::unexpected(labels.error());
  return Values{*labels, scores};
}

// Scores [samples, count] after `operations` for each sample.
Result<OnnxValue> scored(Importer& importer, const OnnxNode& node, const OnnxValue& samples,
                         std::int64_t count, std::int64_t operations) {
  Attributes attributes = result_attributes({samples.shape[0], Expr{count}}, ElementType::float32);
  attributes.set("function", std::string(node.op()));
  attributes.set("operations", Expr{std::max<std::int64_t>(operations / count, 1)});
  return importer.emit_one(
      node, {.op = "pointwise", .attributes = attributes, .element = ElementType::float32}, {samples});
}

Result<OnnxValue> linear_scores(Importer& importer, const OnnxNode& node, const OnnxValue& samples,
                                std::int64_t count) {
  Attributes attributes;
  attributes.set("out_features", Expr{count});
  return importer.emit_one(node, {.op = "linear", .attributes = attributes, .element = ElementType::float32},
                           {samples});
}

Result<Values> import_linear(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  auto samples = samples_of(importer, node);
  if (!samples) return tl::unexpected(samples.error());
  if (node.op() == "LinearRegressor") {
    return one(
        linear_scores(importer, node, *samples, std::max<std::int64_t>(node.integer("targets", 1), 1)));
  }
  Classes classes = classes_of(node);
  classes.count = std::max({classes.count, length_of(node, "intercepts"), std::int64_t{1}});
  auto scores = linear_scores(importer, node, *samples, classes.count);
  if (!scores) return tl::unexpected(scores.error());
  return labelled(importer, node, *scores, classes);
}

// How many comparisons a sample takes: in each tree one for each level of a balanced one.
std::int64_t comparisons(const OnnxNode& node) {
  const auto ids = node.integers("nodes_treeids");
  const auto roots = node.integers("tree_roots");
  std::int64_t nodes = ids ? static_cast<std::int64_t>(ids->size()) : 1;
  std::int64_t trees = 1;
  if (ids) trees = static_cast<std::int64_t>(std::set<std::int64_t>(ids->begin(), ids->end()).size());
  if (roots) {
    trees = static_cast<std::int64_t>(roots->size());
    const auto features = node.integers("nodes_featureids");
    nodes = features ? 2 * static_cast<std::int64_t>(features->size()) : trees;
  }
  trees = std::max<std::int64_t>(trees, 1);
  std::int64_t depth = 1;
  for (std::int64_t size = 1; size < nodes / trees; size *= 2) ++depth;
  return trees * depth;
}

Result<Values> import_trees(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  auto samples = samples_of(importer, node);
  if (!samples) return tl::unexpected(samples.error());
  if (node.op() != "TreeEnsembleClassifier") {
    auto scores = scored(importer, node, *samples, std::max<std::int64_t>(node.integer("n_targets", 1), 1),
                         comparisons(node));
    if (scores && node.op() == "TreeEnsemble") scores->element = node.input(0).element;
    return one(std::move(scores));
  }
  Classes classes = classes_of(node);
  classes.count = std::max<std::int64_t>(classes.count, 1);
  auto scores = scored(importer, node, *samples, classes.count, comparisons(node));
  if (!scores) return tl::unexpected(scores.error());
  return labelled(importer, node, *scores, classes);
}

// Each sample is compared with each support vector.
Result<Values> import_support_vectors(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  auto samples = samples_of(importer, node);
  if (!samples) return tl::unexpected(samples.error());
  const std::int64_t operations = 2 * length_of(node, "support_vectors");
  if (node.op() == "SVMRegressor") return one(scored(importer, node, *samples, 1, operations));
  Classes classes = classes_of(node);
  classes.count = std::max<std::int64_t>(classes.count, 1);
  auto scores = scored(importer, node, *samples, classes.count, operations);
  if (!scores) return tl::unexpected(scores.error());
  return labelled(importer, node, *scores, classes);
}

// ---- one pass over the features ----

Result<Values> import_pass(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const ElementType element =
      node.op() == "Scaler" || node.op() == "Normalizer" ? ElementType::float32 : node.input(0).element;
  return one(pointwise(importer, node, {node.input(0)}, node.op(), element, 3));
}

// One value for another: what comes out follows from the attribute that lists it.
Result<Values> import_encoder(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  ElementType element = ElementType::string;
  if (node.has_attribute("values_int64s")) element = ElementType::int64;
  if (node.has_attribute("values_floats")) element = ElementType::float32;
  if (const Tensor* values = node.tensor("values_tensor"))
    element = static_cast<ElementType>(values->data_type());
  const bool old = !node.has_attribute("values_strings") && element == ElementType::string;
  if (old && node.input(0).element == ElementType::string) element = ElementType::int64;
  Attributes attributes = result_attributes(node.input(0).shape, element);
  return one(importer.emit_one(node, {.op = "gather", .attributes = attributes, .element = element},
                               {node.input(0)}));
}

Result<Values> import_one_hot(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const auto numbers = node.integers("cats_int64s");
  const std::size_t count =
      numbers && !numbers->empty() ? numbers->size() : node.texts("cats_strings").size();
  if (count == 0) return importer.refuse(node, "names no categories");
  Shape shape = node.input(0).shape;
  shape.emplace_back(static_cast<std::int64_t>(count));
  return one(importer.emit_one(node,
                               {.op = "gather",
                                .attributes = result_attributes(shape, ElementType::float32),
                                .element = ElementType::float32},
                               {node.input(0)}));
}

// Columns by index.
Result<Values> import_extractor(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  if (input.rank() == 0) return importer.refuse(node, "picks from a scalar");
  Shape shape(input.shape.begin(), input.shape.end() - 1);
  if (shape.empty()) shape.emplace_back(1);
  shape.push_back(elements(node.input(1).shape));
  return one(importer.emit_one(node, {.op = "gather", .attributes = result_attributes(shape, input.element)},
                               {input, node.input(1)}));
}

// All inputs side by side.
Result<Values> import_feature_vector(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  Values parts;
  for (const OnnxValue& input : node.all_inputs()) {
    Shape shape{Expr{1}, elements(input.shape)};
    if (input.rank() >= 2) shape = {input.shape[0], elements(input.shape, 1, input.rank())};
    auto part = importer.with_shape(node, input, shape);
    if (!part) return tl::unexpected(part.error());
    parts.push_back(*part);
  }
  Attributes attributes;
  attributes.set("axis", Expr{1});
  return one(importer.emit_one(
      node, {.op = "concat", .attributes = attributes, .element = ElementType::float32}, parts));
}

// A map for each sample holds the same numbers as the tensor that it is made of.
Result<Values> import_zip(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  return Values{node.input(0)};
}

}  // namespace

HandlerRows classic_handlers() {
  static const HandlerRow rows[] = {{"LinearClassifier", import_linear},
                                    {"LinearRegressor", import_linear},
                                    {"TreeEnsemble", import_trees},
                                    {"TreeEnsembleClassifier", import_trees},
                                    {"TreeEnsembleRegressor", import_trees},
                                    {"SVMClassifier", import_support_vectors},
                                    {"SVMRegressor", import_support_vectors},
                                    {"Scaler", import_pass},
                                    {"Normalizer", import_pass},
                                    {"Imputer", import_pass},
                                    {"Binarizer", import_pass},
                                    {"LabelEncoder", import_encoder},
                                    {"CategoryMapper", import_encoder},
                                    {"OneHotEncoder", import_one_hot},
                                    {"ArrayFeatureExtractor", import_extractor},
                                    {"FeatureVectorizer", import_feature_vector},
                                    {"ZipMap", import_zip}};
  return rows;
}

}  // namespace roofcast::onnx
