#include "engine/validate/split.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <vector>

#include "engine/base/fnv1a64.hpp"

namespace roofcast {
namespace {

TEST_CASE("fold_of: a third of the groups in the fitted half calibrates, whole groups at a time") {
  int calibrate = 0;
  int fit = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string group = fmt::format("n{}", i);
    const Fold fold = fold_of("lab", group);
    CHECK((fold != Fold::judge) == in_fitted_half("lab", group));
    CHECK(fold == fold_of("lab", group));
    calibrate += fold == Fold::calibrate ? 1 : 0;
    fit += fold == Fold::fit ? 1 : 0;
  }
  CHECK(calibrate > 400);
  CHECK(calibrate < 600);
  CHECK(fit > 900);
  CHECK(fit < 1100);
}

TEST_CASE("in_fitted_half: the parity of the hash of source and group") {
  for (const char* group : {"n1536k3584", "bert-large"}) {
    CHECK(in_fitted_half("lab", group) == (fnv1a64(std::string("lab:") + group) % 2 == 0));
  }
  int fitted = 0;
  for (int i = 0; i < 1000; ++i) fitted += in_fitted_half("lab", fmt::format("n{}", i)) ? 1 : 0;
  CHECK(fitted > 450);
  CHECK(fitted < 550);
}

MeasuredRow row_of(const std::string& group) {
  return {.source = "lab", .device = "toy-8gb", .group = group, .what = OperatorRow{.op = "gemm"}};
}

std::string group_in(bool half) {
  for (int i = 0;; ++i) {
    if (std::string group = fmt::format("n{}", i); in_fitted_half("lab", group) == half) return group;
  }
}

TEST_CASE("took_part: source, device, kind and half must all be those of the fit") {
  const MeasuredRow row = row_of(group_in(true));
  const auto seen = [&](const FittedOn& fitted) { return took_part(row, std::span(&fitted, 1)); };

  CHECK(seen({.source = "lab"}));
  CHECK(seen({.device = "toy-8gb", .source = "lab", .kernel = "gemm"}));
  CHECK_FALSE(seen({.source = "other lab"}));
  CHECK_FALSE(seen({.device = "a10", .source = "lab"}));
  CHECK_FALSE(seen({.source = "lab", .kernel = "softmax"}));
  CHECK_FALSE(took_part(row, {}));
}

TEST_CASE("took_part: the other half is seen only by a fit to all groups") {
  const MeasuredRow row = row_of(group_in(false));

  const std::vector<FittedOn> half = {{.source = "lab"}};
  const std::vector<FittedOn> all = {{.source = "other lab"}, {.source = "lab", .split = GroupSplit::all}};

  CHECK_FALSE(took_part(row, half));
  CHECK(took_part(row, all));
}

}  // namespace
}  // namespace roofcast
