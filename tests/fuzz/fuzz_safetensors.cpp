// Any bytes as a safetensors file and as an index of several: refused with messages, or the sums are right.

#include <cstdint>
#include <string_view>

#include "engine/io/weights/safetensors.hpp"
#include "engine/io/weights/totals.hpp"

namespace {

void require(bool condition) {
  if (!condition) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // libFuzzer hands over bytes; the readers take characters.
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto tensors = roofcast::read_safetensors_header(bytes, size, "fuzz.safetensors");
  if (tensors) {
    const auto weights = roofcast::with_totals("safetensors", *std::move(tensors), {"fuzz.safetensors"});
    if (weights) require(weights->bytes >= 0 && static_cast<std::size_t>(weights->bytes) < size);
  } else {
    require(!roofcast::to_string(tensors.error()).empty());
  }
  const auto index = roofcast::read_safetensors_index(bytes, "fuzz.json");
  if (index) require(index->files.size() <= index->weight_map.size());
  return 0;
}
