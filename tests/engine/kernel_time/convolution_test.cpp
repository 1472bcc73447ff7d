#include "engine/kernel_time/convolution.hpp"

#include <doctest/doctest.h>

#include "tests/close_to.hpp"
#include "tests/toy_platform.hpp"

namespace roofcast {
namespace {

// Tiles of 128 x 128 and physical overheads of none, so that only what convolutions add remains.
ConvolutionParameters parameters() {
  ConvolutionParameters fitted = toy_priors().kernels.convolution[0];
  fitted.product.launch_us = 0;
  fitted.product.tiles = {{128, 128}};
  return fitted;
}

Machine machine() {
  return machine_of(toy_device());
}

// n images of 64 channels of 32 x 32, to 128 channels.
ConvolutionWork work(Arithmetic arithmetic, std::int64_t taps = 3, std::int64_t batch = 4) {
  const double bytes = arithmetic == Arithmetic::vector_fp32 ? 4 : 2;
  const auto images = static_cast<double>(batch);
  return {.form = {.batch = batch,
                   .in_channels = 64,
                   .out_channels = 128,
                   .input = {1, 32, 32},
                   .output = {1, 32, 32},
                   .kernel = {1, taps, taps}},
          .arithmetic = arithmetic,
          .read = Bytes{bytes * (images * 64 * 1024 + 64.0 * 128 * static_cast<double>(taps * taps))},
          .written = Bytes{bytes * images * 128 * 1024}};
}

ConvolutionTime run(const ConvolutionWork& convolution, const ConvolutionParameters& fitted = parameters()) {
  return convolution_time(convolution, machine(), fitted);
}

Seconds product_of(const ConvolutionWork& convolution, double m, double n, double k, double rate_share = 1) {
  return gemm_time({.m = m,
                    .n = n,
                    .k = k,
                    .arithmetic = convolution.arithmetic,
                    .read = convolution.read,
                    .written = convolution.written,
                    .rate_share = rate_share},
                   machine(), parameters().product)
      .total;
}

TEST_CASE("convolution_time: 1 x 1 is a product, launched as one") {
  ConvolutionParameters fitted = parameters();
  fitted.launch_us = 7;
  const ConvolutionWork pointwise = work(Arithmetic::vector_fp32, 1);
  const ConvolutionTime time = run(pointwise, fitted);

  CHECK(time.algorithm == ConvolutionAlgorithm::implicit_gemm);
  CHECK(time.total == product_of(pointwise, 4 * 32 * 32, 128, 64));
  CHECK(time.executed_macs == 4.0 * 32 * 32 * 128 * 64);
}

TEST_CASE("convolution_time: implicit GEMM gathers its operand at a share of the rate") {
  ConvolutionParameters fitted = parameters();
  fitted.launch_us = 7;
  fitted.implicit_share = 0.5;
  const ConvolutionWork wide = work(Arithmetic::vector_fp32, 5);
  const ConvolutionTime time = run(wide, fitted);

  CHECK(time.algorithm == ConvolutionAlgorithm::implicit_gemm);
  CHECK(as_microseconds(time.total) ==
        close_to(7 + as_microseconds(product_of(wide, 4 * 32 * 32, 128, 64 * 25, 0.5))));
}

TEST_CASE("convolution_time: products of the gradients") {
  ConvolutionWork gradient = work(Arithmetic::vector_fp32, 5);
  gradient.form.stride = {1, 2, 2};
  gradient.form.output = {1, 16, 16};
  gradient.form.pass = Pass::input_gradient;
  CHECK(run(gradient).total == product_of(gradient, 4 * 32 * 32, 64, 128 * 25 / 4.0));

  gradient.form.pass = Pass::weight_gradient;
  ConvolutionParameters fitted = parameters();
  fitted.weight_gradient_share = 0.5;
  CHECK(run(gradient, fitted).total == product_of(gradient, 128, 64 * 25, 4 * 16 * 16, 0.5));
}

TEST_CASE("convolution_time: Winograd where a 3 x 3 in fp32 multiplies on vector units") {
  ConvolutionParameters fitted = parameters();
  fitted.winograd_share = 1;
  const ConvolutionTime time = run(work(Arithmetic::vector_fp32, 3, 64), fitted);

  CHECK(time.algorithm == ConvolutionAlgorithm::winograd);
  // 8 x 8 tiles of 4 x 4 results in an image, 36 multiply-adds for each pair of channels instead of 144
  CHECK(time.executed_macs == 36.0 * 64 * 8 * 8 * 64 * 128);
  CHECK(time.executed_macs == 64.0 * 32 * 32 * 9 * 64 * 128 / 4);
  CHECK(time.total < run(work(Arithmetic::vector_fp32, 3, 64)).total);
}

TEST_CASE("convolution_time: Winograd's transforms read and write inputs, outputs and what is between") {
  ConvolutionParameters fitted = parameters();
  fitted.winograd_share = 1;
  fitted.transform_share = 0.5;
  const ConvolutionWork winograd = work(Arithmetic::vector_fp32, 3, 64);
  const double tiles = 64 * 8 * 8;
  const double between = 4 * 36 * (tiles * 64 + 128.0 * 64 + tiles * 128);

  CHECK(as_microseconds(run(winograd, fitted).transform) ==
        close_to((winograd.read.value + winograd.written.value + between) / (0.5 * 1e12) * 1e6));
}

TEST_CASE("convolution_time: in one kernel F(2x2, 3x3) multiplies 2.25 times less") {
  ConvolutionParameters fitted = parameters();
  fitted.fused_winograd_share = 1;
  const ConvolutionTime time = run(work(Arithmetic::vector_fp32, 3, 10), fitted);

  CHECK(time.algorithm == ConvolutionAlgorithm::fused_winograd);
  CHECK(time.executed_macs == 10.0 * 32 * 32 * 9 * 64 * 128 / 2.25);
  CHECK(as_microseconds(time.total) ==
        close_to(2 * time.executed_macs / 1e12 * 1e6));  // 160 blocks on 10 SMs
}

TEST_CASE("convolution_time: a library without transforms multiplies by definition") {
  ConvolutionParameters fitted = parameters();
  fitted.winograd_share = 0;

  for (const std::int64_t taps : {3, 5}) {
    const ConvolutionTime time = run(work(Arithmetic::vector_fp32, taps, 64), fitted);
    CHECK(time.algorithm == ConvolutionAlgorithm::implicit_gemm);
  }
  fitted.winograd_share = 1;
  fitted.fused_winograd_share = 0;
  CHECK(run(work(Arithmetic::vector_fp32, 3, 1), fitted).algorithm == ConvolutionAlgorithm::winograd);
}

TEST_CASE("convolution_time: no Winograd on Tensor Cores, with strides or groups") {
  ConvolutionParameters fitted = parameters();
  fitted.winograd_share = 1e3;
  fitted.fused_winograd_share = 1e3;
  const auto algorithm = [&](const ConvolutionWork& convolution) {
    return run(convolution, fitted).algorithm;
  };
  ConvolutionWork strided = work(Arithmetic::vector_fp32);
  strided.form.stride = {1, 2, 2};
  ConvolutionWork grouped = work(Arithmetic::vector_fp32);
  grouped.form.groups = 2;

  CHECK(algorithm(work(Arithmetic::vector_fp32)) != ConvolutionAlgorithm::implicit_gemm);
  CHECK(algorithm(work(Arithmetic::tensor_tf32)) == ConvolutionAlgorithm::implicit_gemm);
  CHECK(algorithm(work(Arithmetic::tensor_fp16)) == ConvolutionAlgorithm::implicit_gemm);
  CHECK(algorithm(strided) == ConvolutionAlgorithm::implicit_gemm);
  CHECK(algorithm(grouped) == ConvolutionAlgorithm::implicit_gemm);
}

TEST_CASE("convolution_time: Winograd wants some depth, and results that fill its tiles") {
  ConvolutionParameters fitted = parameters();
  fitted.winograd_share = 1e3;
  const auto algorithm = [&](std::int64_t channels, std::int64_t side, Pass pass = Pass::forward) {
    ConvolutionWork convolution = work(Arithmetic::vector_fp32);
    convolution.form.in_channels = channels;
    convolution.form.input = convolution.form.output = {1, side, side};
    convolution.form.pass = pass;
    return run(convolution, fitted).algorithm;
  };
  CHECK(algorithm(64, 32) == ConvolutionAlgorithm::winograd);
  CHECK(algorithm(24, 32) == ConvolutionAlgorithm::winograd);
  CHECK(algorithm(16, 32) == ConvolutionAlgorithm::implicit_gemm);
  CHECK(algorithm(16, 32, Pass::input_gradient) == ConvolutionAlgorithm::winograd);  // sums over 128
  CHECK(algorithm(64, 7) == ConvolutionAlgorithm::winograd);       // 4 tiles of 16 for 49 results
  CHECK(algorithm(64, 5) == ConvolutionAlgorithm::implicit_gemm);  // 4 tiles of 16 for 25 results
}

TEST_CASE("convolution_time: large windows go through the frequencies of tiles of 32 x 32") {
  ConvolutionParameters fitted = parameters();
  fitted.winograd_share = 1;
  ConvolutionWork large = work(Arithmetic::vector_fp32, 7, 64);
  large.form.input = large.form.output = {1, 52, 52};
  const ConvolutionTime time = run(large, fitted);

  CHECK(time.algorithm == ConvolutionAlgorithm::fft);
  // 2 x 2 tiles of 26 x 26 results in an image, 32 * 17 frequencies, a complex product is four real ones
  CHECK(time.executed_macs == 64.0 * 4 * 32 * 17 * 4 * 64 * 128);
  CHECK(time.executed_macs < 64.0 * 52 * 52 * 49 * 64 * 128 / 10);
  CHECK(run(work(Arithmetic::vector_fp32, 3, 64), fitted).algorithm == ConvolutionAlgorithm::winograd);

  for (const Pass pass : {Pass::input_gradient, Pass::weight_gradient}) {
    large.form.pass = pass;
    CHECK(run(large, fitted).executed_macs == time.executed_macs);
  }
}

TEST_CASE("convolution_time: no FFT on Tensor Cores, with strides or groups, or where a product is faster") {
  ConvolutionParameters fitted = parameters();
  fitted.winograd_share = 1e3;
  const auto algorithm = [&](const ConvolutionWork& convolution) {
    return run(convolution, fitted).algorithm;
  };
  ConvolutionWork strided = work(Arithmetic::vector_fp32, 7);
  strided.form.stride = {1, 2, 2};
  ConvolutionWork grouped = work(Arithmetic::vector_fp32, 7);
  grouped.form.groups = 2;

  CHECK(algorithm(work(Arithmetic::vector_fp32, 7)) == ConvolutionAlgorithm::fft);
  CHECK(algorithm(work(Arithmetic::tensor_tf32, 7)) == ConvolutionAlgorithm::implicit_gemm);
  CHECK(algorithm(strided) == ConvolutionAlgorithm::implicit_gemm);
  CHECK(algorithm(grouped) == ConvolutionAlgorithm::implicit_gemm);
  CHECK(algorithm(work(Arithmetic::vector_fp32, 1)) == ConvolutionAlgorithm::implicit_gemm);
  fitted.winograd_share = 1e-6;
  CHECK(algorithm(work(Arithmetic::vector_fp32, 7)) == ConvolutionAlgorithm::implicit_gemm);
}

TEST_CASE("convolution_time: groups are a batch of products at a share of the rate") {
  ConvolutionParameters fitted = parameters();
  fitted.grouped_share = 0.5;
  ConvolutionWork grouped = work(Arithmetic::vector_fp32, 5, 5);
  grouped.form.groups = 2;
  const ConvolutionTime time = run(grouped, fitted);

  // 2 x 40 x 1 tiles of 128 x 128 are 8 waves; half as fast
  CHECK(time.executed_macs == 2 * (5.0 * 32 * 32) * (128 / 2) * (64 / 2 * 25));
  CHECK(as_microseconds(time.gemm.tiles) == close_to(8 * 2 * 2 * 128 * 128 * 800 / 1e11 * 1e6));
}

TEST_CASE("convolution_time: gradients with groups and channels last have poor kernels on Tensor Cores") {
  ConvolutionParameters fitted = parameters();
  fitted.grouped_last_share = 0.25;
  const auto tiles = [&](Pass pass, bool channels_last, std::int64_t groups) {
    ConvolutionWork grouped = work(Arithmetic::tensor_fp16);
    grouped.form.pass = pass;
    grouped.form.groups = groups;
    grouped.channels_last = channels_last;
    return as_microseconds(run(grouped, fitted).gemm.tiles);
  };

  CHECK(tiles(Pass::input_gradient, true, 4) == close_to(4 * tiles(Pass::input_gradient, false, 4)));
  CHECK(tiles(Pass::weight_gradient, true, 4) == close_to(4 * tiles(Pass::weight_gradient, false, 4)));
  CHECK(tiles(Pass::forward, true, 4) == close_to(tiles(Pass::forward, false, 4)));
  CHECK(tiles(Pass::input_gradient, true, 1) == close_to(tiles(Pass::input_gradient, false, 1)));
  // four channels in a group have kernels of their own
  CHECK(tiles(Pass::input_gradient, true, 16) == close_to(tiles(Pass::input_gradient, false, 16)));
}

TEST_CASE(
    "convolution_time: taps of one channel in a group take each SM a clock for so many, on top of the "
    "bytes") {
  ConvolutionParameters fitted = parameters();
  fitted.depthwise_taps = 25;
  ConvolutionWork depthwise = work(Arithmetic::vector_fp32);
  depthwise.form.groups = 64;
  depthwise.form.out_channels = 64;
  const double bytes = depthwise.read.value + depthwise.written.value;
  const double macs = 4.0 * 64 * 32 * 32 * 9;

  CHECK(as_microseconds(run(depthwise, fitted).total) ==
        close_to((bytes / 1e12 + macs / (25 * 10 * 1e9)) * 1e6));
}

// Bytes decide; taps cost nothing.
TEST_CASE("convolution_time: one channel in a group follows its bytes") {
  ConvolutionParameters fitted = parameters();
  fitted.launch_us = 3;
  fitted.depthwise_share = 0.5;
  fitted.depthwise_weight_share = 0.25;
  fitted.depthwise_taps = 1e30;
  const Machine fast = machine();
  ConvolutionWork depthwise = work(Arithmetic::vector_fp32);
  depthwise.form.groups = 64;
  depthwise.form.out_channels = 64;
  const double bytes_us = (depthwise.read.value + depthwise.written.value) / 1e12 * 1e6;

  const ConvolutionTime time = convolution_time(depthwise, fast, fitted);
  CHECK(time.algorithm == ConvolutionAlgorithm::direct);
  CHECK(time.executed_macs == 4.0 * 64 * 32 * 32 * 9);
  CHECK(as_microseconds(time.total) == close_to(3 + bytes_us / 0.5));
  depthwise.form.pass = Pass::weight_gradient;
  CHECK(as_microseconds(convolution_time(depthwise, fast, fitted).total) == close_to(3 + bytes_us / 0.25));
}

TEST_CASE("convolution_time: Tensor Cores want channels last and pay copies for other layouts") {
  ConvolutionParameters fitted = parameters();
  fitted.copied_share = 0.5;
  fitted.transform_share = 0.25;
  const ConvolutionWork first = work(Arithmetic::tensor_fp16);
  ConvolutionWork last = first;
  last.channels_last = true;
  const double activations = 2 * 4 * 1024.0 * (64 + 128);

  CHECK(run(last, fitted).transform.count() == 0);
  CHECK(as_microseconds(run(first, fitted).transform) ==
        close_to(2 * 0.5 * activations / (0.25 * 1e12) * 1e6));
  CHECK(run(first, fitted).total == run(last, fitted).total + run(first, fitted).transform);
  CHECK(run(work(Arithmetic::vector_fp32, 1), fitted).transform.count() == 0);
}

TEST_CASE("convolution_time: how many positions there are misaligns nothing on Tensor Cores") {
  ConvolutionParameters fitted = parameters();
  fitted.product.unaligned = 0.25;
  ConvolutionWork odd = work(Arithmetic::tensor_fp16, 3, 1);
  odd.form.input = odd.form.output = {1, 31, 31};  // 961 positions are 1922 bytes
  odd.form.pass = Pass::weight_gradient;

  CHECK(run(odd, fitted).gemm.tiles == run(odd).gemm.tiles);
}

TEST_CASE("convolution_time: Tensor Cores pad channels to 16 bytes") {
  ConvolutionWork image = work(Arithmetic::tensor_fp16, 5);
  image.form.in_channels = 3;

  CHECK(run(image).executed_macs == 4.0 * 32 * 32 * 128 * 8 * 25);
  image.arithmetic = Arithmetic::vector_fp32;
  CHECK(run(image).executed_macs == 4.0 * 32 * 32 * 128 * 3 * 25);
}

}  // namespace
}  // namespace roofcast
