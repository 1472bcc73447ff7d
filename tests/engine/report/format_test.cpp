#include "engine/report/format.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

TEST_CASE("formats: found by name and by the ending of a file") {
  CHECK(find_format("csv")->name == "csv");
  CHECK(find_format("xml") == nullptr);
  CHECK(format_of_file("out/run.json")->name == "json");
  CHECK(format_of_file("run.txt")->name == "table");
  CHECK(format_of_file("run") == nullptr);
}

}  // namespace
}  // namespace roofcast
