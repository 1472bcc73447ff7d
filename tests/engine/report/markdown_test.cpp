#include "engine/report/markdown.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

TEST_CASE("write_markdown: a pipe table, with markup in names made harmless") {
  Table table;
  table.columns = {{"layer", "layer"}, {"time\n/s", "time", Alignment::right}};
  table.rows.push_back({{std::string("a|b_c"), std::string("1.50")}});

  CHECK(write_markdown({.blocks = {Paragraph{"it fits", Emphasis::strong}, table}}) ==
        "**it fits**\n"
        "\n"
        "| layer | time/s |\n"
        "| --- | ---: |\n"
        "| a\\|b\\_c | 1.50 |\n");
}

}  // namespace
}  // namespace roofcast
