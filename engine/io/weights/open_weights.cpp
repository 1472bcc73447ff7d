#include "engine/io/weights/open_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "engine/io/import_config/import_config.hpp"
#include "engine/io/read_file.hpp"
#include "engine/io/weights/ggml_types.hpp"
#include "engine/io/weights/gguf.hpp"
#include "engine/io/weights/gguf_config.hpp"
#include "engine/io/weights/safetensors.hpp"

namespace roofcast {
namespace {

std::string first_problem(const Diagnostics& problems) {
  const Diagnostic& problem = problems.front();
  return fmt::format("'{}' {}", problem.where.file, problem.message);
}

// A part of a model stands for all of it if the index lies beside it.
std::filesystem::path whole_of(const std::filesystem::path& path) {
  if (path.filename().string().find("-of-") == std::string::npos) return path;
  return safetensors_beside(path.parent_path()).value_or(path);
}

// "model.safetensors" says nothing; the folder does.
std::string name_of(const std::filesystem::path& path) {
  const std::string file = path.filename().string();
  if (!file.starts_with("model.") && !file.starts_with("model-")) return path.stem().string();
  const std::string folder = std::filesystem::path(path).lexically_normal().parent_path().filename().string();
  return folder.empty() || folder == "." || folder == ".." ? path.stem().string() : folder;
}

// The type that takes most bytes is the model's; exact bytes account for the others.
void set_stored_format(Graph& graph) {
  if (graph.stored_weights->bytes_by_dtype.empty()) return;
  const std::string& name = graph.stored_weights->bytes_by_dtype.front().first;
  const auto type = std::ranges::find(ggml_types(), name, &GgmlType::name);
  if (type == ggml_types().end() || type->block <= 1) return;
  graph.stored = block_format(name, type->block, type->bytes);
  if (!graph.stored) {
    graph.notes.push_back(fmt::format(
        "its weights are stored as {}, for which there is no precision here: they are predicted in the one "
        "that is asked for",
        name));
  }
}

}  // namespace

Result<Graph> open_gguf(const DataFolder& data, const std::filesystem::path& path,
                        const OpenOptions& options) {
  auto model = read_gguf_model(path);
  if (!model) return tl::make_unexpected(model.error());
  const auto config = gguf_config(model->header);
  if (!config) return tl::make_unexpected(config.error());
  auto graph = import_config(*config, path.string(), data.families(), options.symbols);
  if (!graph) return graph;
  graph->stored_weights = std::move(model->weights);
  if (graph->stored_weights) set_stored_format(*graph);
  graph->notes.insert(graph->notes.end(), model->notes.begin(), model->notes.end());
  return graph;
}

Result<Graph> open_safetensors(const DataFolder& data, const std::filesystem::path& path,
                               const OpenOptions& options) {
  auto weights = read_safetensors(whole_of(path));
  if (!weights) return tl::make_unexpected(weights.error());
  const std::filesystem::path config = path.parent_path() / "config.json";
  Graph graph{.name = name_of(path), .file = path.string()};
  if (is_there(config)) {
    const auto text = read_text(config);
    if (!text) return tl::make_unexpected(text.error());
    auto described = import_config(*text, config.string(), data.families(), options.symbols);
    if (!described) return described;
    graph = *std::move(described);
  } else {
    graph.notes.emplace_back(
        "no config.json lies beside the file: its weights can be shown, but nothing can be predicted");
  }
  graph.stored_weights = *std::move(weights);
  return graph;
}

Graph with_weights_beside(Graph graph, const std::filesystem::path& config) {
  if (config.filename() != "config.json") return graph;  // any other name may be one of many in its folder
  const auto path = safetensors_beside(config.parent_path());
  if (!path) return graph;
  auto weights = read_safetensors(*path);
  if (weights) {
    graph.stored_weights = *std::move(weights);
  } else {
    graph.notes.push_back(fmt::format("the weights beside the configuration cannot be read: {}",
                                      first_problem(weights.error())));
  }
  return graph;
}

}  // namespace roofcast
