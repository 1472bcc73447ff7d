#include "tools/parse_values.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

using Sizes = std::vector<std::int64_t>;

TEST_CASE("parse_size: k is 1024") {
  CHECK(*parse_size("128", "--set seq") == 128);
  CHECK(*parse_size("4k", "--set seq") == 4096);
  CHECK(to_string(parse_size("0", "--set seq").error()) ==
        "error: --set seq: '0' is not a whole number from 1 to 1000000000000\n"
        "  hint: a 'k' at the end means 1024: 4k is 4096\n");
  for (const char* wrong : {"", "k", "-1", "1.5", "1e3", "99999999999999999999", "999999999999k"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_size(wrong, "--batch").has_value());
  }
}

TEST_CASE("parse_batches: lists and ranges, ascending and each once") {
  CHECK(*parse_batches("8,1,8") == Sizes{1, 8});
  CHECK(*parse_batches("1..8") == Sizes{1, 2, 4, 8});
  CHECK(*parse_batches("3..9") == Sizes{3, 4, 8, 9});
  CHECK(*parse_batches("5..5") == Sizes{5});
  CHECK(*parse_batches("1..2, 100") == Sizes{1, 2, 100});
}

TEST_CASE("parse_batches: what is no batch size is refused") {
  for (const char* wrong : {"", ",", "1,,2", "8..", "..8", "1..2..3", "a"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_batches(wrong).has_value());
  }
  CHECK(to_string(parse_batches("8..2").error()) ==
        "error: --batch: the range '8..2' ends before it begins\n  hint: write 1..256\n");
}

TEST_CASE("parse_assignment: a symbol and a size") {
  CHECK(*parse_assignment("seq=4k") == std::pair<std::string, std::int64_t>{"seq", 4096});
  CHECK(*parse_assignment("tied=0") == std::pair<std::string, std::int64_t>{"tied", 0});
  CHECK_FALSE(parse_assignment("seq").has_value());
  CHECK_FALSE(parse_assignment("=4").has_value());
  CHECK_FALSE(parse_assignment("seq=").has_value());
  CHECK_FALSE(parse_assignment("a b=4").has_value());
}

TEST_CASE("parse_price: dollars per hour") {
  CHECK(parse_price("1.99")->per_gpu.value == 1.99);
  CHECK(parse_price("$1.99/h")->per_gpu.value == 1.99);
  CHECK(parse_price("2")->cloud == "user");
  for (const char* wrong : {"", "0", "-1", "inf", "nan", "1,99", "1.99/d"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_price(wrong).has_value());
  }
}

TEST_CASE("parse_rate: samples per second, a k is a thousand") {
  CHECK(*parse_rate("1500") == 1500);
  CHECK(*parse_rate("0.5") == 0.5);
  CHECK(*parse_rate("2.5k") == 2500);
  for (const char* wrong : {"", "k", "0", "-1", "inf", "nan", "1e13", "fast", "10/s"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_rate(wrong).has_value());
  }
  CHECK(to_string(parse_rate("fast").error()) ==
        "error: --input-rate: 'fast' is not a number of samples per second above 0\n  hint: for example "
        "1500; a 'k' at "
        "the end means 1000");
}

}  // namespace
}  // namespace roofcast
