#pragma once
// Cells and free text on their way into a format.

#include <string>
#include <string_view>

#include "engine/report/document.hpp"

namespace roofcast {

/// Empty for a missing value; numbers in their raw form.
std::string cell_text(const Cell& cell);

/// For terminals and Markdown: control characters of file names and the like become '?', line ends become
/// spaces.
std::string on_one_line(std::string_view text);

/// A head of two lines on one: "samples/s".
std::string title_on_one_line(const Column& column);

}  // namespace roofcast
