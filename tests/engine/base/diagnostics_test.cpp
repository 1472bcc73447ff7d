#include "engine/base/diagnostics.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

TEST_CASE("to_string: place, message and way out") {
  CHECK(to_string(Diagnostic{{"m.toml", 3, 8}, "unknown operator 'matmull'", "did you mean 'matmul'?"}) ==
        "m.toml:3:8: error: unknown operator 'matmull'\n  hint: did you mean 'matmul'?");
}

TEST_CASE("to_string: what is not known of the place is left out") {
  CHECK(to_string(Diagnostic{{"m.toml", 3, 0}, "broken", {}}) == "m.toml:3: error: broken");
  CHECK(to_string(Diagnostic{{"m.toml", 0, 0}, "broken", {}}) == "m.toml: error: broken");
  CHECK(to_string(Diagnostic{{"m.toml", 0, 8}, "broken", {}}) == "m.toml: error: broken");
  CHECK(to_string(Diagnostic{{}, "broken", {}}) == "error: broken");
}

TEST_CASE("to_string: several come one a line, none is nothing") {
  CHECK(to_string(Diagnostics{{{"a", 1, 1}, "one", {}}, {{"a", 2, 1}, "two", "three"}}) ==
        "a:1:1: error: one\na:2:1: error: two\n  hint: three\n");
  CHECK(to_string(Diagnostics{}).empty());
}

TEST_CASE("to_string: control characters never reach a terminal") {
  CHECK(to_string(Diagnostic{{"a\nb", 1, 1}, "esc \x1b[2J, tab \t, delete \x7f", "line\nbreak"}) ==
        "a?b:1:1: error: esc ?[2J, tab ?, delete ?\n  hint: line?break");
}

TEST_CASE("to_string: other alphabets stay") {
  CHECK(to_string(Diagnostic{{}, "unknown operator 'größe'", {}}) == "error: unknown operator 'größe'");
}

TEST_CASE("to_string: a very long message is cut, never within a character") {
  CHECK(to_string(Diagnostic{{}, std::string(400, 'x'), {}}) == "error: " + std::string(400, 'x'));
  CHECK(to_string(Diagnostic{{}, std::string(401, 'x'), {}}) == "error: " + std::string(400, 'x') + " ...");
  CHECK(to_string(Diagnostic{{}, std::string(399, 'x') + "ö and more", {}}) ==
        "error: " + std::string(399, 'x') + " ...");
}

TEST_CASE("to_string: a character that ends at the limit is kept") {
  CHECK(to_string(Diagnostic{{}, std::string(398, 'x') + "ö and more", {}}) ==
        "error: " + std::string(398, 'x') + "ö ...");
}

TEST_CASE("nearest: one edit in three letters is near enough, one more is not") {
  CHECK(nearest("matmull", {"linear", "matmul"}) == "matmul");
  CHECK(nearest("lineer", {"linear", "matmul"}) == "linear");
  CHECK(nearest("conv2", {"conv"}) == "conv");
  CHECK(nearest("xxnv", {"conv"}).empty());
  CHECK(nearest("convab", {"conv"}) == "conv");
  CHECK(nearest("convabc", {"conv"}).empty());
}

TEST_CASE("nearest: swapped neighbours are one edit") {
  CHECK(nearest("lienar", {"linear"}) == "linear");
  CHECK(nearest("ab", {"ba"}) == "ba");
}

TEST_CASE("nearest: of equal distances the first, an exact one before all") {
  CHECK(nearest("cat", {"bat", "hat"}) == "bat");
  CHECK(nearest("cat", {"bat", "cat"}) == "cat");
}

TEST_CASE("nearest: nothing is near an empty or an endless word") {
  CHECK(nearest("", {"a"}).empty());
  CHECK(nearest(std::string(65, 'a'), {std::string(64, 'a')}).empty());
  CHECK(nearest(std::string(64, 'a'), {std::string(63, 'a')}) == std::string(63, 'a'));
  CHECK(nearest("a", {}).empty());
}

TEST_CASE("did_you_mean: a question, or what to do otherwise") {
  CHECK(did_you_mean("matmull", {"matmul"}) == "did you mean 'matmul'?");
  CHECK(did_you_mean("zzz", {"matmul"}, "see the list") == "see the list");
  CHECK(did_you_mean("zzz", {"matmul"}).empty());
}

TEST_CASE("fail: carries one diagnostic") {
  const Result<int> result = fail("broken", {"m.toml", 1, 2}, "mend it");

  REQUIRE_FALSE(result.has_value());
  CHECK(to_string(result.error()) == "m.toml:1:2: error: broken\n  hint: mend it\n");
}

}  // namespace
}  // namespace roofcast
