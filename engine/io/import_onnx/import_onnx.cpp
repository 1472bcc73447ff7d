#include "engine/io/import_onnx/import_onnx.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/io/import_onnx/batch.hpp"
#include "engine/io/import_onnx/importer.hpp"
#include "engine/io/import_onnx/onnx.pb.h"
#include "engine/io/import_onnx/read_model.hpp"

namespace roofcast {
namespace {

bool has_batch(const Graph& graph) {
  return std::ranges::find(graph.symbols, "batch", &Symbol::name) != graph.symbols.end();
}

// Lengths that nobody gives are guessed. A model made for short ones says so by not fitting together.
Result<Graph> import_with_lengths(const onnx::Model& model, const std::string& file,
                                  const OpenOptions& options) {
  onnx::Importer importer(model, file, options);
  auto graph = importer.run();
  if (!graph || !importer.guessed_length() || onnx::consistent(*graph, options.symbols)) return graph;
  for (const std::int64_t length : {64, 16, 8, 4, 2, 1}) {
    auto shorter = onnx::Importer(model, file, options, {.usual_length = length}).run();
    if (shorter && onnx::consistent(*shorter, options.symbols)) return shorter;
  }
  return graph;
}

Result<Graph> import_model(const Result<onnx::Model>& model, const std::string& file,
                           const OpenOptions& options) {
  if (!model) return tl::unexpected(model.error());
  auto graph = import_with_lengths(*model, file, options);
  if (!graph || has_batch(*graph)) return graph;
  const auto size = onnx::leading_size(*graph);
  if (size) {
    auto scaled = onnx::Importer(*model, file, options, {.scaled_batch = size}).run();
    if (scaled && onnx::scales(*scaled, *graph, *size, options.symbols)) {
      scaled->notes.push_back(fmt::format(
          "the file is written for a batch of {}: other sizes scale the first dimension of its inputs",
          *size));
      return scaled;
    }
  }
  onnx::fix_batch(*graph, size.value_or(1));
  return graph;
}

}  // namespace

Result<Graph> import_onnx(const std::filesystem::path& path, const OpenOptions& options) {
  return import_model(onnx::read_model(path), path.string(), options);
}

Result<Graph> import_onnx_bytes(std::string_view bytes, const std::string& file, const OpenOptions& options) {
  return import_model(onnx::parse_model(bytes, file), file, options);
}

}  // namespace roofcast
