#include "engine/kernel_time/convolution.hpp"

#include <algorithm>
#include <cmath>

namespace roofcast {
namespace {

// Sizes as real numbers, by their usual letters.
struct Sizes {
  double n, c_in, c_out, groups;
  double input, output, kernel, stride;  // products over the spatial axes
  double bytes;                          // of an activation's value
};

double product(const std::array<std::int64_t, 3>& axes) {
  return static_cast<double>(axes[0]) * static_cast<double>(axes[1]) * static_cast<double>(axes[2]);
}

double activation_bytes(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::vector_fp32:
    case Arithmetic::tensor_tf32: return 4;
    case Arithmetic::vector_fp64:
    case Arithmetic::tensor_fp64: return 8;
    case Arithmetic::tensor_int8:
    case Arithmetic::vector_int8: return 1;
    default: return 2;
  }
}

Sizes sizes_of(const ConvolutionWork& work) {
  const auto& form = work.form;
  return {.n = static_cast<double>(form.batch),
          .c_in = static_cast<double>(form.in_channels),
          .c_out = static_cast<double>(form.out_channels),
          .groups = static_cast<double>(form.groups),
          .input = product(form.input),
          .output = product(form.output),
          .kernel = product(form.kernel),
          .stride = product(form.stride),
          .bytes = activation_bytes(work.arithmetic)};
}

struct Model {
  const ConvolutionWork& work;
  const Machine& machine;
  const ConvolutionParameters& fitted;
  Sizes s;
  double stream;  // bytes per second of transforms

  Model(const ConvolutionWork& convolution, const Machine& device, const ConvolutionParameters& parameters)
      : work(convolution),
        machine(device),
        fitted(parameters),
        s(sizes_of(convolution)),
        stream(parameters.transform_share * device.bandwidth.value) {}

  static constexpr double fft_side = 32;

  bool on_tensor_cores() const { return machine.tensor[static_cast<std::size_t>(work.arithmetic)]; }

  double padded(double channels) const {
    const double vector = on_tensor_cores() ? 16 / s.bytes : 1;
    return vector * std::ceil(channels / vector);
  }

  // Few channels in a group have kernels of their own; for more, gradients with channels last are a poor fit.
  double product_share() const {
    // On vector units a window of one position is a product like any other.
    if (!on_tensor_cores() && s.kernel == 1 && s.groups == 1) return 1;
    if (s.groups == 1) return fitted.implicit_share;
    constexpr double narrow = 4;
    const bool poor = on_tensor_cores() && work.channels_last && work.form.pass != Pass::forward &&
                      std::min(s.c_in, s.c_out) / s.groups > narrow;
    return poor ? fitted.grouped_last_share : fitted.grouped_share;
  }

  GemmWork implicit_product() const {
    const double c_in = padded(s.c_in / s.groups);
    const double c_out = padded(s.c_out / s.groups);
    GemmWork gemm{.batch = s.groups,
                  .arithmetic = work.arithmetic,
                  .read = work.read,
                  .written = work.written,
                  .cached = work.cached};
    const double share = product_share();
    switch (work.form.pass) {
      case Pass::input_gradient:
        gemm.m = s.n * s.input;
        gemm.n = c_in;
        gemm.k = c_out * std::max(1.0, s.kernel / s.stride);
        gemm.rate_share = share;
        break;
      case Pass::weight_gradient:
        gemm.m = c_out;
        gemm.n = c_in * s.kernel;
        gemm.k = s.n * s.output;
        gemm.rate_share = share * fitted.weight_gradient_share;
        break;
      default:
        gemm.m = s.n * s.output;
        gemm.n = c_out;
        gemm.k = c_in * s.kernel;
        gemm.rate_share = share;
    }
    // Positions and taps are gathered in whole vectors, so that the length of k misaligns nothing.
    gemm.k = padded(gemm.k);
    return gemm;
  }

  // Copies to channels last and back.
  double layout_seconds() const {
    if (!on_tensor_cores() || work.channels_last) return 0;
    const double activations = s.bytes * s.n * (s.c_in * s.input + s.c_out * s.output);
    // Gradients take two activations of the forward pass in, which makes up to twice as many copies.
    const double share =
        work.form.pass == Pass::forward ? fitted.copied_share : std::min(1.0, 2 * fitted.copied_share);
    return 2 * share * activations / stream;
  }

