#pragma once
// A hash that is the same on every machine and for ever: FNV-1a with 64 bits.

#include <cstdint>
#include <string_view>

namespace roofcast {

/// Source: Fowler, Noll, Vo, draft-eastlake-fnv; offset basis 14695981039346656037, prime 1099511628211.
constexpr std::uint64_t fnv1a64(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char letter : text) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 1099511628211U;
  }
  return hash;
}

}  // namespace roofcast
