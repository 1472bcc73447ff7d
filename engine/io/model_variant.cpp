#include "engine/io/model_variant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "engine/graph/symbol_order.hpp"
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

// Redefines symbols of `model`; what they are must exist already.
void redefine(ModelFile& model, TableReader table, const std::string& file, Diagnostics& problems) {
  std::map<std::string, Symbol> symbols;
  std::vector<std::string> names;
  for (const Symbol& symbol : model.symbols) {
    symbols[symbol.name] = symbol;
    names.push_back(symbol.name);
  }
  const std::size_t before = problems.size();
  for (const auto& [key, node] : table.raw()) {
    const std::string name(key.str());
    const Location where = location_of(node, file);
    const auto definition = table.size(name);
    if (!symbols.contains(name)) {
      problems.push_back({where, fmt::format("'{}' has no symbol '{}'", model.name, name),
                          did_you_mean(name, names, "a variant redefines symbols of its model")});
      continue;
    }
    if (!definition) continue;
    for (const std::string& used : definition->symbols()) {
      if (symbols.contains(used)) continue;
      problems.push_back({where, fmt::format("unknown symbol '{}'", used), did_you_mean(used, names)});
    }
    symbols[name] = {name, *definition, where};
  }
  if (problems.size() != before) return;
  if (auto sorted = order_symbols(symbols)) {
    model.symbols = *std::move(sorted);
  } else {
    problems.insert(problems.end(), sorted.error().begin(), sorted.error().end());
  }
}

Result<Graph> load_of_model(TableReader& reader, const std::filesystem::path& path, Diagnostics& problems,
                            const Bindings& symbols) {
  auto model = read_base(reader, path.parent_path());
  if (!model) return tl::unexpected(model.error());
  redefine(*model, reader.table("symbols", true), path.string(), problems);
  reader.finish();
  if (!problems.empty()) return tl::unexpected(in_file_order(problems));
  return build_graph(*model, {.symbols = symbols});
}

Result<Graph> load_of_family(TableReader& reader, const std::filesystem::path& path, Diagnostics& problems,
                             const std::filesystem::path& families, const Bindings& symbols) {
  const toml::table& config = reader.table("config", true).raw();
  reader.finish();
  if (!problems.empty()) return tl::unexpected(in_file_order(problems));
  return import_config(as_json(config), path.string(), families, symbols);
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
  auto graph = reader.has("variant_of") ? load_of_model(reader, path, problems, symbols)
                                        : load_of_family(reader, path, problems, families, symbols);
  if (!graph) return graph;
  graph->name = name;
  graph->file = path.string();
  return graph;
}

}  // namespace roofcast