  ConvolutionTime implicit_gemm() const {
    const GemmWork gemm = implicit_product();
    ConvolutionTime time{.launch = microseconds(fitted.launch_us),
                         .gemm = gemm_time(gemm, machine, fitted.product)};
    const bool pointwise = s.kernel == 1 && s.stride == 1;
    time.product = time.gemm.total;
    time.transform = Seconds{layout_seconds()};
    time.total = (pointwise ? 0.0 : 1.0) * time.launch + time.product + time.transform;
    time.executed_macs = gemm.batch * gemm.m * gemm.n * gemm.k;
    return time;
  }

  bool has_winograd() const {
    const auto& form = work.form;
    return fitted.winograd_share > 0 && !on_tensor_cores() && form.groups == 1 && s.stride == 1 &&
           form.kernel[0] == 1 && form.kernel[1] == 3 && form.kernel[2] == 3;
  }

  // Libraries take Winograd's algorithm where it saves multiplications, not where a trial says that it is
  // faster: it wants some depth, and results that fill its tiles of 4 x 4. By the kernel names in NeuSight's
  // table (cuDNN 8.9) half of the kernels change at 18 channels on A100, 32 on V100, some 60 on T4 and P4,
  // and on all but A100 between 5 x 5 results, which fill 0.39 of their tiles, and 7 x 7, which fill 0.77.
  bool takes_winograd() const {
    constexpr double least_depth = 24;
    constexpr double most_multiplied = 0.5;  // of the multiplications by definition
    const double depth = work.form.pass == Pass::input_gradient ? s.c_out : s.c_in;
    const double results = s.n * (work.form.pass == Pass::input_gradient ? s.input : s.output);
    return has_winograd() && depth >= least_depth && 36 * tiles(4) <= most_multiplied * 9 * results;
  }

  // Tiles of `side` x `side` results that cover what the pass computes.
  double tiles(double side) const {
    const auto& results = work.form.pass == Pass::input_gradient ? work.form.input : work.form.output;
    return s.n * std::ceil(static_cast<double>(results[1]) / side) *
           std::ceil(static_cast<double>(results[2]) / side);
  }

  // A product for each point of `t` transformed tiles.
  GemmWork transformed_product(double points, double t) const {
    GemmWork gemm{.batch = points, .arithmetic = work.arithmetic, .rate_share = fitted.winograd_share};
    if (work.form.pass == Pass::weight_gradient) {
      gemm.m = s.c_out, gemm.n = s.c_in, gemm.k = t;
    } else {
      const bool forward = work.form.pass == Pass::forward;
      gemm.m = t, gemm.n = forward ? s.c_out : s.c_in, gemm.k = forward ? s.c_in : s.c_out;
    }
    gemm.read = Bytes{points * (gemm.m + gemm.n) * gemm.k * s.bytes};
    gemm.written = Bytes{points * gemm.m * gemm.n * s.bytes};
    return gemm;
  }

  // Transforms, the products, the transform back.
  ConvolutionTime through_transforms(ConvolutionAlgorithm algorithm, const GemmWork& gemm) const {
    ConvolutionTime time{.launch = microseconds(4 * fitted.launch_us),
                         .algorithm = algorithm,
                         .executed_macs = gemm.batch * gemm.m * gemm.n * gemm.k,
                         .gemm = gemm_time(gemm, machine, fitted.product)};
    time.product = time.gemm.total;
    time.transform = Seconds{((work.read + work.written).value + (gemm.read + gemm.written).value) / stream};
    time.total = time.launch + time.product + time.transform;
    return time;
  }

  ConvolutionTime winograd() const {
    constexpr double points = 36;  // of a transformed 6 x 6 tile
    return through_transforms(ConvolutionAlgorithm::winograd, transformed_product(points, tiles(4)));
  }

  // Larger windows than Winograd's, on tiles that are at least as large.
  bool has_fft() const {
    const auto& form = work.form;
    const auto largest = std::max(form.kernel[1], form.kernel[2]);
    return fitted.winograd_share > 0 && !on_tensor_cores() && form.groups == 1 && s.stride == 1 &&
           form.kernel[0] == 1 && largest > 3 && static_cast<double>(largest) < fft_side;
  }

