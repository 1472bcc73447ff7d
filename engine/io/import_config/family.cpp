#include "engine/io/import_config/family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "engine/io/named_file.hpp"
#include "engine/io/read_file.hpp"

namespace roofcast {
namespace {

/// A family's file, read as far as needed to choose among families.
struct Candidate {
  TextFile file{};
  toml::table root{};
  FamilyRules rules{};
};

Result<TextFile> read_file(const std::filesystem::path& path) {
  auto text = read_text(path);
  if (!text) return tl::make_unexpected(text.error());
  return TextFile{path.string(), *std::move(text)};
}

Result<Candidate> read_candidate(TextFile file) {
  auto root = parse_toml(file.text, file.name);
  if (!root) return tl::make_unexpected(root.error());
  Candidate candidate{.file = std::move(file), .root = *std::move(root)};
  Diagnostics problems;
  TableReader reader(candidate.root, candidate.file.name, problems);
  candidate.rules = read_family_rules(reader.table("config", true));
  if (!problems.empty()) return tl::make_unexpected(std::move(problems));
  return candidate;
}

bool equal(const nlohmann::json& value, const toml::node& wanted) {
  if (const auto* number = wanted.as_integer()) return value.is_number_integer() && value == number->get();
  if (const auto* word = wanted.as_string()) return value.is_string() && value == word->get();
  return false;
}

// [config.without_model_type] lists values that only this family's configurations have.
bool recognises(const Candidate& candidate, const Config& config) {
  const toml::table* values = candidate.root["config"]["without_model_type"].as_table();
  if (values == nullptr) return false;
  return std::all_of(values->begin(), values->end(), [&](const auto& entry) {
    const nlohmann::json* value = config.find(entry.first.str());
    return value != nullptr && equal(*value, entry.second);
  });
}

class Search {
 public:
  explicit Search(const std::filesystem::path& folder) : folder_(folder) {}

  // Files are parsed only if they have the word in quotes: there are many families.
  template <class Matches>
  Result<std::optional<Candidate>> first(std::string_view word, const Matches& matches) {
    const std::string quoted = word.empty() ? "without_model_type" : fmt::format("\"{}\"", word);
    for (const std::string& stem : toml_stems(folder_)) {
      auto file = read_file(folder_ / (stem + ".toml"));
      if (!file) return tl::make_unexpected(file.error());
      if (file->text.find(quoted) == std::string::npos) continue;
      auto candidate = read_candidate(*std::move(file));
      if (!candidate) return tl::make_unexpected(candidate.error());
      if (matches(*candidate)) return std::optional{*std::move(candidate)};
    }
    return std::optional<Candidate>{};
  }

  Result<std::optional<Candidate>> by_config(const Config& config) {
    const auto lists = [](const std::vector<std::string>& names, const std::string& name) {
      return std::ranges::find(names, name) != names.end();
    };
    if (const auto type = config.text("model_type")) {
      return first(*type, [&](const Candidate& family) { return lists(family.rules.model_types, *type); });
    }
    for (const char* key : {"_class_name", "architectures[0]"}) {
      const auto name = config.text(key);
      if (!name) continue;
      return first(*name, [&](const Candidate& family) { return lists(family.rules.architectures, *name); });
    }
    return first("", [&](const Candidate& family) { return recognises(family, config); });
  }

  std::vector<std::string> all_names(bool types) {
    std::vector<std::string> names;
    for (const std::string& stem : toml_stems(folder_)) {
      auto file = read_file(folder_ / (stem + ".toml"));
      auto candidate = file ? read_candidate(*std::move(file)) : tl::make_unexpected(file.error());
      if (!candidate) continue;
      const auto& more = types ? candidate->rules.model_types : candidate->rules.architectures;
      names.insert(names.end(), more.begin(), more.end());
    }
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }

 private:
  std::filesystem::path folder_;
};

tl::unexpected<Diagnostics> unknown(Search& search, const Config& config) {
  const Location where{config.file(), 0, 0};
  const auto refuse = [&](std::string_view key, const std::string& name, bool types) {
    const std::vector<std::string> known = search.all_names(types);
    return fail(fmt::format("unknown {} '{}'", key, name), where,
                did_you_mean(name, known, fmt::format("known: {}", fmt::join(known, ", "))));
  };
  if (const auto* type = config.find("model_type"); type != nullptr && !type->is_string()) {
    return fail(fmt::format("'model_type' must be a string, not {}", type_name(*type)), where);
  }
  if (const auto type = config.text("model_type")) return refuse("model_type", *type, true);
  if (const auto name = config.text("_class_name")) return refuse("_class_name", *name, false);
  if (const auto name = config.text("architectures[0]")) return refuse("architecture", *name, false);
  return fail("'model_type' is missing", where,
              fmt::format("known: {}", fmt::join(search.all_names(true), ", ")));
}

Result<Family> opened(const std::filesystem::path& folder, Candidate candidate, const Config& config) {
  Family family{.file = std::move(candidate.file), .config = config};
  for (const std::string& name : candidate.rules.shared) {
    auto shared = read_file(folder / "shared" / (name + ".toml"));
    if (!shared) return tl::make_unexpected(shared.error());
    family.shared.push_back(*std::move(shared));
  }
  const auto type = config.text("model_type");
  const auto note = candidate.root["config"]["notes"][type.value_or("")].value<std::string>();
  if (note) family.notes.push_back(*note);
  return family;
}

}  // namespace

FamilyRules read_family_rules(TableReader table) {
  FamilyRules rules{.model_types = table.texts("model_types"),
                    .architectures = table.texts("architectures"),
                    .shared = table.texts("shared")};
  table.table("without_model_type");
  table.table("notes");
  table.finish();
  return rules;
}

Result<Family> find_family(const std::filesystem::path& folder, const Config& config) {
  Search search(folder);
  auto candidate = search.by_config(config);
  if (!candidate) return tl::make_unexpected(candidate.error());
  if (*candidate) return opened(folder, **std::move(candidate), config);
  for (const char* key : {"text_config", "llm_config", "language_config"}) {
    const auto inner = config.inner(key);
    if (!inner) continue;
    auto family = find_family(folder, *inner);
    if (!family) return family;
    family->notes.push_back(
        fmt::format("only the language model in '{}' is predicted, without what it sees or hears", key));
    return family;
  }
  return unknown(search, config);
}

}  // namespace roofcast
