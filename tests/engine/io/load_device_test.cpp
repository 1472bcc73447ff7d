#include "engine/io/load_device.hpp"

#include <doctest/doctest.h>

#include "tests/engine/io/toy_files.hpp"

namespace roofcast {
namespace {

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string complaints(const std::string& text) {
  const auto device = load_device(text, "gpus/toy.toml");
  return device ? std::string("no mistakes") : to_string(device.error());
}

TEST_CASE("load_device: facts arrive in their units") {
  const auto device = load_device(toy_device_file, "gpus/toy-8gb.toml");

  REQUIRE(device.has_value());
  CHECK(device->slug == "toy-8gb");
  CHECK(device->name == "NVIDIA Toy 8GB");
  CHECK(device->sm_count == 10);
  CHECK(device->boost_clock.value == 1.0e9);
  CHECK(as_gibibytes(device->capacity) == 8.0);
  CHECK(device->bandwidth.value == 100e9);
  CHECK(as_mebibytes(device->l2) == 4.0);
  CHECK(device->registers_per_sm.value == 256.0 * 1024);
  CHECK(device->peak(Arithmetic::vector_fp32)->value == 128.0 * 10 * 1.0e9);
  CHECK(device->peak(Arithmetic::tensor_fp16)->value == 512.0 * 10 * 0.9e9);
  CHECK_FALSE(device->peak(Arithmetic::tensor_fp8).has_value());
  CHECK_FALSE(device->nvlink.has_value());
  CHECK(device->quoted_tera.at("fp32_tflops") == 1.28);
  CHECK(device->assumed_aliases.at("toy") == "toy names two cards; taken as 8 GB");
  CHECK(device->sources.at("memory") == "made up");
}

TEST_CASE("load_device: a rate that is zero or not finite is a mistake, not a missing path") {
  CHECK(complaints(replaced(toy_device_file, "fp16_fp32_accumulate = 512", "fp16_fp32_accumulate = 0")) ==
        "gpus/toy.toml:21:24: error: 'fp16_fp32_accumulate' must be a number above 0, not 0\n");
  CHECK(
      complaints(replaced(toy_device_file, "bandwidth_gbytes_per_s = 100", "bandwidth_gbytes_per_s = inf")) ==
      "gpus/toy.toml:28:26: error: 'bandwidth_gbytes_per_s' must be a number above 0, not inf\n");
}

TEST_CASE("load_device: a misspelt key is reported with the key that was meant") {
  CHECK(complaints(replaced(toy_device_file, "base_clock_mhz", "base_clok_mhz")) ==
        "gpus/toy.toml:12:1: error: unknown key 'compute.base_clok_mhz'\n"
        "  hint: did you mean 'base_clock_mhz'?\n");
}

TEST_CASE("load_device: every table needs a source") {
  CHECK(complaints(replaced(toy_device_file, "memory = \"made up\"\n", "")) ==
        "gpus/toy.toml:49:1: error: 'sources.memory' is missing: every table needs a source\n"
        "  hint: name the document, its date and the page; for a guess write \"estimated\" and from what\n");
}

TEST_CASE("load_device: another schema is not read") {
  CHECK(complaints(replaced(toy_device_file, "schema = 1", "schema = 2")) ==
        "gpus/toy.toml:1:10: error: schema 2 is not known\n  hint: this version reads schema 1\n");
}

TEST_CASE("load_device: all mistakes come at once, in the order of the file") {
  const std::string text = replaced(replaced(toy_device_file, "sm_count = 10", "sm_count = -1"),
                                    "usable_gib = 7.5", "usable_gib = 9");

  CHECK(complaints(text) ==
        "gpus/toy.toml:11:12: error: 'sm_count' must be from 1 to 1000000000, not -1\n"
        "gpus/toy.toml:27:14: error: 'usable_gib' is above 'capacity_mib': 9 GiB of 8 GiB\n");
}

TEST_CASE("load_device: tensor rates need the clock that they were quoted at") {
  CHECK(complaints(replaced(toy_device_file, "tensor_clock_mhz = 900\n", "")) ==
        "gpus/toy.toml:8:1: error: 'compute.tensor_clock_mhz' is missing: the card has tensor rates\n"
        "  hint: write the clock that the quoted tensor figures assume; often the boost clock\n");
}

TEST_CASE("load_device: an unchecked quote must be a quote") {
  CHECK(complaints(replaced(toy_device_file, "unchecked = []", "unchecked = [\"fp32_tflop\"]")) ==
        "gpus/toy.toml:46:13: error: 'unchecked' names 'fp32_tflop', which is not quoted here\n"
        "  hint: did you mean 'fp32_tflops'?\n");
}

}  // namespace
}  // namespace roofcast
