#pragma once
// Random kernels with the bytes that operators would move for them.

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "engine/kernel_time/kernel_time.hpp"

namespace roofcast {

using Dim = std::int64_t;

inline double bytes_of_value(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::vector_fp64:
    case Arithmetic::tensor_fp64: return 8;
    case Arithmetic::vector_fp32:
    case Arithmetic::tensor_tf32: return 4;
    case Arithmetic::tensor_fp16:
    case Arithmetic::tensor_bf16: return 2;
    default: return 1;
  }
}

inline BoundKernel kernel_of(const Gemm<Dim>& form, Arithmetic arithmetic) {
  const double bytes = bytes_of_value(arithmetic);
  const auto batch = static_cast<double>(form.batch);
  const auto m = static_cast<double>(form.m), n = static_cast<double>(form.n),
             k = static_cast<double>(form.k);
  return {.form = form,
          .arithmetic = arithmetic,
          .macs = batch * m * n * k,
          .read = Bytes{bytes * batch * (m + n) * k},
          .written = Bytes{bytes * batch * m * n}};
}

inline BoundKernel kernel_of(const Convolution<Dim>& form, Arithmetic arithmetic) {
  const double bytes = bytes_of_value(arithmetic);
  const auto volume = [](const std::array<Dim, 3>& axes) {
    return static_cast<double>(axes[0]) * static_cast<double>(axes[1]) * static_cast<double>(axes[2]);
  };
  const auto batch = static_cast<double>(form.batch);
  const auto in = static_cast<double>(form.in_channels), out = static_cast<double>(form.out_channels);
  const double weights = in * out / static_cast<double>(form.groups) * volume(form.kernel);
  double read = batch * in * volume(form.input) + weights;
  double written = batch * out * volume(form.output);
  if (form.pass == Pass::input_gradient) {
    read = batch * out * volume(form.output) + weights;
    written = batch * in * volume(form.input);
  } else if (form.pass == Pass::weight_gradient) {
    read = batch * in * volume(form.input) + batch * out * volume(form.output);
    written = weights;
  }
  return {.form = form,
          .arithmetic = arithmetic,
          .macs = batch * volume(form.output) * weights,
          .read = Bytes{bytes * read},
          .written = Bytes{bytes * written}};
}

inline BoundKernel kernel_of(const Attention<Dim>& form, Arithmetic arithmetic) {
  const double bytes = bytes_of_value(arithmetic);
  const auto heads = static_cast<double>(form.batch * form.heads);
  const auto kv_heads = static_cast<double>(form.batch * form.kv_heads);
  const auto queries = static_cast<double>(form.query_length), keys = static_cast<double>(form.key_length);
  const auto size = static_cast<double>(form.head_size);
  const double products = form.pass == Pass::forward ? 2 : 4;
  return {.form = form,
          .arithmetic = arithmetic,
          .macs = products * heads * queries * keys * size,
          .recomputed_macs = form.pass == Pass::forward ? 0 : heads * queries * keys * size,
          .read = Bytes{bytes * size * (heads * queries + 2 * kv_heads * keys)},
          .written = Bytes{bytes * size * heads * queries}};
}

inline BoundKernel kernel_of(const Stream<Dim>& form, double operations_each = 5) {
  const auto elements = static_cast<double>(form.elements);
  return {.form = form,
          .operations = operations_each * elements,
          .read = Bytes{2 * elements},
          .written = Bytes{2 * elements}};
}

inline BoundKernel kernel_of(const Gather<Dim>& form) {
  const double values = static_cast<double>(form.rows) * static_cast<double>(form.row_elements);
  return {.form = form, .read = Bytes{2 * values}, .written = Bytes{2 * values}};
}

/// Sizes are multiples that keep rows aligned, since libraries have faster kernels for those.
class RandomKernel {
 public:
  RandomKernel(std::mt19937_64& random, const Machine& machine) : random_(random), machine_(machine) {}

