// Any text as one of the files in hardware_db/.

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/io/load_device.hpp"
#include "engine/io/load_harness.hpp"
#include "engine/io/load_offers.hpp"
#include "engine/io/load_priors.hpp"
#include "engine/io/load_runtime.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // libFuzzer hands over bytes; the loaders read characters.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto device = roofcast::load_device(text, "fuzz.toml");
  if (device) {
    for (std::size_t i = 0; i < roofcast::arithmetics; ++i) {
      const auto peak = device->peak(static_cast<roofcast::Arithmetic>(i));
      if (peak && !(peak->value > 0)) __builtin_trap();  // a loaded card has no rate of zero
    }
  }
  (void)roofcast::load_offers(text, "fuzz.toml");
  (void)roofcast::load_runtime(text, "fuzz.toml");
  (void)roofcast::load_priors(text, "fuzz.toml",
                              [](const std::string& name) -> roofcast::Result<roofcast::Priors> {
                                if (name == "base") return roofcast::Priors{};
                                return roofcast::fail("unknown priors '" + name + "'");
                              });
  (void)roofcast::load_harness(text, "fuzz.toml");
  return 0;
}
