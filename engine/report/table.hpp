#pragma once
// Plain text for people at a terminal.

#include <string>

#include "engine/report/document.hpp"
#include "engine/report/format.hpp"

namespace roofcast {

/// Numbers stand right-aligned under their heads. A table that is wider than `style.width` first narrows the
/// gaps, then shortens long texts, then leaves out optional columns from the right, and says so.
std::string write_table(const Document& document, const Style& style = {});

}  // namespace roofcast