  Gemm<Dim> gemm() {
    return {.batch = chance(0.3) ? size(1, 64) : 1,
            .m = 16 * size(1, 512),
            .n = 16 * size(1, 512),
            .k = 16 * size(1, 512)};
  }

  Convolution<Dim> convolution() {
    const Dim side = 2 * size(3, 56);
    const Dim taps = std::array<Dim, 4>{1, 3, 5, 7}[static_cast<std::size_t>(between(0, 3))];
    const Dim stride = chance(0.7) ? 1 : 2;
    Convolution<Dim> form{.pass = std::array{Pass::forward, Pass::input_gradient,
                                             Pass::weight_gradient}[static_cast<std::size_t>(between(0, 2))],
                          .batch = size(1, 64),
                          .in_channels = 16 * size(1, 64),
                          .out_channels = 16 * size(1, 64),
                          .input = {1, stride * side, stride * side},
                          .output = {1, side, side},
                          .kernel = {1, taps, taps},
                          .stride = {1, stride, stride},
                          .channels_last = chance(0.5)};
    if (chance(0.15)) {
      form.out_channels = form.in_channels;
      form.groups = form.in_channels;
    } else if (chance(0.15)) {
      form.groups = 4;
    }
    return form;
  }

  Attention<Dim> attention() {
    const Dim shared = size(1, 16);
    Attention<Dim> form{.pass = chance(0.3) ? Pass::backward : Pass::forward,
                        .batch = size(1, 32),
                        .heads = shared * size(1, 8),
                        .kv_heads = shared,
                        .query_length = size(1, 4096),
                        .head_size = 32 * size(1, 4),
                        .causal = chance(0.5)};
    form.key_length = form.query_length;
    if (form.pass == Pass::forward && chance(0.4)) form.query_length = 1;
    return form;
  }

  Stream<Dim> stream() {
    Stream<Dim> form{.kind = static_cast<StreamKind>(between(0, static_cast<Dim>(stream_kinds) - 1))};
    form.row = chance(0.5) ? size(1, 1 << 16) : 0;
    form.elements = std::max<Dim>(form.row, 1) * size(1, 1 << 14);
    return form;
  }

  Gather<Dim> gather() {
    return {.scatter = chance(0.5), .rows = size(1, 1 << 18), .row_elements = size(1, 8192)};
  }

  /// One that the card multiplies matrices in.
  Arithmetic arithmetic() {
    for (;;) {
      const auto candidate =
          std::array{Arithmetic::vector_fp32, Arithmetic::tensor_tf32, Arithmetic::tensor_fp16,
                     Arithmetic::tensor_bf16, Arithmetic::tensor_fp8,  Arithmetic::tensor_int8}
              [static_cast<std::size_t>(between(0, 5))];
      if (machine_.matrix[static_cast<std::size_t>(candidate)].value > 0) return candidate;
    }
  }

  BoundKernel any() {
    switch (between(0, 4)) {
      case 0: return kernel_of(gemm(), arithmetic());
      case 1: return kernel_of(convolution(), arithmetic());
      case 2: return kernel_of(attention(), arithmetic());
      case 3: return kernel_of(stream(), static_cast<double>(between(0, 20)));
      default: return kernel_of(gather());
    }
  }

 private:
  Dim between(Dim low, Dim high) { return std::uniform_int_distribution<Dim>{low, high}(random_); }
  bool chance(double share) { return std::uniform_real_distribution<double>{0, 1}(random_) < share; }
  /// Each octave is as likely as the others.
  Dim size(Dim low, Dim high) {
    const double octaves = std::uniform_real_distribution<double>{
        std::log2(static_cast<double>(low)), std::log2(static_cast<double>(high) + 1)}(random_);
    return std::clamp(static_cast<Dim>(std::exp2(octaves)), low, high);
  }

  std::mt19937_64& random_;
  const Machine& machine_;
};

}  // namespace roofcast
