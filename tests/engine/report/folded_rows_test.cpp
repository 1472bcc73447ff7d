#include "engine/report/folded_rows.hpp"

#include <doctest/doctest.h>

#include "tests/engine/report/toy_answer.hpp"

namespace roofcast {
namespace {

TEST_CASE("folded_rows: up to the knee, one more, the largest that fits and the first that does not") {
  // samples/s: 1000, 2000, 2000, 2000, 2000, 2000: the knee is at 2.
  const Answer answer = toy_answer(
      {toy_row("fp32", 1, 1), toy_row("fp32", 2, 1), toy_row("fp32", 4, 2), toy_row("fp32", 8, 4),
       toy_row("fp32", 16, 8), toy_row("fp32", 20, 10), toy_row("fp32", 32, 0), toy_row("fp32", 64, 0)},
      1);

  CHECK(folded_rows(answer.groups[0]) == std::vector<std::size_t>{0, 1, 2, 5, 6});
}

TEST_CASE("folded_rows: each precision has its own knee, and the recommended row is always there") {
  const Answer answer = toy_answer({toy_row("fp32", 1, 1), toy_row("fp32", 2, 2), toy_row("fp32", 4, 4),
                                    toy_row("fp32", 8, 8), toy_row("fp16", 1, 1), toy_row("fp16", 3, 1)},
                                   2);

  CHECK(folded_rows(answer.groups[0]) == std::vector<std::size_t>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("folded_rows: if nothing fits the smallest batch says by how much") {
  const Answer answer = toy_answer({toy_row("fp32", 1, 0), toy_row("fp32", 2, 0)}, 0);

  CHECK(folded_rows(answer.groups[0]) == std::vector<std::size_t>{0});
}

}  // namespace
}  // namespace roofcast
