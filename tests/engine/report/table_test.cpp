#include "engine/report/table.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

Table toy_table() {
  Table table{.title = "Toys"};
  table.columns = {
      {"name", "name"}, {"time\nms", "time_ms", Alignment::right}, {"rate", "rate", Alignment::right, true}};
  table.rows.push_back({{std::string("first"), std::string("1.50"), std::string("1,000")}, Emphasis::strong});
  table.rows.push_back({{std::string("second of a long name"), std::string("20.0"), std::string("7")}});
  return table;
}

TEST_CASE("write_table: numbers are right-aligned under heads of two lines") {
  CHECK(write_table({.blocks = {toy_table()}}) ==
        "Toys\n"
        "                       time\n"
        "name                     ms   rate\n"
        "----------------------------------\n"
        "first                  1.50  1,000\n"
        "second of a long name  20.0      7\n");
}

TEST_CASE("write_table: a narrow terminal shortens texts, then drops optional columns and says so") {
  CHECK(write_table({.blocks = {toy_table()}}, {.width = 28}) ==
        "Toys\n"
        "                  time\n"
        "name                ms  rate\n"
        "----------------------------\n"
        "first             1.50 1,000\n"
        "second of a lo... 20.0     7\n");
  CHECK(write_table({.blocks = {toy_table()}}, {.width = 22}) ==
        "Toys\n"
        "                  time\n"
        "name                ms\n"
        "----------------------\n"
        "first             1.50\n"
        "second of a lo... 20.0\n"
        "left out to fit 22\n"
        "columns: rate (--wide\n"
        "shows them)\n");
}

TEST_CASE("write_table: colour only adds to the text") {
  const std::string plain = write_table({.blocks = {toy_table()}});
  std::string coloured = write_table({.blocks = {toy_table()}}, {.colour = true});

  CHECK(coloured.find("\033[1mfirst") != std::string::npos);
  for (const std::string_view code : {"\033[1m", "\033[0m"}) {
    coloured.erase(coloured.find(code), code.size());
  }
  CHECK(coloured == plain);
}

TEST_CASE("write_table: control characters of a name do not reach the terminal") {
  CHECK(write_table({.blocks = {Paragraph{"evil\033[2Jname"}}}) == "evil?[2Jname\n");
}

TEST_CASE("write_table: long sentences wrap, items are indented") {
  CHECK(write_table({.blocks = {List{"Notes", {"one two three"}}}}, {.width = 9}) ==
        "Notes\n- one two\n  three\n");
}

}  // namespace
}  // namespace roofcast
