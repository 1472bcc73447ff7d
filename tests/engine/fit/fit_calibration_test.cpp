#include "engine/fit/fit_calibration.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/close_to.hpp"
#include "tests/toy_platform.hpp"

namespace roofcast {
namespace {

constexpr auto elementwise = static_cast<std::size_t>(StreamKind::elementwise);
constexpr auto tensor16 = static_cast<std::size_t>(MatrixUnit::tensor16);
constexpr auto vector_unit = static_cast<std::size_t>(MatrixUnit::vector);

// Elementwise kernels of 1 MB to 4 GB in 24 groups of three, on a card that gives them `share` of its memory.
// The times of groups are off by `noise`, up and down without a pattern.
std::vector<KernelSample> streams(double share, double noise = 0) {
  Priors priors = toy_priors();
  priors.kernels.stream[elementwise].bandwidth_share = share;
  priors.kernels.stream[elementwise].launch_us = 2;
  const TimeModel model = time_model(toy_device(), priors);
  std::vector<KernelSample> made;
  for (int i = 0; i < 72; ++i) {
    KernelSample sample{.kernels = {{.form = Stream<std::int64_t>{StreamKind::elementwise, 1},
                                     .read = Bytes{1e6 * std::pow(1.12, i)}}},
                        .machine = model.machine,
                        .device = "toy-8gb",
                        .source = "lab",
                        .kernel = "relu",
                        .precision = "fp32",
                        .group = fmt::format("n{}", i / 3)};
    const int dice = (i / 3 * 7919 + 13) % 24;
    sample.measured =
        benchmark_time(sample.kernels, model, sample.harness) * std::exp(noise * ((dice + 0.5) / 12 - 1));
    made.push_back(std::move(sample));
  }
  return made;
}

Priors architecture() {
  Priors priors = toy_priors();
  priors.kernels.stream[elementwise].bandwidth_share = 0.9;
  priors.kernels.stream[elementwise].launch_us = 2;
  priors.kernels.gemm.fill(GemmParameters{.tiles = {{128, 128}, {64, 64}}});
  priors.fitted_on = {{.device = "other-card", .source = "lab", .kernel = "relu", .rows = 50}};
  return priors;
}

// Products in 16 bits on a card with these priors, each in a group of its own.
std::vector<KernelSample> products(const Priors& priors) {
  const TimeModel model = time_model(toy_device(), priors);
  std::vector<KernelSample> made;
  for (std::int64_t i = 0; i < 60; ++i) {
    const std::int64_t depth = 3200 + 320 * i;
    KernelSample sample{.kernels = {{.form = Gemm<std::int64_t>{1, 640, 320, depth},
                                     .arithmetic = Arithmetic::tensor_bf16,
                                     .macs = 640.0 * 320 * static_cast<double>(depth),
                                     .read = Bytes{1e5},
                                     .written = Bytes{1e5}}},
                        .machine = model.machine,
                        .device = "toy-8gb",
                        .source = "lab",
                        .kernel = "gemm",
                        .precision = "bf16",
                        .group = fmt::format("k{}", depth)};
    sample.measured = benchmark_time(sample.kernels, model, sample.harness);
    made.push_back(std::move(sample));
  }
  return made;
}

TEST_CASE("fit_calibration: finds the bandwidth that a card gives, with less than an architecture needs") {
  const CalibrationFit fit = fit_calibration(architecture(), streams(0.7), GroupSplit::all);

  REQUIRE(fit.stages.size() == 1);
  const StageCalibration& stage = fit.stages.front();
  CHECK(stage.stage == "stream.elementwise");
  CHECK(stage.samples == 72);
  CHECK(stage.groups == 24);
  CHECK(stage.kept);
  CHECK(stage.parameters);
  CHECK(stage.before.median > 0.15);
  CHECK(stage.after.median < 0.02);
  CHECK(fit.priors.kernels.stream[elementwise].bandwidth_share == close_to(0.7, 0.02));
  REQUIRE(fit.priors.fitted_on.size() == 2);
  CHECK(fit.priors.fitted_on.back().device == "toy-8gb");
  CHECK(fit.priors.fitted_on.back().rows == 72);
  CHECK(fit.priors.fitted_on.back().split == GroupSplit::all);
}

TEST_CASE("fit_calibration: samples that only scatter change nothing, and the report says so") {
  const CalibrationFit fit = fit_calibration(architecture(), streams(0.9, 0.1), GroupSplit::all);

  REQUIRE(fit.stages.size() == 1);
  CHECK_FALSE(fit.stages.front().kept);
  CHECK(fit.stages.front().reason == "not better on samples that were held out");
  CHECK(fit.priors.kernels.stream[elementwise].bandwidth_share == 0.9);
  CHECK(fit.priors.kernels.stream[elementwise].launch_us == 2);
  CHECK(fit.priors.fitted_on.size() == 1);
}

TEST_CASE("fit_calibration: the range holds 80% of the errors that were held out") {
  const CalibrationFit fit = fit_calibration(architecture(), streams(0.5, 0.1), GroupSplit::all);

  // Errors are even between -10% and 10%: eight in ten lie within 8%.
  const Spread& spread = fit.priors.kernels.stream[elementwise].spread;
  CHECK(spread.low == close_to(std::exp(-0.08), 0.03));
  CHECK(spread.high == close_to(std::exp(0.08), 0.03));
}

TEST_CASE("fit_calibration: an architecture that borrows does not widen what was measured on the card") {
  Priors borrowed = architecture();
  borrowed.widened = 2;

  const CalibrationFit fit = fit_calibration(borrowed, streams(0.5, 0.1), GroupSplit::all);

  const Spread& spread = fit.priors.kernels.stream[elementwise].spread;
  CHECK(fit.priors.widened == 2);
  CHECK(std::pow(spread.high, 2) == close_to(std::exp(0.08), 0.03));
}

TEST_CASE("fit_calibration: samples of products in 16 bits leave other precisions and kernels alone") {
  Priors card = architecture();
  card.kernels.gemm[tensor16].peak_share = 0.5;
  const Priors before = architecture();

  const CalibrationFit fit = fit_calibration(before, products(card), GroupSplit::all);

  CHECK(fit.stages.front().kept);
  Priors after = fit.priors;
  Priors start = before;
  const auto now = named_parameters(after.kernels);
  const auto then = named_parameters(start.kernels);
  bool changed = false;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const bool own = now[i].table == "gemm.tensor16" || now[i].table == "power.tensor16";
    if (own && *now[i].value != *then[i].value) changed = true;
    INFO(now[i].table, ".", std::string(now[i].key));
    if (!own) CHECK(*now[i].value == *then[i].value);
  }
  CHECK(changed);
  CHECK(fit.priors.kernels.gemm[vector_unit].spread.high == before.kernels.gemm[vector_unit].spread.high);
  CHECK(fit.priors.kernels.gemm[vector_unit].residual.points.empty());
}

TEST_CASE("fit_calibration: it takes 8 samples of 8 groups") {
  std::vector<KernelSample> seven = streams(0.5);
  seven.resize(7);
  std::vector<KernelSample> alike = streams(0.5);
  alike.resize(7 * 3);
  std::vector<KernelSample> enough = streams(0.5);
  enough.resize(8 * 3);

  CHECK(fit_calibration(architecture(), seven, GroupSplit::all).stages.front().reason ==
        "fewer than 8 samples");
  CHECK(fit_calibration(architecture(), alike, GroupSplit::all).stages.front().reason ==
        "samples of fewer than 8 groups of shapes");
  CHECK(fit_calibration(architecture(), enough, GroupSplit::all).stages.front().kept);
  CHECK(fit_calibration(architecture(), {}, GroupSplit::all).stages.empty());
}

TEST_CASE("fit_calibration: samples that judge change nothing but what is reported") {
  std::vector<KernelSample> plain = streams(0.7);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (i / 3 % 2 == 0) plain[i].fold = Fold::judge;
  }
  std::vector<KernelSample> other = plain;
  for (KernelSample& sample : other) {
    if (sample.fold == Fold::judge) sample.measured *= 3;
  }

