#include "engine/decide/sweep.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "engine/base/threads.hpp"
#include "engine/decide/estimate.hpp"
#include "engine/report/answer_report.hpp"
#include "engine/report/csv.hpp"
#include "tests/toy_model.hpp"
#include "tests/toy_platform.hpp"

namespace roofcast {
namespace {

const std::string net = model_head("batch = 1\nwidth = 1024\nprompt = 128\npast = 0", "tokens = \"prompt\"") +
                        input("x", "\"batch\", \"prompt\", \"width\"") +
                        node("fc", "linear", "\"x\"", "out_features = 8") +
                        "[phase.prefill]\n[phase.decode]\nprompt = 1\n";

constexpr std::int64_t overflows = std::int64_t{1} << 61;

// Every seventh is refused.
std::vector<std::int64_t> batches(std::int64_t count) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 1; i <= count; ++i) sizes.push_back(i % 7 == 0 ? overflows + i : i);
  return sizes;
}

Result<AnswerGroup> on_threads(std::size_t threads, const Request& request, const Progress& progress = {}) {
  const ThreadLimit limit(threads);
  return estimate(load(net), toy_platform(), request, progress);
}

std::string rows_of(const AnswerGroup& group) {
  return write_csv(answer_rows({.groups = {group}}));
}

TEST_CASE("sweep: the number of threads changes neither rows nor their order") {
  const Request request{.precisions = {"fp16", "fp32"}, .batches = batches(3000)};

  const auto alone = on_threads(1, request);
  const auto together = on_threads(4, request);

  REQUIRE(alone.has_value());
  REQUIRE(together.has_value());
  const std::size_t refused = 3000 / 7;
  CHECK(alone->rows.size() == 2 * 2 * (3000 - refused));  // precisions, phases
  CHECK(alone->skipped.size() == 2 * 2 * refused);
  CHECK((rows_of(*alone) == rows_of(*together)));
  CHECK((alone->skipped == together->skipped));
  CHECK(alone->verdict == together->verdict);
  CHECK(alone->recommended == together->recommended);
}

TEST_CASE("sweep: rows are as if each had been asked for alone, by phase, precision and batch") {
  const auto together = on_threads(4, {.precisions = {"fp16", "fp32"}, .batches = batches(1000)});

  REQUIRE(together.has_value());
  const std::size_t of_curve = 1000 - 1000 / 7;
  for (const std::int64_t batch : {1, 256, 258, 999}) {
    const auto alone = on_threads(1, {.precisions = {"fp32"}, .batches = {batch}, .phases = {"decode"}});
    REQUIRE(alone.has_value());
    const auto place = static_cast<std::size_t>(batch - 1 - batch / 7);
    const AnswerRow& row = together->rows[3 * of_curve + place];
    CHECK(rows_of({.rows = {row}}) == rows_of({.rows = alone->rows}));
  }
}

TEST_CASE("sweep: what is refused first is told, whichever thread was first") {
  const auto nothing = on_threads(4, {.precisions = {"fp16"}, .batches = std::vector(1000, overflows)});
  const auto skipped = on_threads(4, {.precisions = {"fp16", "fp32"}, .batches = batches(1000)});

  REQUIRE_FALSE(nothing.has_value());
  CHECK(to_string(nothing.error()).find("overflow 64 bits") != std::string::npos);
  REQUIRE(skipped.has_value());
  CHECK(skipped->skipped[0].starts_with("prefill, fp16, batch 2305843009213693959: "));  // 2^61 + 7
  CHECK(skipped->skipped[1000 / 7].starts_with("decode, fp16, batch 2305843009213693959: "));
  CHECK(skipped->skipped.back().starts_with("decode, fp32, batch 2305843009213694946: "));  // 2^61 + 994
}

TEST_CASE("sweep: progress ascends to the total") {
  std::vector<std::size_t> calls;
  const auto note = [&](std::size_t done, std::size_t total) {
    CHECK(total == 2 * 1000);
    calls.push_back(done);
  };

  REQUIRE(on_threads(4, {.precisions = {"fp16"}, .batches = batches(1000)}, note).has_value());

  CHECK(calls.size() == 8);  // blocks of 256
  CHECK(std::ranges::is_sorted(calls));
  CHECK(calls.back() == 2 * 1000);
}

TEST_CASE("estimate: values that tell it from other requests are in the verdict and in what is skipped") {
  const auto answer = on_threads(1, {.precisions = {"fp16"},
                                     .batches = {1, overflows},
                                     .phases = {"decode"},
                                     .symbols = {{"past", 3}, {"width", 512}},
                                     .listed = {"past"}});

  REQUIRE(answer.has_value());
  CHECK(answer->listed == std::map<std::string, std::int64_t>{{"past", 3}});
  CHECK(answer->verdict.starts_with("net with past 3 on Toy"));
  REQUIRE(answer->skipped.size() == 1);
  CHECK(answer->skipped[0].starts_with("past 3, fp16, batch "));
}

TEST_CASE("estimate: more configurations than one answer can hold are refused") {
  const std::vector<std::int64_t> half(most_configurations / 2 + 1, 1);

  const auto refused = on_threads(1, {.precisions = {"fp16"}, .batches = half});  // in two phases

  REQUIRE_FALSE(refused.has_value());
  CHECK(to_string(refused.error()) ==
        "error: 500001 batch sizes in 2 precisions and phases are more than 1000000 configurations\n"
        "  hint: ask for fewer of --batch, --precision or --phase at a time\n");
}

}  // namespace
}  // namespace roofcast
