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

TEST_CASE("parse_batches: a range with a step begins at its first size") {
  CHECK(*parse_batches("1..5:1") == Sizes{1, 2, 3, 4, 5});
  CHECK(*parse_batches("8..32:8") == Sizes{8, 16, 24, 32});
  CHECK(*parse_batches("1..10:4") == Sizes{1, 5, 9});
  CHECK(*parse_batches("3..3:7") == Sizes{3});
  CHECK(*parse_batches("1k..4k:1k") == Sizes{1024, 2048, 3072, 4096});
  CHECK(*parse_batches("4..6:1,1..8") == Sizes{1, 2, 4, 5, 6, 8});
}

TEST_CASE("parse_batches: a range with a step that is none is refused") {
  for (const char* wrong : {"1..10:", "1..:2", "..9:2", "1:2", "8:64:8", "1..10:0", "1..10:-1", "1..10:1:1",
                            "1..10:x", "1..99999999999999999999:1"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_batches(wrong).has_value());
  }
  CHECK(to_string(parse_batches("1..10:0").error()) ==
        "error: --batch, the step: '0' is not a whole number from 1 to 1000000000000\n"
        "  hint: a 'k' at the end means 1024: 4k is 4096\n");
  CHECK(to_string(parse_batches("10..1:1").error()) ==
        "error: --batch: the range '10..1:1' ends before it begins\n  hint: write 1..256\n");
}

TEST_CASE("parse_batches: a million sizes are the most in a range") {
  CHECK(parse_batches("1..1000000:1")->size() == 1'000'000);
  CHECK(to_string(parse_batches("1..1000001:1").error()) ==
        "error: --batch: '1..1000001:1' are 1000001 sizes, and 1000000 are the most\n"
        "  hint: take a larger step\n");
  CHECK_FALSE(parse_batches("1..1000000000000:1").has_value());
  CHECK(to_string(parse_batches("1..600000:1,600001..1200000:1").error()) ==
        "error: --batch: more than 1000000 sizes\n  hint: take larger steps\n");
  CHECK_FALSE(parse_batches("0,1").has_value());
}

TEST_CASE("parse_threads: from 1 to 1024") {
  CHECK(*parse_threads("1") == 1);
  CHECK(*parse_threads("1024") == 1024);
  for (const char* wrong : {"", "0", "-1", "1025", "2.5", "two", "2 ", "99999999999999999999"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_threads(wrong).has_value());
  }
  CHECK(to_string(parse_threads("0").error()) ==
        "error: --threads: '0' is not a whole number from 1 to 1024\n"
        "  hint: leave it out for all threads of the machine\n");
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
  using Assignment = std::pair<std::string, Sizes>;
  CHECK(*parse_assignment("seq=4k") == Assignment{"seq", {4096}});
  CHECK(*parse_assignment("tied=0") == Assignment{"tied", {0}});
  CHECK(*parse_assignment("tied=0,1") == Assignment{"tied", {0, 1}});
  CHECK(*parse_assignment("seq=128..512:128") == Assignment{"seq", {128, 256, 384, 512}});
  CHECK(to_string(parse_assignment("seq=9..3:1").error()) ==
        "error: --set seq: the range '9..3:1' ends before it begins\n  hint: write 1..256\n");
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
        "the end means 1000\n");
}

}  // namespace
}  // namespace roofcast
