#include "engine/io/model_variant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "engine/io/file_rules.hpp"
#include "engine/io/import_config/import_config.hpp"
#include "engine/io/model_file.hpp"
#include "engine/io/named_file.hpp"
#include "engine/io/read_file.hpp"
#include "engine/io/toml_reader.hpp"

namespace roofcast {
namespace {

// The tables of a configuration are as good in TOML as in JSON.
std::string as_json(const toml::table& config) {
  std::ostringstream text;
  text << toml::json_formatter{config};
  return text.str();
}

Result<ModelFile> read_base(TableReader& reader, const std::filesystem::path& folder) {
  const std::string name = reader.required_text("variant_of");
  const Location where = reader.where("variant_of");
  const std::vector<std::string> known = toml_stems(folder);
  if (!std::ranges::binary_search(known, name)) {
    return fail(fmt::format("unknown model '{}'", name), where,
                did_you_mean(name, known, "a variant's model lies in the same folder"));
  }
  const std::filesystem::path file = folder / (name + ".toml");
  const auto text = read_text(file);
  if (!text) return tl::unexpected(text.error());
  if (is_variant(*text)) {
    return fail(fmt::format("'{}' is a variant itself", name), where,
                "name the model that it is a variant of");
  }
  return read_model_file(*text, file.string());
}

std::vector<Symbol> read_symbols(TableReader table, const std::string& file) {
  std::vector<Symbol> symbols;
  for (const auto& [key, node] : table.raw()) {
    const std::string name(key.str());
    if (const auto definition = table.size(name))
      symbols.push_back({name, *definition, location_of(node, file)});
  }
  return symbols;
}

Result<Graph> build_variant(const ModelFile& base, const std::vector<Symbol>& redefined,
                            const Bindings& symbols) {
  const auto model = with_symbols(base, redefined);
  if (!model) return tl::unexpected(model.error());
  return build_graph(*model, {.symbols = symbols});
}

}  // namespace

bool is_variant(std::string_view text) {
  if (text.find("[[node]]") != std::string_view::npos) return false;
  const auto root = parse_toml(text, {});
  return root && (root->contains("variant_of") || root->contains("config"));
}

Result<Graph> load_variant(std::string_view text, const std::filesystem::path& path,
                           const std::filesystem::path& families, const Bindings& symbols) {
  const auto root = parse_toml(text, path.string());
  if (!root) return tl::unexpected(root.error());
  Diagnostics problems;
  TableReader reader(*root, path.string(), problems);
  check_schema(reader);
  const std::string name = reader.required_text("name");
  const std::vector<Symbol> redefined = read_symbols(reader.table("symbols"), path.string());
  const bool of_model = reader.has("variant_of");
  const auto base = of_model ? read_base(reader, path.parent_path()) : ModelFile{};
  const toml::table config = of_model ? toml::table{} : reader.table("config").raw();
  reader.finish();
  if (!base) return tl::unexpected(base.error());
  if (!problems.empty()) return tl::unexpected(in_file_order(std::move(problems)));
  auto graph = of_model ? build_variant(*base, redefined, symbols)
                        : import_config(as_json(config), path.string(), families, symbols, redefined);
  if (!graph) return graph;
  graph->name = name;
  graph->file = path.string();
  return graph;
}

}  // namespace roofcast
