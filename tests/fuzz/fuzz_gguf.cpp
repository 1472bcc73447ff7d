// Any bytes as a GGUF file: refused with messages, or measured and turned into a configuration.

#include <cstdint>
#include <string_view>

#include "engine/io/weights/gguf.hpp"
#include "engine/io/weights/gguf_config.hpp"
#include "engine/io/weights/totals.hpp"

namespace {

void require(bool condition) {
  if (!condition) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // libFuzzer hands over bytes; the reader takes characters.
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto header = roofcast::read_gguf_header(bytes, size, "fuzz.gguf");
  if (!header) {
    require(!roofcast::to_string(header.error()).empty());
    return 0;
  }
  require(header->has_value());  // these are all the bytes there are
  const auto start = roofcast::read_gguf_header(bytes.substr(0, size / 2), size, "fuzz.gguf");
  require(!start || !start->has_value() || (*start)->tensors.size() == (*header)->tensors.size());
  for (const roofcast::StoredTensor& tensor : (*header)->tensors)
    require(tensor.bytes >= 0 && tensor.elements >= 0);
  (void)roofcast::with_totals("gguf", (*header)->tensors, {"fuzz.gguf"});
  const auto config = roofcast::gguf_config(**header);
  require(config ? config->starts_with('{') : !roofcast::to_string(config.error()).empty());
  return 0;
}