  const CalibrationFit left = fit_calibration(architecture(), plain, GroupSplit::half);
  const CalibrationFit right = fit_calibration(architecture(), other, GroupSplit::half);

  CHECK(left.priors.kernels.stream[elementwise].bandwidth_share ==
        right.priors.kernels.stream[elementwise].bandwidth_share);
  CHECK(left.stages.front().judged == 36);
  CHECK(left.stages.front().judged_after.median < 0.02);
  CHECK(left.stages.front().judged_inside == 1);
  CHECK(right.stages.front().judged_after.median == close_to(2.0 / 3, 0.02));
}

TEST_CASE("fit_calibration: what an architecture's residual says too much is corrected or dropped") {
  Priors wrong = architecture();
  wrong.kernels.gemm[tensor16].residual = {
      .length = 3, .points = {{std::log2(640), std::log2(320), std::log2(12000), 0}}, .weights = {0.3}};

  const CalibrationFit fit = fit_calibration(wrong, products(architecture()), GroupSplit::all);

  const StageCalibration& stage = fit.stages.front();
  CHECK(stage.kept);
  CHECK(stage.residual != CardResidual::architecture);
  CHECK(stage.before.median > 0.15);
  CHECK(stage.after.median < 0.03);
}

}  // namespace
}  // namespace roofcast
