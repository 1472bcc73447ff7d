// Any bytes as an ONNX file: they are refused with messages, or what they describe can be counted.

#include <cstdint>
#include <string_view>

#include "engine/decide/estimate.hpp"
#include "engine/io/import_onnx/import_onnx.hpp"
#include "engine/predict.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // libFuzzer hands over bytes; the importer reads characters.
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto graph = roofcast::import_onnx_bytes(bytes, "fuzz.onnx", {.allow_unknown = true});
  if (!graph) {
    if (roofcast::to_string(graph.error()).empty()) __builtin_trap();  // a refusal has a message
    return 0;
  }
  (void)roofcast::summarize(*graph);
  (void)roofcast::compile(*graph, {.task = roofcast::Task::training});
  return 0;
}
