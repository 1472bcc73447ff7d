#include "engine/schedule/step_time.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/close_to.hpp"
#include "tests/toy_platform.hpp"

namespace roofcast {
namespace {

constexpr std::size_t forward = 0;
constexpr std::size_t backward = 1;
constexpr std::size_t optimizer = 2;

// Launches are free, so that a gigabyte is a millisecond.
Priors free_launches() {
  Priors priors = toy_priors();
  for (GemmParameters& gemm : priors.kernels.gemm) gemm.launch_us = 0;
  for (StreamParameters& stream : priors.kernels.stream) stream.launch_us = 0;
  return priors;
}

BoundKernel copy(double microseconds, StreamKind kind = StreamKind::copy) {
  return {.form = Stream<std::int64_t>{kind, 1}, .read = Bytes{1e6 * microseconds}};
}

// 6.4 GFLOP at 10 TFLOP/s: 640 us.
BoundKernel product() {
  return {.form = Gemm<std::int64_t>{.m = 1000, .n = 1000, .k = 3200},
          .arithmetic = Arithmetic::tensor_fp16,
          .macs = 3.2e9};
}

double us(Seconds time) {
  return as_microseconds(time);
}

TEST_CASE("StepSum: kernels run one after the other, with gaps between them") {
  Runtime runtime = toy_runtime();
  runtime.gap = microseconds(2);
  const Priors priors = free_launches();
  const TimeModel model = time_model(toy_device(), priors);
  StepSum sum(runtime, model);
  sum.add(copy(100), forward, 3);
  sum.add(product(), backward, 1);

  const StepTime step = sum.finish({});

  CHECK(us(step.time.p50) == close_to(3 * 100 + 640 + 4 * 2));
  CHECK(us(step.timeline.device) == close_to(948));
  CHECK(us(step.by_bound[static_cast<std::size_t>(Bound::memory)]) == close_to(300.0 / 940 * 948));
  CHECK(us(step.by_bound[static_cast<std::size_t>(Bound::compute)]) == close_to(640.0 / 940 * 948));
}

TEST_CASE("StepSum: the host calls operators and launches kernels") {
  Runtime runtime = toy_runtime();
  runtime.host = {.call = microseconds(10),
                  .training_call = microseconds(5),
                  .backward_call = microseconds(20),
                  .launch = microseconds(1),
                  .optimizer_tensor = microseconds(2),
                  .step = microseconds(50)};
  const Priors priors = free_launches();
  const TimeModel model = time_model(toy_device(), priors);
  const auto total = [&](const HostWork& work) {
    StepSum sum(runtime, model);
    sum.add(copy(1), forward, 3);
    sum.add(copy(1), backward, 4);
    sum.add(copy(1), optimizer, 1);
    return us(sum.finish(work).time.p50);
  };

  // Kernels of a microsecond wait for the host in every stretch.
  CHECK(total({.operators = {3, 2, 0}}) == close_to(50 + 3 * 10 + 2 * 20 + 8 * 1));
  CHECK(total({.operators = {3, 2, 0}, .optimizer_tensors = 6, .training = true}) ==
        close_to(50 + 3 * 15 + 2 * 20 + 8 * 1 + 6 * 2));
}

TEST_CASE("StepSum: what the device waits for the host is launch bound, and all parts sum to the whole") {
  Runtime runtime = toy_runtime();
  runtime.host.call = microseconds(100);
  const Priors priors = free_launches();
  const TimeModel model = time_model(toy_device(), priors);
  StepSum sum(runtime, model);
  sum.add(copy(10), forward, 4);

  const StepTime step = sum.finish({.operators = {4, 0, 0}});

  CHECK(us(step.time.p50) == close_to(400));
  CHECK(us(step.by_bound[static_cast<std::size_t>(Bound::launch)]) == close_to(360));
  CHECK(us(step.by_bound[static_cast<std::size_t>(Bound::memory)]) == close_to(40));
}

TEST_CASE("StepSum: a recorded graph costs the host its step alone") {
  Runtime runtime = toy_runtime();
  runtime.replays = true;
  runtime.host = {
      .call = microseconds(100), .launch = microseconds(100), .optimizer_tensor = microseconds(100)};
  const Priors priors = free_launches();
  const TimeModel model = time_model(toy_device(), priors);
  StepSum sum(runtime, model);
  sum.add(copy(10), forward, 4);

  CHECK(us(sum.finish({.operators = {4, 0, 0}}).time.p50) == close_to(40));
  // The optimizer is not recorded with the model.
  CHECK(us(sum.finish({.operators = {4, 0, 0}, .optimizer_tensors = 9}).time.p50) == close_to(900));
}

TEST_CASE("StepSum: errors of one family add up as they are, those of others are independent") {
  Priors priors = free_launches();
  for (StreamParameters& stream : priors.kernels.stream) stream.spread = {0.5, 2};
  const TimeModel model = time_model(toy_device(), priors);
  const Runtime runtime = toy_runtime();
  const auto range = [&](StreamKind second) {
    StepSum sum(runtime, model);
    sum.add(copy(100, StreamKind::softmax), forward, 1);
    sum.add(copy(100, second), forward, 1);
    return sum.finish({}).time;
  };
  const TimeRange same = range(StreamKind::softmax);
  const TimeRange different = range(StreamKind::optimizer);

  CHECK(us(same.p90) == close_to(2 * 200));
  CHECK(us(same.p10) == close_to(0.5 * 200));
  // two halves of ln 2 at right angles: ln 2 / sqrt(2)
  CHECK(us(different.p90) == close_to(200 * std::pow(2, 1 / std::sqrt(2))));
  CHECK(us(different.p10) == close_to(200 / std::pow(2, 1 / std::sqrt(2))));
}

TEST_CASE("StepSum: hosts differ, and architectures that borrow widen all of it") {
  Priors priors = free_launches();
  for (StreamParameters& stream : priors.kernels.stream) stream.spread = {1 / std::exp(0.3), std::exp(0.3)};
  priors.widened = 2;
  const TimeModel model = time_model(toy_device(), priors);
  Runtime runtime = toy_runtime();
  runtime.spread = std::exp(0.4);
  StepSum sum(runtime, model);
  sum.add(copy(100), forward, 1);

  const TimeRange time = sum.finish({}).time;

  CHECK(us(time.p90) == close_to(100 * std::exp(2 * 0.5)));  // 0.3 and 0.4 make 0.5
  CHECK(us(time.p10) == close_to(100 / std::exp(2 * 0.5)));
}

TEST_CASE("StepSum: what the device waits for has only the host's error") {
  Priors priors = free_launches();
  for (StreamParameters& stream : priors.kernels.stream) stream.spread = {0.5, 2};
  const TimeModel model = time_model(toy_device(), priors);
  Runtime runtime = toy_runtime();
  runtime.host.call = microseconds(400);
  StepSum sum(runtime, model);
  sum.add(copy(100), forward, 1);

  const TimeRange time = sum.finish({.operators = {1, 0, 0}}).time;

  CHECK(us(time.p90) == close_to(400 * std::pow(2, 0.25)));  // a quarter of the time is the kernel's
}

// 25 W for each of 10 TFLOP/s is 2.5 times the board's 100 W; moving data wants 0.45 of it.
TEST_CASE("StepSum: a step that wants more than the board's power slows down its arithmetic alone") {
  Priors priors = free_launches();
  priors.kernels.power.fill({.watts_per_tera = 25, .clock_exponent = 0.5});
  const TimeModel model = time_model(toy_device(), priors);
  const Runtime runtime = toy_runtime();
  const auto step = [&](bool multiplies) {
    StepSum sum(runtime, model);
    if (multiplies) sum.add(product(), forward, 1);
    sum.add(copy(360), forward, 1);
    return sum.finish({});
  };
  const double power = (2.5 * 640 + 0.45 * 360) / 1000;

  CHECK(step(true).power == close_to(power));
  CHECK(us(step(true).time.p50) == close_to(640 * std::sqrt(power) + 360));
  CHECK(step(false).power == close_to(0.45));
  CHECK(us(step(false).time.p50) == close_to(360));
}

TEST_CASE("StepSum: a kernel whose time is known counts like one that is timed here") {
  const Priors priors = toy_priors();
  const TimeModel model = time_model(toy_device(), priors);
  const Runtime runtime = toy_runtime();
  StepSum timed(runtime, model);
  StepSum known(runtime, model);
  timed.add(product(), forward, 2);
  known.add(kernel_time(product(), model), KernelFamily::gemm, MatrixUnit::tensor16, forward, 2);

  CHECK(timed.finish({}).time.p50 == known.finish({}).time.p50);
  CHECK(us(known.finish({}).time.p50) == close_to(2 * 645));
}

TEST_CASE("StepSum: nothing takes no time") {
  const Priors priors = toy_priors();
  const TimeModel model = time_model(toy_device(), priors);
  const Runtime runtime = toy_runtime();

  const StepTime step = StepSum(runtime, model).finish({});

  CHECK(step.time.p50.count() == 0);
  CHECK(step.time.p90.count() == 0);
  CHECK(step.power == 0);
}

TEST_CASE("StepSum: how long a host takes is part of the range where it is waited for") {
  Runtime runtime = toy_runtime();
  runtime.host = {.call = microseconds(100), .spread = 2};
  const Priors priors = free_launches();
  const TimeModel model = time_model(toy_device(), priors);
  const auto range = [&](double device_us) {
    StepSum sum(runtime, model);
    sum.add(copy(device_us), forward, 1);
    return sum.finish({.operators = {1, 0, 0}}).time;
  };

  const TimeRange waiting = range(1);
  CHECK(us(waiting.p50) == close_to(100));
  CHECK(us(waiting.p90) == close_to(200));
  CHECK(us(waiting.p10) == close_to(50));
  // The device hides 100 us, but not the 200 of a slow host.
  const TimeRange hidden = range(150);
  CHECK(us(hidden.p50) == close_to(150));
  CHECK(us(hidden.p10) == close_to(150));
  CHECK(us(hidden.p90) == close_to(200));
  const TimeRange long_run = range(1000);
  CHECK(us(long_run.p90) == close_to(us(long_run.p50)));
}

}  // namespace
}  // namespace roofcast