  ConvolutionTime fft() const {
    constexpr double points = fft_side * (fft_side / 2 + 1);  // of a real tile's spectrum
    const auto& results = work.form.pass == Pass::input_gradient ? work.form.input : work.form.output;
    double t = s.n;
    for (const std::size_t axis : {1U, 2U}) {
      const double inside = fft_side - static_cast<double>(work.form.kernel[axis]) + 1;
      t *= std::ceil(static_cast<double>(results[axis]) / inside);
    }
    // A complex product is a real one of twice the columns and twice the depth, of values twice as long.
    constexpr double complex = 2;
    GemmWork gemm = transformed_product(points, t);
    gemm.n *= complex, gemm.k *= complex;
    gemm.read = complex * gemm.read, gemm.written = complex * gemm.written;
    return through_transforms(ConvolutionAlgorithm::fft, gemm);
  }

  bool has_fused_winograd() const { return fitted.fused_winograd_share > 0; }

  ConvolutionTime fused_winograd() const {
    constexpr double side = 2;
    constexpr double points = 16;
    ConvolutionTime time{.launch = microseconds(2 * fitted.launch_us),
                         .algorithm = ConvolutionAlgorithm::fused_winograd};
    // Blocks of 32 tiles x 64 channels.
    const double columns = 64 * std::ceil((work.form.pass == Pass::input_gradient ? s.c_in : s.c_out) / 64);
    const double depth = work.form.pass == Pass::input_gradient ? s.c_out : s.c_in;
    time.executed_macs = points * tiles(side) * columns * depth;
    const double peak = machine.matrix[static_cast<std::size_t>(work.arithmetic)].value;
    const double blocks = std::ceil(tiles(side) / 32) * columns / 64;
    const double quantised = std::ceil(blocks / machine.sms) * machine.sms / blocks;
    const double compute = 2 * time.executed_macs * quantised / (peak * fitted.fused_winograd_share);
    const double memory = (work.read + work.written).value / stream;
    time.product = Seconds{std::max(compute, memory)};
    time.total = time.launch + time.product;
    return time;
  }

  ConvolutionTime depthwise() const {
    ConvolutionTime time{.launch = microseconds(fitted.launch_us), .algorithm = ConvolutionAlgorithm::direct};
    const bool weights = work.form.pass == Pass::weight_gradient;
    const double share = weights ? fitted.depthwise_weight_share : fitted.depthwise_share;
    time.executed_macs = s.n * s.c_out * s.output * s.kernel;
    // Loads of taps set the rate, and an SM loads the same in a clock whatever its arithmetic.
    const double compute = time.executed_macs / (fitted.depthwise_taps * machine.sms * machine.clock.value);
    const double from_cache = work.cached * work.read.value;
    const double from_memory = (work.read + work.written).value - from_cache;
    const double memory =
        from_memory / (share * machine.bandwidth.value) +
        from_cache / (fitted.product.l2_bytes_per_clock * machine.sms * machine.clock.value);
    time.gemm.memory = Seconds{memory};
    time.gemm.tiles = Seconds{compute};
    time.product = Seconds{compute + memory};
    time.total = time.launch + time.product;
    return time;
  }
};

}  // namespace

std::string_view to_string(ConvolutionAlgorithm algorithm) {
  switch (algorithm) {
    case ConvolutionAlgorithm::implicit_gemm: return "implicit GEMM";
    case ConvolutionAlgorithm::winograd: return "Winograd F(4x4)";
    case ConvolutionAlgorithm::fused_winograd: return "fused Winograd F(2x2)";
    case ConvolutionAlgorithm::fft: return "FFT of 32x32";
    case ConvolutionAlgorithm::direct: return "direct";
  }
  return "";
}

ConvolutionTime convolution_time(const ConvolutionWork& work, const Machine& machine,
                                 const ConvolutionParameters& parameters) {
  const Model model(work, machine, parameters);
  if (work.form.groups > 1 && work.form.groups == work.form.in_channels) return model.depthwise();
  const auto faster = [](const ConvolutionTime& left, const ConvolutionTime& right) {
    return right.total < left.total ? right : left;
  };
  if (model.takes_winograd()) {
    return model.has_fused_winograd() ? faster(model.winograd(), model.fused_winograd()) : model.winograd();
  }
  if (model.has_fft()) return faster(model.implicit_gemm(), model.fft());
  return model.implicit_gemm();
}

}  // namespace roofcast
