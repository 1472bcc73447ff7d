#pragma once
// The parameters of the time models: facts about an architecture and its libraries that no data sheet has.
// Formulas are in engine/kernel_time, values in hardware_db/priors.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/kernel_form.hpp"
#include "engine/hardware/residual.hpp"

namespace roofcast {

/// How far measured times lie from predicted ones: 80% are expected within [low, high] times the median.
struct Spread {
  double low = 0.6;
  double high = 1.7;
};

/// What multiplies matrices. Kernels for one unit are alike, so they share parameters.
enum class MatrixUnit : std::uint8_t {
  vector,    ///< CUDA cores
  tensor32,  ///< Tensor Cores on 32 or 64 bits: TF32, FP64
  tensor16,
  tensor8  ///< 8 bits and below
};
inline constexpr std::size_t matrix_units = 4;

std::string_view to_string(MatrixUnit unit);

/// The part of a matrix product's result that one thread block computes.
struct Tile {
  double m = 0;
  double n = 0;
};

/// Matrix products through tiles; see kernel_time/gemm.hpp for what each one does.
struct GemmParameters {
  double peak_share = 1.0;            ///< of the arithmetic's peak that the largest tiles approach
  double half_perimeter = 12;         ///< m n / (m + n) of a tile that reaches half of that
  double small_tile = 0.6;            ///< factor on tiles with a side below 64
  double launch_us = 0.8;             ///< device side of a launch
  double wave_us = 1.9;               ///< filling the pipeline and writing the tile, for each wave of tiles
  double slab_us = 0.1;               ///< a step along k that nothing hides
  double bandwidth_share = 0.93;      ///< of the memory bandwidth
  double l2_bytes_per_clock = 40;     ///< per SM
  double latency_us = 0.2;            ///< of memory under load
  double overlap = 3;                 ///< exponent that joins arithmetic and memory; infinite is a roofline
  double split_us = 2.3;              ///< the reduction after a split along k
  double ramp_us = 1.8;               ///< memory traffic gets going
  double write_weight = 1.3;          ///< bytes written count so much against bytes read
  double store_bytes_per_clock = 30;  ///< at which an SM writes its tiles, after the arithmetic
  double unaligned = 0.8;             ///< factor on the rate if rows cannot be loaded as vectors of 16 bytes
  double pack_bytes_per_clock = 0;    ///< at which an SM copies operands beforehand; 0: none
  double edge = 0;                    ///< columns that a tile beyond the edge leaves out at a time; 0: none
  std::vector<Tile> tiles{};          ///< that the library has kernels for, largest first
  std::vector<Tile> batched_tiles{};  ///< the same for batched products; empty: `tiles`
  Residual residual{};                ///< over m, n, k, batch
  Spread spread{};
};

/// Convolutions: the matrix products that they become, and which share of their speed the ways to get there
/// reach.
struct ConvolutionParameters {
  GemmParameters product{};
  double implicit_share = 0.9;  ///< of the product's rate, when it gathers its operand on the fly
  double winograd_share =
      0.8;  ///< of the product's rate, for the products after the transforms; 0: the library has none
  double fused_winograd_share = 0.45;  ///< of the arithmetic's peak, transforms in the same kernel; 0: none
  double transform_share = 0.8;        ///< of the memory bandwidth, for the transforms and layout changes
  double launch_us = 3;                ///< of all kernels together
  double copied_share = 0.5;  ///< of activations that are not channels last, when Tensor Cores want that
  double weight_gradient_share = 0.7;  ///< of the product's rate, for gradients of weights
  double grouped_share = 0.5;          ///< of the product's rate, with groups
  double grouped_last_share = 0.1;     ///< the same for gradients with channels last, whose kernels are poor
  double depthwise_share = 0.6;        ///< of the memory bandwidth, one channel in a group
  double depthwise_taps = 20;          ///< multiply-adds of an SM in a clock, on top
  double depthwise_weight_share = 0.15;  ///< the same for gradients of weights
  Residual residual{};                   ///< over batch, channels in and out, input positions
  Spread spread{};
};

/// Fused attention: tiles of queries walk over the keys.
struct AttentionParameters {
  double forward_share = 0.75;  ///< of the arithmetic's peak
  double backward_share = 0.6;
  double score_operations = 20;  ///< of the vector units, for each score: scaling, exponential, sums
  double launch_us = 5;
  double imbalance = 0.5;  ///< of the longest row of tiles, waited for at the end
  double bandwidth_share = 0.8;
  double few_blocks = 0.3;  ///< decoding: blocks of 128 keys for each SM that reach half the bandwidth
  double decode_launch_us = 9;
  double decode_head_us = 1.5;  ///< for each pair of a sequence and a key head on an SM
  Spread spread{};
};

/// Kernels that follow their bytes.
struct StreamParameters {
  double bandwidth_share = 0.85;
  double launch_us = 1.5;
  double operations_share = 0.35;  ///< of the vector units' peak
  double short_row = 0;            ///< rows of so many elements stay in registers and are read once
  double further_reads = 0;        ///< of the input, in longer rows
  double long_row_kib = 64;        ///< rows of so many bytes leave the cache between reads
  double long_row_reads = 0;       ///< further reads there
  double row_us = 0;               ///< that an SM takes for a row, whatever its length
  Spread spread{};
};

/// Rows of a table at computed places.
struct GatherParameters {
  double bandwidth_share = 0.6;
  double launch_us = 2;
  double sector_bytes = 32;  ///< the least that is moved for a row
  Spread spread{};
};

/// What arithmetic draws, and what a power limit does to it.
struct PowerParameters {
  double watts_per_tera = 1;     ///< at full clock, for 10^12 operations a second of this unit
  double clock_exponent = 0.45;  ///< time grows as (wanted power / limit)^exponent
};

/// What all kernels of an architecture share.
struct CacheParameters {
  double resident_share = 0.6;     ///< of the L2 cache that keeps what was just written
  double l2_bytes_per_clock = 30;  ///< per SM
};

/// All of an architecture's.
struct KernelParameters {
  std::array<GemmParameters, matrix_units> gemm{};
  std::array<ConvolutionParameters, matrix_units> convolution{};
  AttentionParameters attention{};
  std::array<StreamParameters, stream_kinds> stream{};
  GatherParameters gather{};
  std::array<PowerParameters, matrix_units> power{};
  CacheParameters cache{};
};

/// One number of them by name, with what physics says about it.
struct NamedParameter {
  std::string table{};     ///< "gemm.tensor16"
  std::string_view key{};  ///< "peak_share"
  double* value = nullptr;
  double low = 0;
  double high = 0;
  double spread =
      0;  ///< standard deviation of its logarithm around where it starts; see fit/least_squares.hpp
};

/// All numbers but tiles, residuals and spreads, in the order of the files.
std::vector<NamedParameter> named_parameters(KernelParameters& parameters);

}  // namespace roofcast
