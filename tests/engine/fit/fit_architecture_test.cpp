#include "engine/fit/fit_architecture.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

#include "tests/close_to.hpp"
#include "tests/toy_platform.hpp"

namespace roofcast {
namespace {

constexpr auto elementwise = static_cast<std::size_t>(StreamKind::elementwise);
constexpr auto tensor16 = static_cast<std::size_t>(MatrixUnit::tensor16);
constexpr auto copy = static_cast<std::size_t>(StreamKind::copy);

// Elementwise kernels of 1 MB to 1 GB on a card that gives them `share` of its memory. Every third calibrates
// with times that are 10% longer or shorter in turn, every third judges.
std::vector<KernelSample> samples(double share, double judged_factor = 1) {
  Priors priors = toy_priors();
  priors.kernels.stream[elementwise].bandwidth_share = share;
  priors.kernels.stream[elementwise].launch_us = 2;
  const TimeModel model = time_model(toy_device(), priors);
  std::vector<KernelSample> made;
  for (int i = 0; i < 60; ++i) {
    const double bytes = 1e6 * std::pow(1.12, i);
    KernelSample sample{
        .kernels = {{.form = Stream<std::int64_t>{StreamKind::elementwise, 1}, .read = Bytes{bytes}}},
        .machine = model.machine,
        .device = "toy-8gb",
        .source = "lab",
        .kernel = "relu",
        .precision = "fp32",
        .fold = static_cast<Fold>(i % 3)};
    sample.measured = benchmark_time(sample.kernels, model, sample.harness);
    if (sample.fold == Fold::calibrate) sample.measured *= i % 2 == 0 ? 1.1 : 1 / 1.1;
    if (sample.fold == Fold::judge) sample.measured *= judged_factor;
    made.push_back(std::move(sample));
  }
  return made;
}

Priors start() {
  Priors priors = toy_priors();
  priors.kernels.stream[elementwise].bandwidth_share = 0.9;
  priors.kernels.stream[elementwise].launch_us = 2;
  priors.kernels.stream[copy].bandwidth_share = 0.8;
  return priors;
}

TEST_CASE("fit_architecture: the range is that of samples which the parameters of a trial had not seen") {
  const ArchitectureFit fit = fit_architecture(start(), start(), samples(0.7), {});

  REQUIRE(fit.reports.size() == 1);
  CHECK(fit.reports.front().stage == "stream.elementwise");
  CHECK(fit.reports.front().fitted == 20);
  CHECK(fit.reports.front().calibrated == 20);
  CHECK(fit.reports.front().judged == 20);
  const StreamParameters& fitted = fit.priors.kernels.stream[elementwise];
  CHECK(fitted.bandwidth_share == close_to(0.7, 0.02));
  CHECK(fitted.spread.low == close_to(1 / 1.1, 0.02));
  CHECK(fitted.spread.high == close_to(1.1, 0.02));
}

TEST_CASE("fit_architecture: samples that judge change nothing but what is reported") {
  const ArchitectureFit plain = fit_architecture(start(), start(), samples(0.7), {});
  const ArchitectureFit other = fit_architecture(start(), start(), samples(0.7, 3.0), {});

  CHECK(other.priors.kernels.stream[elementwise].bandwidth_share ==
        plain.priors.kernels.stream[elementwise].bandwidth_share);
  CHECK(other.priors.kernels.stream[elementwise].spread.high ==
        plain.priors.kernels.stream[elementwise].spread.high);
  CHECK(plain.reports.front().after.median < 0.02);
  CHECK(other.reports.front().after.median == close_to(2.0 / 3, 0.03));
}

TEST_CASE("fit_architecture: kernels that nobody timed follow the bandwidth of elementwise ones") {
  const ArchitectureFit fit = fit_architecture(start(), start(), samples(0.45), {});

  CHECK(fit.priors.kernels.stream[copy].bandwidth_share == close_to(0.8 * 0.45 / 0.9, 0.02));
}

// Products and convolutions have finite parameters, which a fit can move.
Priors tiled() {
  Priors priors = toy_priors();
  const GemmParameters general{.tiles = {{128, 128}, {64, 64}}};
  priors.kernels.gemm.fill(general);
  for (ConvolutionParameters& convolution : priors.kernels.convolution) convolution.product = general;
  return priors;
}

// Products in fp16 on a card with these priors.
std::vector<KernelSample> products(const Priors& priors, Watts board_power = toy_device().board_power) {
  Device device = toy_device();
  device.board_power = board_power;
  const TimeModel model = time_model(device, priors);
  std::vector<KernelSample> made;
  for (std::int64_t i = 0; i < 60; ++i) {
    const std::int64_t depth = 3200 + 320 * i;
    KernelSample sample{.kernels = {{.form = Gemm<std::int64_t>{1, 640, 320, depth},
                                     .arithmetic = Arithmetic::tensor_fp16,
                                     .macs = 640.0 * 320 * static_cast<double>(depth),
                                     .read = Bytes{1e5},
                                     .written = Bytes{1e5}}},
                        .machine = model.machine,
                        .device = "toy-8gb",
                        .source = "lab",
                        .kernel = "gemm",
                        .precision = "fp16",
                        .fold = static_cast<Fold>(i % 3)};
    sample.measured = benchmark_time(sample.kernels, model, sample.harness);
    made.push_back(std::move(sample));
  }
  return made;
}

TEST_CASE("fit_architecture: products that nobody timed follow those in 16 bits on Tensor Cores") {
  Priors slow = tiled();
  slow.kernels.gemm[tensor16].peak_share = 0.5;
  const ArchitectureFit fit = fit_architecture(tiled(), tiled(), products(slow), {});

  const KernelParameters& kernels = fit.priors.kernels;
  REQUIRE(kernels.gemm[tensor16].peak_share < 0.95);
  for (const MatrixUnit unit : {MatrixUnit::tensor32, MatrixUnit::tensor16, MatrixUnit::tensor8}) {
    const auto index = static_cast<std::size_t>(unit);
    CHECK(kernels.gemm[index].peak_share == kernels.gemm[tensor16].peak_share);
    CHECK(kernels.convolution[index].product.peak_share == kernels.gemm[tensor16].peak_share);
  }
  CHECK(kernels.gemm[static_cast<std::size_t>(MatrixUnit::vector)].peak_share == 1);
}

TEST_CASE("fit_architecture: units whose power nobody saw draw as much more as the one that was seen") {
  // At full clock the products want more than the card's one watt, even if it is like the others.
  Priors base = tiled();
  for (PowerParameters& power : base.kernels.power) power = {.watts_per_tera = 3, .clock_exponent = 0.4};
  Priors hot = base;
  hot.kernels.power[tensor16].watts_per_tera = 9;

  const ArchitectureFit fit = fit_architecture(base, base, products(hot, Watts{1}), {});

  const auto& power = fit.priors.kernels.power;
  const double more = power[tensor16].watts_per_tera / 3;
  CHECK(more > 1.1);
  CHECK(power[static_cast<std::size_t>(MatrixUnit::tensor8)].watts_per_tera == close_to(3 * more, 1e-9));
  CHECK(power[static_cast<std::size_t>(MatrixUnit::tensor32)].watts_per_tera == close_to(3 * more, 1e-9));
}

TEST_CASE("fit_architecture: what it was fitted on is listed, without the samples that judge") {
  const ArchitectureFit fit = fit_architecture(start(), start(), samples(0.7), {});

  REQUIRE(fit.priors.fitted_on.size() == 1);
  CHECK(fit.priors.fitted_on.front().device == "toy-8gb");
  CHECK(fit.priors.fitted_on.front().source == "lab");
  CHECK(fit.priors.fitted_on.front().kernel == "relu");
  CHECK(fit.priors.fitted_on.front().rows == 40);
}

TEST_CASE("fit_architecture: a handful of samples leaves the start as it is") {
  const auto few = samples(0.7);
  const ArchitectureFit fit = fit_architecture(start(), start(), std::span(few).first(9), {});

  CHECK(fit.reports.empty());
  CHECK(fit.priors.kernels.stream[elementwise].bandwidth_share == 0.9);
  CHECK(fit.priors.fitted_on.empty());
}

}  // namespace
}  // namespace roofcast
