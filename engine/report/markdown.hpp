#pragma once
// Markdown with pipe tables, as issues and chats show it.

#include <string>

#include "engine/report/document.hpp"
#include "engine/report/format.hpp"

namespace roofcast {

std::string write_markdown(const Document& document, const Style& style = {});

}  // namespace roofcast
