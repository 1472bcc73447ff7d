#include "engine/io/import_config/import_config.hpp"

#include <fmt/format.h>

#include "engine/io/import_config/config.hpp"
#include "engine/io/import_config/family.hpp"
#include "engine/io/import_config/quantization.hpp"
#include "engine/io/model_file.hpp"

namespace roofcast {
namespace {

// Most files are called config.json; then the folder says more.
std::string name_of(const Config& config, const std::string& file) {
  constexpr std::size_t longest = 100;
  const auto given = config.text("_name_or_path");
  if (given && !given->empty() && given->size() <= longest) return *given;
  const std::filesystem::path path = std::filesystem::path(file).lexically_normal();
  if (path.stem() != "config") return path.stem().string();
  const std::string folder = path.parent_path().filename().string();
  return folder.empty() || folder == "." || folder == ".." ? config.text("model_type").value_or("config")
                                                           : folder;
}

// A format that nobody knows leaves the model's sizes as they are, so it is no reason to refuse.
void set_stored_format(Graph& graph, const Config& config) {
  const auto quantization = read_quantization(config);
  if (!quantization) return;
  auto stored = stored_format(*quantization);
  if (stored) {
    graph.stored = *std::move(stored);
  } else {
    graph.notes.push_back(
        fmt::format("its quantization_config is not followed: {}", stored.error().front().message));
  }
}

}  // namespace

Result<Graph> import_config(std::string_view text, const std::string& file,
                            const std::filesystem::path& families, const Bindings& symbols,
                            const std::vector<Symbol>& redefined) {
  const auto config = Config::parse(text, file);
  if (!config) return tl::unexpected(config.error());
  const auto family = find_family(families, *config);
  if (!family) return tl::unexpected(family.error());
  auto model = read_model_file(family->file.text, family->file.name,
                               {.config = &family->config, .shared = family->shared});
  if (model && !redefined.empty()) model = with_symbols(*std::move(model), redefined);
  if (!model) return tl::unexpected(model.error());
  auto graph = build_graph(*model, {.symbols = symbols});
  if (!graph) return graph;
  graph->name = name_of(*config, file);
  graph->file = file;
  set_stored_format(*graph, *config);
  graph->notes.insert(graph->notes.end(), family->notes.begin(), family->notes.end());
  return graph;
}

}  // namespace roofcast
