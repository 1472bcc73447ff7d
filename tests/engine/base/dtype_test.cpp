#include "engine/base/dtype.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

TEST_CASE("dtype: every type's name is read back as itself") {
  for (int i = 0; i <= static_cast<int>(DType::boolean); ++i) {
    const auto dtype = static_cast<DType>(i);
    CAPTURE(to_string(dtype));
    CHECK(parse_dtype(to_string(dtype)) == dtype);
  }
}

TEST_CASE("dtype: unknown names are no type") {
  CHECK_FALSE(parse_dtype("float").has_value());
  CHECK_FALSE(parse_dtype("FP32").has_value());
  CHECK_FALSE(parse_dtype("").has_value());
}

TEST_CASE("dtype: four-bit types are half a byte, booleans a whole one") {
  CHECK(bits(DType::fp4) == 4);
  CHECK(bits(DType::int4) == 4);
  CHECK(bits(DType::boolean) == 8);
  CHECK(bits(DType::bf16) == 16);
  CHECK(bits(DType::int64) == 64);
}

TEST_CASE("dtype: indices and masks are not floating") {
  CHECK(is_floating(DType::fp8));
  CHECK_FALSE(is_floating(DType::int8));
  CHECK_FALSE(is_floating(DType::boolean));
}

}  // namespace
}  // namespace roofcast
