#pragma once
// Text of a given width. A character outside ASCII counts as one column.

#include <string>
#include <string_view>

namespace roofcast {

std::size_t display_width(std::string_view text);

/// Cut to `width` with "..." in place of what was lost.
std::string shortened(const std::string& text, std::size_t width);

/// Broken at spaces into lines of at most `width` columns (0: one line); lines after the first begin with
/// `indent` spaces.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

}  // namespace roofcast
