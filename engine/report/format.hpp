#pragma once
// The formats of a report, in one list.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/report/document.hpp"

namespace roofcast {

/// What only a terminal can tell.
struct Style {
  int width = 80;  ///< 0: as wide as it gets
  bool colour = false;
};

struct Format {
  std::string_view name{};
  std::vector<std::string_view> endings{};
  bool for_people = false;  ///< wants the document for people, not the raw rows
  /// Null for JSON, which is written from the values themselves.
  std::string (*write)(const Document&, const Style&) = nullptr;
};

/// table, csv, markdown, json.
std::span<const Format> formats();
const Format* find_format(std::string_view name);
/// By the ending of a file's name; null if it is none of ours.
const Format* format_of_file(std::string_view file);

}  // namespace roofcast
