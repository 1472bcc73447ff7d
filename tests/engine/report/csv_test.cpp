#include "engine/report/csv.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

TEST_CASE("write_csv: fields with commas, quotes or line ends are quoted, missing values are empty") {
  Table table;
  table.columns = {{"Name", "name"}, {"Time", "time_s"}, {"Fits", "fits"}, {"N", "count"}};
  table.rows.push_back({{std::string("a,\"b\"\nc"), 0.25, true, std::int64_t{3}}});
  table.rows.push_back({{std::string("plain"), Cell{}, false, Cell{}}});

  CHECK(write_csv({.blocks = {table}}) ==
        "name,time_s,fits,count\n"
        "\"a,\"\"b\"\"\nc\",0.25,true,3\n"
        "plain,,false,\n");
}

TEST_CASE("write_csv: only the table is data") {
  Table table;
  table.columns = {{"Name", "name"}};

  CHECK(write_csv({.blocks = {Paragraph{"a verdict"}, table, List{"Notes", {"a note"}}}}) == "name\n");
}

}  // namespace
}  // namespace roofcast
