#include "engine/io/csv_reader.hpp"

#include <doctest/doctest.h>

#include <array>

namespace roofcast {
namespace {

TEST_CASE("parse_csv: fields by column, with the line of each row") {
  const auto table = parse_csv("name,size\na,1\n\nb,\n", "t.csv");

  REQUIRE(table.has_value());
  CHECK(table->columns == std::vector<std::string>{"name", "size"});
  REQUIRE(table->rows.size() == 2);
  CHECK(table->field(table->rows[0], "size") == "1");
  CHECK(table->rows[1].line == 4);
  CHECK(table->field(table->rows[1], "name") == "b");
  CHECK(table->field(table->rows[1], "size").empty());
  CHECK_FALSE(table->has_column("sizes"));
  CHECK(table->field(table->rows[0], "sizes").empty());
}

TEST_CASE("parse_csv: quoted fields hold commas, quotes and line breaks, which count as lines") {
  const auto table = parse_csv("note,size\r\n\"a, \"\"b\"\"\nc\",1\r\n\"\",2", "t.csv");

  REQUIRE(table.has_value());
  REQUIRE(table->rows.size() == 2);
  CHECK(table->field(table->rows[0], "note") == "a, \"b\"\nc");
  CHECK(table->rows[0].line == 2);
  CHECK(table->rows[1].line == 4);
  CHECK(table->field(table->rows[1], "note").empty());
  CHECK(table->field(table->rows[1], "size") == "2");
}

TEST_CASE("parse_csv: where each field starts") {
  const auto table = parse_csv("a,b,c\n1,\"x, y\",3\r\n,,\n", "t.csv");

  REQUIRE(table.has_value());
  CHECK(table->where(table->rows[0], "c") == Location{"t.csv", 2, 10});
  CHECK(table->where(table->rows[1], "b") == Location{"t.csv", 3, 2});
  CHECK(table->where(table->rows[1], "none") == Location{"t.csv", 3, 0});
}

TEST_CASE("parse_csv: the mark before the first column is no part of its name") {
  const auto table = parse_csv("\xEF\xBB\xBFname\nx\n", "t.csv");

  REQUIRE(table.has_value());
  CHECK(table->has_column("name"));
}

TEST_CASE("parse_csv: mistakes name their line") {
  const auto error = [](std::string_view text) {
    const auto table = parse_csv(text, "t.csv");
    REQUIRE_FALSE(table.has_value());
    return to_string(table.error().front());
  };

  CHECK(error("") == "t.csv: error: the file is empty\n  hint: the first line names the columns");
  CHECK(error("a,b\n1,2\n1,2,3\n") ==
        "t.csv:3: error: 3 fields, but 2 columns\n  hint: fields with commas are written in quotes");
  CHECK(error("a,b\n1\n").starts_with("t.csv:2: error: 1 fields, but 2 columns"));
  CHECK(error("a\n1\n\"2\n3\n") == "t.csv:3: error: a quoted field does not end");
  CHECK(error("a\n\"1\" x\n").starts_with("t.csv:2: error: text after the end of a quoted field"));
  CHECK(error("a,b,a\n1,2,3\n") == "t.csv:1: error: two columns are named 'a'");
}

TEST_CASE("read_csv: a missing file is an error that names it") {
  const auto table = read_csv("/nowhere/t.csv");

  REQUIRE_FALSE(table.has_value());
  CHECK(table.error().front().where.file == "/nowhere/t.csv");
}

TEST_CASE("missing_columns: each of those that are asked for and are not there") {
  const auto table = parse_csv("model,size\na,1\n", "t.csv");
  REQUIRE(table.has_value());

  const Diagnostics missing =
      missing_columns(*table, std::array<std::string_view, 3>{"model", "sizes", "note"});

  REQUIRE(missing.size() == 2);
  CHECK(to_string(missing[0]) == "t.csv:1: error: no column 'sizes'\n  hint: did you mean 'size'?");
  CHECK(missing[1].message == "no column 'note'");
}

}  // namespace
}  // namespace roofcast
