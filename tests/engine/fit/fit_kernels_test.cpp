#include "engine/fit/fit_kernels.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "engine/fit/fit_networks.hpp"
#include "engine/fit/fit_tables.hpp"
#include "tests/close_to.hpp"
#include "tests/toy_platform.hpp"

namespace roofcast {
namespace {

constexpr auto softmax = static_cast<std::size_t>(StreamKind::softmax);

BoundKernel stream(double bytes, StreamKind kind = StreamKind::softmax) {
  return {.form = Stream<std::int64_t>{kind, 1}, .read = Bytes{bytes}};
}

// A card whose memory gives 70% of its 1 TB/s to softmax, with launches of 3 us.
Priors truth() {
  Priors priors = toy_priors();
  priors.kernels.stream[softmax].bandwidth_share = 0.7;
  priors.kernels.stream[softmax].launch_us = 3;
  return priors;
}

// Softmax of 10 kB to 1 GB, timed on that card.
std::vector<KernelSample> samples() {
  const Priors priors = truth();
  const TimeModel model = time_model(toy_device(), priors);
  std::vector<KernelSample> made;
  for (double bytes = 1e4; bytes <= 1e9; bytes *= 2) {
    KernelSample sample{.kernels = {stream(bytes)}, .machine = model.machine};
    sample.measured = benchmark_time(sample.kernels, model, sample.harness);
    made.push_back(std::move(sample));
  }
  return made;
}

Priors start() {
  Priors priors = toy_priors();
  priors.kernels.stream[softmax].bandwidth_share = 0.9;
  priors.kernels.stream[softmax].launch_us = 2;
  return priors;
}

const std::vector<std::string> tables = {"stream.softmax"};

TEST_CASE("errors: logarithms of measured over predicted") {
  Priors priors = truth();
  for (const double error : errors(samples(), priors)) CHECK(std::abs(error) < 1e-12);
  priors.kernels.stream[softmax].bandwidth_share = 0.35;

  CHECK(errors(samples(), priors).back() == close_to(std::log(0.5), 0.01));
}

TEST_CASE("fit_parameters: recovers a share of the bandwidth and a launch from timings of kernels") {
  const Priors fitted = fit_parameters(start(), samples(), tables, {.noise = 0.01});
  const StreamParameters& parameters = fitted.kernels.stream[softmax];

  CHECK(parameters.bandwidth_share == close_to(0.7, 0.01));
  CHECK(parameters.launch_us == close_to(3, 0.01));
}

TEST_CASE("fit_parameters: other tables, numbers at 0 and what nothing depends on stay") {
  const Priors fitted = fit_parameters(start(), samples(), tables, {});
  const auto copy = static_cast<std::size_t>(StreamKind::copy);

  CHECK(fitted.kernels.stream[copy].bandwidth_share == 1);
  CHECK(fitted.kernels.stream[softmax].further_reads == 0);
  CHECK(fitted.kernels.stream[softmax].operations_share == close_to(1, 1e-6));
  CHECK(fit_parameters(start(), samples(), {}, {}).kernels.stream[softmax].bandwidth_share == 0.9);
}

TEST_CASE("fit_parameters: recovers the same from timings of networks of such kernels") {
  const Priors priors = truth();
  const TimeModel model = time_model(toy_device(), priors);
  Runtime runtime = toy_runtime();
  runtime.gap = microseconds(1);
  std::vector<NetworkSample> networks;
  for (double bytes = 1e4; bytes <= 1e9; bytes *= 4) {
    NetworkSample sample{.machine = model.machine, .runtime = runtime};
    sample.passes = {{.kernels = {{.kernel = stream(bytes), .count = 10}}, .times = 3}};
    const Seconds kernel = kernel_time(stream(bytes), model).total;
    sample.measured = 3 * 10 * (kernel + microseconds(1));
    networks.push_back(std::move(sample));
  }
  for (const double error : errors(networks, priors)) CHECK(std::abs(error) < 1e-12);

  const Priors fitted = fit_parameters(start(), networks, tables, {.noise = 0.01});

  CHECK(fitted.kernels.stream[softmax].bandwidth_share == close_to(0.7, 0.01));
  CHECK(fitted.kernels.stream[softmax].launch_us == close_to(3, 0.01));
}

TEST_CASE("covered: the share of networks within their ranges") {
  const Priors priors = toy_priors();  // sure of everything
  const TimeModel model = time_model(toy_device(), priors);
  std::vector<NetworkSample> networks;
  for (const double off : {0.99, 1.0, 1.01, 1.5}) {
    NetworkSample sample{.machine = model.machine, .runtime = toy_runtime()};
    sample.runtime.spread = 1.1;
    sample.passes = {{.kernels = {{.kernel = stream(1e9)}}, .times = 2}};
    sample.measured = off * 2 * kernel_time(stream(1e9), model).total;
    networks.push_back(std::move(sample));
  }

  CHECK(covered(networks, priors) == 0.75);
  CHECK(covered(std::span<const NetworkSample>{}, priors) == 0);
}

TEST_CASE("errors: kernels that networks share are timed anew where their parameters differ") {
  Priors priors = truth();
  const TimeModel model = time_model(toy_device(), priors);
  std::vector<NetworkSample> networks(2, {.machine = model.machine, .runtime = toy_runtime()});
  networks[0].passes = {{.kernels = {{.kernel = stream(1e9)}}}};
  networks[1].passes = {{.kernels = {{.kernel = stream(1e9, StreamKind::copy)}}}};
  networks[1].machine.bandwidth = 0.5 * networks[1].machine.bandwidth;
  for (NetworkSample& sample : networks) sample.measured = Seconds{1};

  const std::vector<double> both = errors(networks, priors);

  CHECK(both.at(0) == close_to(std::log(1 / (1e9 / 0.7e12 + 3e-6))));
  CHECK(both.at(1) == close_to(std::log(1 / (1e9 / 0.5e12 + 5e-6))));
}

TEST_CASE("fit_tables: a value is held at its physical bound") {
  // The model can only be right with twice the bandwidth.
  const auto errors_of = [](const Priors& priors) {
    return std::vector<double>(20, std::log(priors.kernels.stream[softmax].bandwidth_share / 2));
  };

  CHECK(fit_tables(start(), tables, {}, errors_of).kernels.stream[softmax].bandwidth_share == close_to(1));
}

TEST_CASE("spread_of: the 10th and 90th percentile around the median") {
  std::vector<KernelSample> timed;
  const Priors priors = truth();
  for (int i = -10; i <= 10; ++i) {  // measured are 0.9, 0.91, ..., 1.1 times predicted
    KernelSample sample = samples().back();
    sample.measured *= 1 + i / 100.0;
    timed.push_back(std::move(sample));
  }

  CHECK(spread_of(timed, priors).low == close_to(0.92, 1e-6));
  CHECK(spread_of(timed, priors).high == close_to(1.08, 1e-6));
}

TEST_CASE("spread_of: holds the median, and too few samples say nothing") {
  const Priors priors = truth();
  std::vector<KernelSample> slower(20, samples().back());
  for (KernelSample& sample : slower) sample.measured *= 1.5;

  CHECK(spread_of(slower, priors).low < 1);
  CHECK(spread_of(slower, priors).high == close_to(1.5, 1e-6));
  CHECK(spread_of(std::span(slower).first(9), priors).high == Spread{}.high);
}

}  // namespace
}  // namespace roofcast
