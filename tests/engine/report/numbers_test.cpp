#include "engine/report/numbers.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace roofcast {
namespace {

TEST_CASE("three_digits: three of them, with separators above a thousand") {
  CHECK(three_digits(4.9) == "4.90");
  CHECK(three_digits(31.44) == "31.4");
  CHECK(three_digits(1250) == "1,250");
  CHECK(three_digits(12345) == "12,300");
  CHECK(three_digits(1234567) == "1,230,000");
  CHECK(three_digits(0.0123) == "0.0123");
  CHECK(three_digits(-1234) == "-1,230");
  CHECK(three_digits(0) == "0");
}

TEST_CASE("three_digits: rounding up to the next power of ten adds no digit") {
  CHECK(three_digits(9.994) == "9.99");
  CHECK(three_digits(9.996) == "10.0");
  CHECK(three_digits(999.6) == "1,000");
}

TEST_CASE("three_digits: what is no number says so, and tiny ones stay short") {
  CHECK(three_digits(std::nan("")) == "n/a");
  CHECK(three_digits(INFINITY) == "n/a");
  CHECK(three_digits(1.5e-9) == "1.50e-09");
}

TEST_CASE("grouped: separators between each three digits") {
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(-123456) == "-123,456");
}

TEST_CASE("percent: a small share is not none") {
  CHECK(percent(0.784) == "78%");
  CHECK(percent(0.001) == "<1%");
  CHECK(percent(0.0) == "0%");
}

TEST_CASE("raw_number: reads back as the same value") {
  CHECK(raw_number(0.1) == "0.1");
  CHECK(raw_number(1250.0) == "1250");
  CHECK(raw_number(std::nan("")) == "");
}

TEST_CASE("with_prefix: thousands become prefixes") {
  CHECK(with_prefix(109482240) == "109 M");
  CHECK(with_prefix(12) == "12");
  CHECK(with_prefix(999.7) == "1.00 k");
}

}  // namespace
}  // namespace roofcast
