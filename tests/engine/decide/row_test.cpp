#include "engine/decide/row.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "engine/decide/estimate.hpp"
#include "tests/toy_model.hpp"
#include "tests/toy_platform.hpp"

namespace roofcast {
namespace {

// One product of [batch, 1024] and [1024, 1024] values, 4 MiB of weights in fp32.
const std::string text = model_head("batch = 1") + input("x", "\"batch\", 1024") +
                         node("fc", "linear", "\"x\"", "out_features = 1024\nbias = false");

AnswerRow row_of(const Platform& platform, Request request = {}) {
  request.precisions = {"fp32"};
  request.batches = {64};
  const auto group = estimate(load(text), platform, request);
  REQUIRE(group.has_value());
  return group->rows.front();
}

bool has_note(const AnswerRow& row, std::string_view beginning) {
  return std::ranges::any_of(row.notes, [&](const std::string& note) { return note.starts_with(beginning); });
}

TEST_CASE("answer_row: a host that cannot keep up is told in words") {
  Platform platform = toy_platform();
  CHECK_FALSE(has_note(row_of(platform), "limited by the host"));

  platform.runtime.host.call = microseconds(10000);
  const AnswerRow row = row_of(platform);

  CHECK(row.bound == Bound::launch);
  CHECK(row.waiting_share > 0.9);
  CHECK(has_note(row, "limited by the host: kernels wait for their launches 9"));
}

TEST_CASE("answer_row: a recorded graph costs the host one step, whatever its operators cost") {
  Platform platform = toy_platform();
  platform.runtime.host.call = microseconds(10000);
  platform.runtime.replays = true;

  CHECK(row_of(platform).waiting_share < 0.1);
}

TEST_CASE("answer_row: a power limit that slows arithmetic is told") {
  Platform platform = toy_platform();
  CHECK_FALSE(has_note(row_of(platform), "the power limit"));

  for (PowerParameters& power : platform.priors.kernels.power) power.watts_per_tera = 80;
  platform.device.board_power = Watts{10};

  CHECK(has_note(row_of(platform), "the power limit slows arithmetic"));
}

TEST_CASE("answer_row: a pipeline that is too slow sets the throughput and is told") {
  Request request{.input = {.samples_per_second = 100}};

  const AnswerRow row = row_of(toy_platform(), request);

  CHECK(*row.throughput == doctest::Approx(100));
  CHECK(row.bound == Bound::input);
  CHECK(has_note(row, "the input pipeline is the limit: it delivers 100 samples/s, the card could take "));
}

TEST_CASE("answer_row: a long copy of the inputs is told with its share") {
  Platform platform = toy_platform();
  platform.device.pcie_generation = 1;
  platform.device.pcie_lanes = 1;
  const AnswerRow plain = row_of(platform);

  const AnswerRow row = row_of(platform, {.input = {.copied = true}});

  CHECK(row.latency->p50 > plain.latency->p50);
  CHECK(row.bound == Bound::input);
  CHECK(has_note(row, "copying the inputs to the card (0.262 MB) takes "));
}

}  // namespace
}  // namespace roofcast
