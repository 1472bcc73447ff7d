#pragma once
// The element types of GGUF files: how many bytes a block of elements takes.

#include <cstdint>
#include <span>
#include <string_view>

namespace roofcast {

struct GgmlType {
  std::uint32_t id = 0;  ///< in files
  std::string_view name{};
  std::int64_t block = 1;  ///< elements; a row is a whole number of blocks
  std::int64_t bytes = 0;  ///< of a block
};

/// Nothing for an id that nobody knows.
const GgmlType* find_ggml_type(std::uint32_t id);

std::span<const GgmlType> ggml_types();

}  // namespace roofcast
