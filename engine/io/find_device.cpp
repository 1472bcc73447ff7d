// Which card of the database a name means.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "engine/io/data_folder.hpp"
#include "engine/io/device_key.hpp"
#include "engine/io/load_device.hpp"
#include "engine/io/named_file.hpp"
#include "engine/io/read_file.hpp"

namespace roofcast {
namespace {

// The strings in quotes and the bare keys before the first table that describes the card: among them its name
// and aliases. A scan, not a parser: it may find too much, and then the parsed file decides.
std::vector<std::string> quick_names(std::string_view text) {
  text = text.substr(0, text.find("\n[compute]"));
  std::vector<std::string> names;
  std::string word;
  char quote = '\0';
  for (const char letter : text) {
    const bool is_quote = letter == '"' || letter == '\'';
    const bool ends_word = letter == '\n' || (quote != '\0' ? letter == quote : is_quote || letter == '=');
    if (!ends_word) {
      word += letter;
      continue;
    }
    if (!word.empty()) names.push_back(word);
    word.clear();
    quote = quote == '\0' && is_quote ? letter : '\0';
  }
  return names;
}

bool could_be(std::string_view text, const std::string& key) {
  return std::ranges::any_of(quick_names(text),
                             [&](const std::string& name) { return device_key(name) == key; });
}

// Whether it is worth suggesting: names of cards have a number in them, and are no sentences.
bool looks_like_name(std::string_view word) {
  return word.size() < 40 && word.find_first_of("0123456789") != std::string_view::npos &&
         word.find_first_of("#,;") == std::string_view::npos;
}

std::string trimmed(std::string_view word) {
  const auto first = word.find_first_not_of(' ');
  return first == std::string_view::npos
             ? std::string{}
             : std::string(word.substr(first, word.find_last_not_of(' ') + 1 - first));
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

bool is_exactly(const Device& device, const std::string& key) {
  return device_key(device.name) == key || std::ranges::any_of(device.aliases, [&](const std::string& alias) {
           return device_key(alias) == key;
         });
}

std::string assumption_for(const Device& device, const std::string& key) {
  for (const auto& [alias, sentence] : device.assumed_aliases) {
    if (device_key(alias) == key) return sentence;
  }
  return {};
}

}  // namespace

Result<FoundDevice> DataFolder::find_in_database(const std::string& name) const {
  const std::string key = device_key(name);
  const std::vector<std::string> slugs = devices();
  for (const std::string& slug : slugs) {
    if (key.empty() || device_key(slug) != key) continue;
    auto found = device(slug);
    if (!found) return tl::make_unexpected(found.error());
    return FoundDevice{*std::move(found), {}};
  }

  std::vector<FoundDevice> assumed;
  std::vector<std::string> known = slugs;  // for the suggestion
  for (const std::string& slug : slugs) {
    const std::filesystem::path file = root_ / "hardware_db" / "gpus" / (slug + ".toml");
    const auto text = read_text(file);
    if (!text) return tl::make_unexpected(text.error());
    if (key.empty() || !could_be(*text, key)) {
      for (const std::string& word : quick_names(*text)) {
        if (looks_like_name(word)) known.push_back(lower_case(trimmed(word)));
      }
      continue;
    }
    auto loaded = load_device(*text, file.string());
    if (!loaded) return tl::make_unexpected(loaded.error());
    if (is_exactly(*loaded, key)) return FoundDevice{*std::move(loaded), {}};
    if (std::string note = assumption_for(*loaded, key); !note.empty()) {
      assumed.push_back({*std::move(loaded), std::move(note)});
    }
  }
  if (!assumed.empty()) return assumed.front();

  const std::string guess = did_you_mean(lower_case(name), known);
  return fail(fmt::format("unknown card '{}'", name), {},
              fmt::format("{}{}`simulate list hw` prints them all", guess, guess.empty() ? "" : " "));
}

}  // namespace roofcast
