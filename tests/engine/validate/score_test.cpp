#include "engine/validate/score.hpp"

#include <doctest/doctest.h>

#include "tests/close_to.hpp"

namespace roofcast {
namespace {

MeasuredRow operator_row(std::string op, double seconds) {
  return {.source = "lab",
          .hardware = "toy",
          .device = "toy-8gb",
          .group = "g",
          .runtime = "torch",
          .measured = Seconds{seconds},
          .what = OperatorRow{.op = std::move(op), .precision = "fp16"}};
}

Outcome predicted(double p50, double spread = 1.0) {
  return {TimeRange{Seconds{p50 / spread}, Seconds{p50}, Seconds{p50 * spread}}};
}

Score total(const std::vector<MeasuredRow>& rows, const std::vector<Outcome>& outcomes) {
  return score(rows, outcomes, {}).total;
}

TEST_CASE("score: median, mean, bias and ninth decile of relative errors") {
  const std::vector<MeasuredRow> rows(4, operator_row("gemm", 10));

  // +10%, -20%, +30%, +50%
  const Score four = total(rows, {predicted(11), predicted(8), predicted(13), predicted(15)});

  CHECK(four.rows == 4);
  CHECK(four.unpredicted.empty());
  CHECK(four.errors.median == close_to((0.2 + 0.3) / 2));
  CHECK(four.errors.mean == close_to((0.1 + 0.2 + 0.3 + 0.5) / 4));
  CHECK(*four.errors.bias == close_to((0.1 + 0.3) / 2));
  CHECK(four.errors.p90 == close_to(0.3 + 0.7 * (0.5 - 0.3)));  // position 0.9 * 3 = 2.7
}

TEST_CASE("score: a row without a prediction is wrong by all of it") {
  const std::vector<MeasuredRow> rows(3, operator_row("gemm", 10));

  const Score three =
      total(rows, {predicted(11), {no_prediction("runtime:x")}, {no_prediction("runtime:x")}});

  CHECK(three.unpredicted == std::map<std::string, std::int64_t>{{"runtime:x", 2}});
  CHECK(three.unpredicted_rows() == 2);
  CHECK(three.errors.median == 1.0);
  CHECK(three.errors.mean == close_to((0.1 + 1 + 1) / 3));
  CHECK(*three.errors.bias == close_to(0.1));  // of what was predicted
}

TEST_CASE("score: without any prediction there is no bias and no range") {
  const Score one = total({operator_row("gemm", 10)}, {{no_prediction("device:x")}});

  CHECK(one.errors.median == 1.0);
  CHECK_FALSE(one.errors.bias.has_value());
  CHECK_FALSE(one.inside_range.has_value());
  CHECK_FALSE(one.half_width.has_value());
}

TEST_CASE("score: the share inside the range counts its ends and only predicted rows") {
  const std::vector<MeasuredRow> rows = {operator_row("gemm", 20), operator_row("gemm", 5),
                                         operator_row("gemm", 20.1), operator_row("gemm", 1)};

  const Score four =
      total(rows, {predicted(10, 2), predicted(10, 2), predicted(10, 2), {no_prediction("device:x")}});

  CHECK(*four.inside_range == close_to(2.0 / 3));
  CHECK(*four.half_width == close_to((20.0 - 5.0) / (2 * 10.0)));
}

TEST_CASE("score: groups by several axes, sorted, and all rows together") {
  std::vector<MeasuredRow> rows = {operator_row("softmax", 10), operator_row("gemm", 10),
                                   operator_row("gemm", 10)};
  rows[2].device.clear();

  const Scores scores = score(rows, std::vector{predicted(11), predicted(12), predicted(13)},
                              {ScoreAxis::kernel, ScoreAxis::device});

  REQUIRE(scores.groups.size() == 3);
  CHECK(scores.groups[0].key == std::vector<std::string>{"gemm", "toy"});  // as the table spells it
  CHECK(scores.groups[1].key == std::vector<std::string>{"gemm", "toy-8gb"});
  CHECK(scores.groups[2].key == std::vector<std::string>{"softmax", "toy-8gb"});
  CHECK(scores.groups[2].score.errors.median == close_to(0.1));
  CHECK(scores.total.rows == 3);
}

TEST_CASE("score: the baseline is judged on the same rows") {
  const std::vector<MeasuredRow> rows(2, operator_row("gemm", 10));
  Outcome with = predicted(11);
  with.baseline = Seconds{4};

  const Score two = total(rows, {with, {no_prediction("device:x")}});

  REQUIRE(two.baseline.has_value());
  CHECK(two.baseline->median == close_to((0.6 + 1.0) / 2));
  CHECK(*two.baseline->bias == close_to(-0.6));
}

TEST_CASE("score: nothing to compare is no error") {
  CHECK(total({}, {}).rows == 0);
}

TEST_CASE("axis_value: operators have no model, networks are a kind of their own") {
  const MeasuredRow op = operator_row("gemm", 1);
  const MeasuredRow network{.what = NetworkRow{.model = "bert", .task = Task::training}};

  CHECK(axis_value(ScoreAxis::model, op, {}).empty());
  CHECK(axis_value(ScoreAxis::task, op, {}) == "forward");
  CHECK(axis_value(ScoreAxis::seen, op, {}) == "unseen");
  CHECK(axis_value(ScoreAxis::seen, op, {{{.source = "lab", .split = GroupSplit::all}}}) == "seen");
  CHECK(axis_value(ScoreAxis::kernel, network, {}) == "network");
  CHECK(axis_value(ScoreAxis::model, network, {}) == "bert");
  CHECK(axis_value(ScoreAxis::task, network, {}) == "training");
  CHECK(axis_value(ScoreAxis::scope, op, {}) == "device");
  CHECK(axis_value(ScoreAxis::scope, network, {}) == "host");
  CHECK(axis_value(ScoreAxis::scope, {.what = NetworkRow{.device_only = true}}, {}) == "device");
}

TEST_CASE("precision_name: policies have the names that people use") {
  const auto name = [](const NetworkRow& row) { return precision_name({.what = row}); };

  CHECK(name({}) == "fp32");
  CHECK(name({.tf32 = Tf32::on}) == "tf32");
  CHECK(name({.tf32 = Tf32::convolutions}) == "tf32-convolutions");
  CHECK(name({.compute = DType::fp16, .tf32 = Tf32::on}) == "amp-fp16");
  CHECK(name({.storage = DType::bf16, .compute = DType::bf16}) == "bf16");
  CHECK(name({.storage = DType::fp16, .compute = DType::fp32}) == "fp16-in-fp32");
  CHECK(name({.storage = DType::fp16, .compute = DType::fp16, .weight_format = "q4_k_m"}) == "q4_k_m");
}

TEST_CASE("parse_score_axis: the names of the axes") {
  CHECK(parse_score_axis("runtime") == ScoreAxis::runtime);
  CHECK_FALSE(parse_score_axis("colour").has_value());
}

}  // namespace
}  // namespace roofcast
