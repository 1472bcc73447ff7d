#include "engine/report/format.hpp"

#include <algorithm>

#include "engine/report/csv.hpp"
#include "engine/report/markdown.hpp"
#include "engine/report/table.hpp"

namespace roofcast {

std::span<const Format> formats() {
  static const std::vector<Format> all = {
      {.name = "table", .endings = {".txt"}, .for_people = true, .write = write_table},
      {.name = "csv", .endings = {".csv"}, .write = write_csv},
      {.name = "markdown", .endings = {".md", ".markdown"}, .for_people = true, .write = write_markdown},
      {.name = "json", .endings = {".json"}},
  };
  return all;
}

const Format* find_format(std::string_view name) {
  const auto found = std::ranges::find(formats(), name, &Format::name);
  return found == formats().end() ? nullptr : &*found;
}

const Format* format_of_file(std::string_view file) {
  for (const Format& format : formats()) {
    for (const std::string_view ending : format.endings) {
      if (file.ends_with(ending)) return &format;
    }
  }
  return nullptr;
}

}  // namespace roofcast
