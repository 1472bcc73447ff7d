// Operators on strings. What they cost is bytes; how many strings stay often depends on what they say.

#include <fmt/format.h>

#include <algorithm>

#include "engine/io/import_onnx/family.hpp"

namespace roofcast::onnx {
namespace {

// Drops stop words: at most all strings stay, unless the file says how many.
Result<Values> import_normalizer(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  Shape shape = node.input(0).shape;
  if (!node.texts("stopwords").empty()) {
    const auto given = importer.declared_sizes(node, 0);
    if (given) shape = *given;
    importer.note(fmt::format("how many strings '{}' keeps depends on data: {} counted", node.name(),
                              given ? "as many as the file declares are" : "all are"));
  }
  return one(rearranged(importer, node, node.input(0), shape));
}

// Counts of known sequences of words: as many as the largest index in the file.
Result<Values> import_tf_idf(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  const auto indices = node.integers("ngram_indexes");
  if (!indices || indices->empty() || input.rank() < 1 || input.rank() > 2)
    return importer.refuse(node, "wants words and the indices of their sequences");
  Shape shape(input.shape.begin(), input.shape.end() - 1);
  shape.emplace_back(std::ranges::max(*indices) + 1);
  return one(importer.emit_one(node,
                               {.op = "gather",
                                .attributes = result_attributes(shape, ElementType::float32),
                                .element = ElementType::float32},
                               {input}));
}

Result<Values> import_string_pass(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const ElementType element = node.op() == "RegexFullMatch" ? ElementType::boolean : node.input(0).element;
  return one(pointwise(importer, node, node.all_inputs(), node.op(), element));
}

// Each string becomes as many as the longest one has words: only the file can say.
Result<Values> import_splitter(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  Shape shape = input.shape;
  if (const auto given = importer.declared_sizes(node, 0)) {
    shape = *given;
  } else {
    shape.push_back(importer.new_symbol(node.name() + "_words", 16));
    importer.note(fmt::format("how many words '{}' finds depends on data: set it with --set {}=N",
                              node.name(), to_string(shape.back())));
  }
  auto words = importer.emit_one(
      node, {.op = "gather", .attributes = result_attributes(shape, input.element)}, {input});
  if (!words) return tl::unexpected(words.error());
  Values outputs{*words};
  if (node.wants(1)) {
    auto counts = pointwise(importer, node, {input}, node.op(), ElementType::int64);
    if (!counts) return tl::unexpected(counts.error());
    outputs.push_back(*counts);
  }
  return outputs;
}

}  // namespace

HandlerRows text_handlers() {
  static const HandlerRow rows[] = {
      {"StringNormalizer", import_normalizer}, {"TfIdfVectorizer", import_tf_idf},
      {"StringConcat", import_string_pass},    {"RegexFullMatch", import_string_pass},
      {"StringSplit", import_splitter},        {"Tokenizer", import_splitter}};
  return rows;
}

}  // namespace roofcast::onnx
