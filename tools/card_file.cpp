#include "tools/card_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace roofcast {
namespace {

/// In a TOML string.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += static_cast<unsigned char>(letter) < 0x20 ? ' ' : letter;
  }
  return result + "\"";
}

std::string board_sources() {
  return "not measured: placeholders; --input-copy reads the link, and the power limit is too high to slow "
         "anything";
}

}  // namespace

std::string card_file(const DeviceFacts& device, const MeasuredPeaks& peaks, const std::string& date) {
  const std::string measured = fmt::format("measured by calibrate on {}", date);
  const double clock_mhz = device.clock.value / 1e6;
  // No library reaches what the units do when they need not wait for operands.
  const bool by_units = device.multiply_adds > peaks.product;
  const FlopsPerSecond peak = by_units ? device.multiply_adds : peaks.product;
  const double per_clock = peak.value / (device.clock.value * device.units);
  // A system that does not tell of its caches still has one.
  const double cache_mib = std::max(as_mebibytes(device.last_level_cache), 1.0);
  const double near_kib = std::max(device.first_level_cache.value / 1024, 16.0);
  const double usable_gib = std::floor(100 * as_gibibytes(std::min(device.usable, device.memory))) / 100;

  std::string text = fmt::format(
      "# {}, all cores as one card. Written by `calibrate measure --device-file`.\n\n", device.name);
  text += fmt::format("schema = 1\nname = {}\nvendor = {}\naliases = []\n\n", quoted(device.name),
                      quoted(device.vendor));
  text += fmt::format(
      "[compute]\narchitecture = \"cpu\"\ncompute_capability = \"cpu\"\nsm_count = {}  # "
      "cores\nboost_clock_mhz = {:.0f}\n\n",
      device.units, clock_mhz);
  text += fmt::format("[compute.flops_per_clock_per_sm.vector]\nfp64 = {:.4g}\nfp32 = {:.4g}\n\n",
                      per_clock / 2, per_clock);
  text += fmt::format(
      "[memory]\ntype = \"host memory\"\nbus_bits = 64\ncapacity_mib = {:.0f}\nusable_gib = "
      "{}\nbandwidth_gbytes_per_s = {:.4g}\nl2_mib = {:.4g}  # the last-level cache\n\n",
      as_mebibytes(device.memory), usable_gib, peaks.stream.value / 1e9, cache_mib);
  text += fmt::format(
      "[sm]\nshared_memory_kib = {0:.0f}\nl1_and_shared_kib = {0:.0f}\nregisters_kib = 1\nmax_threads = "
      "1\n\n",
      near_kib);
  text += "[links]\npcie_generation = 1\npcie_lanes = 16\n\n";
  text += fmt::format("[board]\ntdp_watts = 1000\nlaunch_year = {}\n\n", date.substr(0, 4));
  text += fmt::format("[sources]\ncompute = {}\n", quoted("clock " + measured + "; cores: operating system"));
  text += fmt::format("flops_per_clock_per_sm = {}\n",
                      quoted(fmt::format("fp32: {} ({}), {}; fp64: half of it, estimated", measured,
                                         by_units ? "multiply-adds in registers" : peaks.product_probe,
                                         by_units ? "all cores" : device.libraries)));
  text +=
      fmt::format("memory = {}\n",
                  quoted(fmt::format("bandwidth {} ({}); capacity, usable and cache: operating system on {}; "
                                     "bus_bits: a placeholder",
                                     measured, peaks.stream_probe, date)));
  text += fmt::format(
      "sm = {}\n", quoted("shared memory stands for the first-level cache (operating system); registers and "
                          "threads: placeholders"));
  text += fmt::format("links = {0}\nboard = {0}\n", quoted(board_sources()));
  return text;
}

}  // namespace roofcast
