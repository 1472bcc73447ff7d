#include "engine/io/device_key.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

TEST_CASE("device_key: brands, case and punctuation do not matter") {
  CHECK(device_key("NVIDIA GeForce RTX 3090") == "rtx3090");
  CHECK(device_key("rtx-3090") == "rtx3090");
  CHECK(device_key("Tesla T4") == "t4");
  CHECK(device_key("nvidia") == "");
  CHECK(device_key("") == "");
}

TEST_CASE("device_key: a brand inside a name stays") {
  CHECK(device_key("dgx nvidia a100") == "dgxnvidiaa100");
}

}  // namespace
}  // namespace roofcast
