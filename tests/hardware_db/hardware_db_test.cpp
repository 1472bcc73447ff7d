// Every card's file: complete, consistent, and what is known of the cards that are mixed up most.

#include <algorithm>
#include <map>

#include "engine/hardware/arithmetic_keys.hpp"
#include "engine/io/device_key.hpp"
#include "tests/close_to.hpp"
#include "tests/hardware_db/database.hpp"

namespace roofcast {
namespace {

TEST_CASE("hardware_db: every card loads, under its own slug") {
  REQUIRE(all_devices().size() >= 70);
  for (const Device& device : all_devices()) {
    CAPTURE(device.slug);
    CHECK_FALSE(device.name.empty());
    CHECK(device.sm_count > 0);
  }
}

TEST_CASE("hardware_db: a quoted peak follows from units, rate and clock within 3%, or is marked unchecked") {
  int checked = 0;
  for (const Device& device : all_devices()) {
    for (const ArithmeticKey& key : arithmetic_keys()) {
      const auto quoted = device.quoted_tera.find(std::string(key.quoted));
      if (quoted == device.quoted_tera.end()) continue;
      if (std::ranges::find(device.unchecked_quotes, quoted->first) != device.unchecked_quotes.end())
        continue;
      CAPTURE(device.slug);
      CAPTURE(key.quoted);
      CHECK(tera(device, key.arithmetic) == close_to(quoted->second, 0.03));
      ++checked;
    }
  }
  CHECK(checked > 200);
}

TEST_CASE("hardware_db: an unchecked quote is really off, or not derivable") {
  for (const Device& device : all_devices()) {
    for (const ArithmeticKey& key : arithmetic_keys()) {
      if (std::ranges::find(device.unchecked_quotes, key.quoted) == device.unchecked_quotes.end()) continue;
      CAPTURE(device.slug);
      CAPTURE(key.quoted);
      const double quoted = device.quoted_tera.at(std::string(key.quoted));
      CHECK(tera(device, key.arithmetic) != close_to(quoted, 0.03));
    }
  }
}

TEST_CASE("hardware_db: a name means one card") {
  std::map<std::string, std::string> exact;  // key -> slug
  std::map<std::string, std::string> assumed;
  for (const Device& device : all_devices()) {
    std::vector<std::string> names = device.aliases;
    names.push_back(device.slug);
    names.push_back(device.name);
    for (const std::string& name : names) {
      CAPTURE(name);
      const auto [entry, is_new] = exact.emplace(device_key(name), device.slug);
      CHECK((is_new || entry->second == device.slug));
    }
    for (const auto& taken : device.assumed_aliases) {
      const std::string& name = taken.first;
      CAPTURE(name);
      CHECK(assumed.emplace(device_key(name), device.slug).second);
      CHECK_FALSE(taken.second.empty());
    }
  }
  for (const auto& taken : assumed) {
    const std::string& key = taken.first;
    CAPTURE(key);
    CHECK_FALSE(exact.contains(key));
  }
}

TEST_CASE("hardware_db: numbers are in the range of things that exist") {
  for (const Device& device : all_devices()) {
    CAPTURE(device.slug);
    CHECK(device.usable <= device.capacity);
    CHECK(device.usable.value >= 0.9 * device.capacity.value);
    CHECK(device.bandwidth.value > 100e9);
    CHECK(device.bandwidth.value < 20e12);
    CHECK(device.boost_clock.value > 1.0e9);
    CHECK(device.boost_clock.value < 3.2e9);
    CHECK(device.tensor_clock <= device.boost_clock);
    if (device.running_clock.value > 0) {
      CHECK(device.running_clock >= device.boost_clock);
      CHECK(device.running_clock.value <= 1.25 * device.boost_clock.value);
    }
    CHECK(device.sm_count <= 320);
    CHECK(device.board_power.value > 30);
    CHECK(device.launch_year >= 2016);
  }
}

TEST_CASE(
    "hardware_db: rates are dense: 8-bit tensor rates are at most twice the 16-bit ones, 4-bit at most eight "
    "times") {
  for (const Device& device : all_devices()) {
    CAPTURE(device.slug);
    const double fp16 = std::max(tera(device, Arithmetic::tensor_fp16),
                                 tera(device, Arithmetic::tensor_fp16_fp16_accumulate));
    CHECK(tera(device, Arithmetic::tensor_fp8) <= 2.001 * fp16);
    CHECK(tera(device, Arithmetic::tensor_fp4) <= 8.001 * fp16);
    CHECK(tera(device, Arithmetic::tensor_tf32) <= 0.501 * fp16 + 0.001);
    CHECK(tera(device, Arithmetic::tensor_bf16) <= 1.001 * fp16);
  }
}

TEST_CASE("hardware_db: accumulating in fp32 is never faster than in fp16") {
  for (const Device& device : all_devices()) {
    CAPTURE(device.slug);
    const double fp16 = tera(device, Arithmetic::tensor_fp16_fp16_accumulate);
    if (fp16 > 0) CHECK(tera(device, Arithmetic::tensor_fp16) <= 1.001 * fp16);
  }
}

// NVIDIA A100 data sheet, June 2021.
TEST_CASE("hardware_db: A100 with 40 and 80 GB have bandwidths of their own") {
  CHECK(card("a100-sxm4-40gb").bandwidth.value == 1555e9);
  CHECK(card("a100-pcie-40gb").bandwidth.value == 1555e9);
  CHECK(card("a100-sxm4-80gb").bandwidth.value == 2039e9);
  CHECK(card("a100-pcie-80gb").bandwidth.value == 1935e9);
  CHECK(tera(card("a100-sxm4-80gb"), Arithmetic::tensor_bf16) == close_to(312, 0.01));
}

// NVIDIA H100 data sheet: the printed 1979 and 3958 TFLOP/s are with sparsity.
TEST_CASE("hardware_db: H100 SXM has 989 dense TFLOP/s in fp16, not 1979") {
  const Device h100 = card("h100-sxm5-80gb");

  CHECK(tera(h100, Arithmetic::tensor_fp16) == close_to(989.4, 0.01));
  CHECK(tera(h100, Arithmetic::tensor_fp8) == close_to(1978.9, 0.01));
  CHECK(h100.bandwidth.value == 3350e9);
}

TEST_CASE("hardware_db: H100 SXM quotes tensor rates at 1830 MHz and vector rates at 1980 MHz") {
  const Device h100 = card("h100-sxm5-80gb");

  CHECK(h100.tensor_clock.value == 1830e6);
  CHECK(h100.boost_clock.value == 1980e6);
  CHECK(tera(h100, Arithmetic::vector_fp32) == close_to(132 * 256 * 1980e6 / 1e12));
  CHECK(tera(h100, Arithmetic::tensor_fp16) == close_to(132 * 4096 * 1830e6 / 1e12));
}

// NVIDIA data sheets quote these with sparsity; half of it is dense.
TEST_CASE("hardware_db: cards whose sparse rates are taken for dense ones elsewhere") {
  CHECK(tera(card("l40s"), Arithmetic::tensor_fp16) == close_to(362, 0.03));
  CHECK(tera(card("gh200-96gb"), Arithmetic::tensor_fp16) == close_to(989.4, 0.03));
  CHECK(tera(card("b200-sxm-180gb"), Arithmetic::tensor_fp16) == close_to(2250, 0.03));
  CHECK(tera(card("gb200"), Arithmetic::tensor_fp16) == close_to(2500, 0.03));
  CHECK(tera(card("rtx-5090"), Arithmetic::tensor_fp16) == close_to(209.5, 0.03));
}

// NVIDIA GA102 white paper, appendix: RTX 3090.
TEST_CASE("hardware_db: RTX 3090 multiplies fp16 at 71 TFLOP/s with fp32 sums, and fp32 at 35.6") {
  const Device rtx3090 = card("rtx-3090");

  CHECK(tera(rtx3090, Arithmetic::tensor_fp16) == close_to(71, 0.01));
  CHECK(tera(rtx3090, Arithmetic::tensor_fp16_fp16_accumulate) == close_to(142, 0.01));
  CHECK(tera(rtx3090, Arithmetic::vector_fp32) == close_to(35.6, 0.01));
}

TEST_CASE("hardware_db: RTX 3060's Tensor Core rate is not its shader rate") {
  const Device rtx3060 = card("rtx-3060-12gb");

  CHECK(tera(rtx3060, Arithmetic::tensor_fp16) == close_to(2 * tera(rtx3060, Arithmetic::vector_fp32), 0.01));
}

TEST_CASE("hardware_db: an RTX 3060 of a laptop is another card") {
  const Device desktop = card("rtx-3060-12gb");
  const Device laptop = card("rtx-3060-laptop");

  CHECK(laptop.sm_count != desktop.sm_count);
  CHECK(laptop.capacity < desktop.capacity);
  CHECK(laptop.board_power < desktop.board_power);
  CHECK(data_folder().find_device("RTX 3060 Laptop")->device.slug == "rtx-3060-laptop");
  CHECK(data_folder().find_device("NVIDIA GeForce RTX 3060 Laptop GPU")->device.slug == "rtx-3060-laptop");
  CHECK(data_folder().find_device("NVIDIA GeForce RTX 3060")->device.slug == "rtx-3060-12gb");
}

TEST_CASE("hardware_db: V100 and T4 have fp16 Tensor Cores but no bf16 and no tf32") {
  for (const char* slug : {"v100-sxm2-16gb", "v100-sxm2-32gb", "v100-pcie-16gb", "v100-pcie-32gb", "t4"}) {
    CAPTURE(slug);
    const Device device = card(slug);
    CHECK(device.peak(Arithmetic::tensor_fp16).has_value());
    CHECK_FALSE(device.peak(Arithmetic::tensor_bf16).has_value());
    CHECK_FALSE(device.peak(Arithmetic::tensor_tf32).has_value());
    CHECK(device.supports(*find_precision("fp16")));
    CHECK_FALSE(device.supports(*find_precision("bf16")));
    CHECK_FALSE(device.supports(*find_precision("fp8")));
  }
}

TEST_CASE("hardware_db: fp8 starts with Ada and Hopper, fp4 with Blackwell, bf16 with Ampere") {
  for (const Device& device : all_devices()) {
    CAPTURE(device.slug);
    CAPTURE(device.architecture);
    const double capability = std::stod(device.compute_capability);
    CHECK(device.peak(Arithmetic::tensor_fp8).has_value() == (capability >= 8.9));
    CHECK(device.peak(Arithmetic::tensor_fp4).has_value() == (capability >= 10.0));
    CHECK(device.peak(Arithmetic::tensor_bf16).has_value() == (capability >= 8.0));
    CHECK(device.peak(Arithmetic::tensor_fp16).has_value() == (capability >= 7.0));
  }
}

TEST_CASE("hardware_db: cards that differ in memory or board only, differ") {
  CHECK(card("h100-pcie-80gb").sm_count == 114);
  CHECK(card("h100-sxm5-80gb").sm_count == 132);
  CHECK(card("h200-sxm-141gb").bandwidth.value > card("h100-sxm5-80gb").bandwidth.value);
  CHECK(card("rtx-3080-12gb").bandwidth.value > card("rtx-3080-10gb").bandwidth.value);
  CHECK(card("rtx-3080-12gb").sm_count > card("rtx-3080-10gb").sm_count);
}

}  // namespace
}  // namespace roofcast
