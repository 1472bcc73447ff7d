#pragma once
// Operators that compute each value by itself: what a thread does, for host and device, and its launches.

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdint>

#include "kernels/cuda/number.hpp"

namespace roofcast {

/// So many numbers that one instruction moves 16 bytes.
template <class Number>
struct alignas(16) Pack {
  static constexpr int size = 16 / sizeof(Number);
  Number numbers[size];
};

// The cores: one value, in single precision. `inputs` says how many operands they read.

struct CopyCore {
  static constexpr int inputs = 1;
  ROOFCAST_HOST_DEVICE float operator()(float x, float /*unused*/) const { return x; }
};

struct WriteCore {
  static constexpr int inputs = 0;
  static constexpr float value = 1.25F;
  ROOFCAST_HOST_DEVICE float operator()(float /*unused*/, float /*unused*/) const { return value; }
};

struct TriadCore {
  static constexpr int inputs = 2;
  static constexpr float factor = 0.4F;  // BabelStream's
  ROOFCAST_HOST_DEVICE float operator()(float x, float z) const { return x + factor * z; }
};

struct AddCore {
  static constexpr int inputs = 2;
  ROOFCAST_HOST_DEVICE float operator()(float x, float y) const { return x + y; }
};

struct ReluCore {
  static constexpr int inputs = 1;
  ROOFCAST_HOST_DEVICE float operator()(float x, float /*unused*/) const { return x > 0 ? x : 0.0F; }
};

/// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), as x / (1 + e^(-2y)). Source: Hendrycks, Gimpel,
/// "Gaussian Error Linear Units", 2016.
struct GeluCore {
  static constexpr int inputs = 1;
  static constexpr double cubic = 0.044715;
  static constexpr double scale = 0.7978845608028654;
  ROOFCAST_HOST_DEVICE float operator()(float x, float /*unused*/) const {
    const float y = x + static_cast<float>(cubic) * x * x * x;
#ifdef __CUDA_ARCH__
    const float power = __expf(static_cast<float>(-2 * scale) * y);
#else
    const float power = std::exp(static_cast<float>(-2 * scale) * y);
#endif
    return x / (1.0F + power);
  }
};

template <class Core, class Number>
ROOFCAST_HOST_DEVICE inline Number mapped(const Core& core, Number x, Number y) {
  return from_float<Number>(core(to_float(x), to_float(y)));
}

/// The share of thread `thread` of `threads` in out[i] = core(left[i], right[i]), i < count: packs `thread`,
/// `thread + threads`, ..., four at a time so that four loads are in flight, and then values behind the last
/// whole pack. All threads together write each value once. Needs: operands at multiples of 16 bytes.
template <class Core, class Number>
ROOFCAST_HOST_DEVICE inline void map_share(std::int64_t thread, std::int64_t threads, std::int64_t count,
                                           const Number* left, const Number* right, Number* out) {
  using Packed = Pack<Number>;
  constexpr int unrolled = 4;
  const Core core;
  const std::int64_t packs = count / Packed::size;
  std::int64_t at = thread;
  for (; at + (unrolled - 1) * threads < packs; at += unrolled * threads) {
    Packed x[unrolled] = {};
    Packed y[unrolled] = {};
    ROOFCAST_UNROLL
    for (int i = 0; i < unrolled; ++i) {
      if constexpr (Core::inputs > 0) x[i] = reinterpret_cast<const Packed*>(left)[at + i * threads];
      if constexpr (Core::inputs > 1) y[i] = reinterpret_cast<const Packed*>(right)[at + i * threads];
    }
    ROOFCAST_UNROLL
    for (int i = 0; i < unrolled; ++i) {
      Packed z;
      ROOFCAST_UNROLL
      for (int j = 0; j < Packed::size; ++j) z.numbers[j] = mapped(core, x[i].numbers[j], y[i].numbers[j]);
      reinterpret_cast<Packed*>(out)[at + i * threads] = z;
    }
  }
  for (; at < packs; at += threads) {
    Packed x = {};
    Packed y = {};
    if constexpr (Core::inputs > 0) x = reinterpret_cast<const Packed*>(left)[at];
    if constexpr (Core::inputs > 1) y = reinterpret_cast<const Packed*>(right)[at];
    Packed z;
    ROOFCAST_UNROLL
    for (int j = 0; j < Packed::size; ++j) z.numbers[j] = mapped(core, x.numbers[j], y.numbers[j]);
    reinterpret_cast<Packed*>(out)[at] = z;
  }
  for (std::int64_t i = packs * Packed::size + thread; i < count; i += threads) {
    const Number x = Core::inputs > 0 ? left[i] : Number{};
    const Number y = Core::inputs > 1 ? right[i] : Number{};
    out[i] = mapped(core, x, y);
  }
}

inline constexpr int map_threads = 256;  // in a block

/// As many blocks as an SM of any device holds at once: 1024 threads of at most 64 registers. With 64 bytes
/// in flight each, they cover more than memory's latency times its bandwidth.
inline constexpr int map_blocks_of_unit = 4;

/// Of the grid: `map_blocks_of_unit` on each SM, or fewer if each thread then had fewer than four packs.
constexpr std::int64_t map_blocks(std::int64_t count, int pack_size, int units) {
  const std::int64_t of_block = std::int64_t{map_threads} * 4 * pack_size;
  const std::int64_t wanted = (count + of_block - 1) / of_block;
  const std::int64_t most = std::int64_t{map_blocks_of_unit} * units;
  return wanted < 1 ? 1 : wanted < most ? wanted : most;
}

struct MapArguments {
  const void* left = nullptr;
  const void* right = nullptr;
  void* out = nullptr;
  std::int64_t count = 0;
  std::int64_t blocks = 1;
};

template <class Core, class Number>
cudaError_t launch_map(const MapArguments& arguments, cudaStream_t stream);

}  // namespace roofcast
