// Any text as a config.json: it is refused with messages, or the model of its family can be counted and
// predicted.

#include <cstdint>
#include <string_view>

#include "engine/decide/estimate.hpp"
#include "engine/io/import_config/import_config.hpp"
#include "engine/predict.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // libFuzzer hands over bytes; the loaders read characters.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto graph = roofcast::import_config(text, "config.json", ROOFCAST_SOURCE_DIR "/models/families");
  if (!graph) {
    if (roofcast::to_string(graph.error()).empty()) __builtin_trap();  // a refusal has a message
    return 0;
  }
  (void)roofcast::summarize(*graph);
  (void)roofcast::compile(*graph, {.task = roofcast::Task::training});
  return 0;
}
