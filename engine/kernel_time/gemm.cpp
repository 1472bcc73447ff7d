#include "engine/kernel_time/gemm.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace roofcast {
namespace {

// Bytes that an operand's value takes in the tile.
double value_bytes(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::vector_fp64:
    case Arithmetic::tensor_fp64: return 8;
    case Arithmetic::vector_fp32:
    case Arithmetic::tensor_tf32: return 4;
    case Arithmetic::vector_fp16:
    case Arithmetic::tensor_fp16_fp16_accumulate:
    case Arithmetic::tensor_fp16:
    case Arithmetic::tensor_bf16: return 2;
    case Arithmetic::tensor_int4:
    case Arithmetic::tensor_fp4: return 0.5;
    default: return 1;
  }
}

// floor and ceil for positive values that fit an integer; faster than those of the library without SSE4.1.
double whole(double value) {
  return static_cast<double>(static_cast<std::int64_t>(value));
}

double ceiling(double value) {
  const double below = whole(value);
  return below + (below < value ? 1.0 : 0.0);
}

double power_of_two_above(double value) {
  return static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(ceiling(value))));
}

// Whether rows begin at multiples of 16 bytes. Products on vector units turn their operands, so that m and n
// are contiguous; on Tensor Cores k and n are.
bool aligned(const GemmWork& work, double bytes, bool tensor) {
  const auto fits = [&](double size) { return size * bytes / 16 == whole(size * bytes / 16); };
  return fits(work.n) && fits(tensor ? work.k : work.m);
}

// A way to split k; what depends on it alone.
struct Split {
  double factor = 1;  // wanted
  double k_part = 0;  // in whole steps of 32
  double parts = 1;
  double steps = 0;    // seconds along k that nothing hides
  double seconds = 0;  // of summing the parts
};

// What does not depend on the tile.
struct Problem {
  const GemmWork& work;
  const Machine& machine;
  const GemmParameters& fitted;
  double bytes = 4;  // of an operand's value
  double slab = 16;  // steps along k that one iteration takes
  double peak = 1;   // of one SM
  double l2 = 1;     // bytes per second of all SMs
  double bandwidth = 1;
  double read = 0;        // compulsory
  double ideal_read = 0;  // by the operand's bytes
  double written = 0;
  double result_bytes = 4;  // of one value
  double store = 1;         // bytes per second of one SM
  double resident = 1;      // phi
  double rate_share = 1;
  double launch = 0;
  double wave = 0;
  double from_memory = 0;  // bytes, but for what is read again
  double constant = 0;     // seconds of memory that do not depend on the tile
  std::array<Split, 8> splits{};
  std::size_t split_count = 0;
};

struct Choice {
  double time = std::numeric_limits<double>::infinity();
  double tiles = 0, memory = 0, split = 0, waves = 0, traffic = 0, k_parts = 1;
  Tile tile{};
};

double blocks_per_sm(const Problem& problem, const Tile& tile) {
  constexpr double stages = 3;
  constexpr double registers = 65536;
  const double stage = (tile.m + tile.n) * problem.slab * problem.bytes;
  const double by_memory = problem.machine.shared_memory.value / (stage * stages);
  const double by_registers = registers / (1.5 * tile.m * tile.n + 8192);
  return std::clamp(whole(std::min(by_memory, by_registers)), 1.0, 4.0);
}

// What does not depend on how k is split.
struct Tiling {
  Tile tile{};
  double rows = 0, columns = 0;
  double blocks = 0;    // without a split
  double per_sm = 1;    // blocks at once
  double slots = 1;     // blocks at once on all SMs
  double compute = 0;   // seconds of a block for each step along k
  double operands = 0;  // the same for its operands from the L2 cache, if it were alone
  double store = 0;     // seconds to write a block's results
  double least = 0;     // seconds that the arithmetic takes if no SM is ever idle
};

Tiling tiling(const Problem& problem, const Tile& tile) {
  const GemmWork& work = problem.work;
  const GemmParameters& fitted = problem.fitted;
  Tiling result{.tile = tile, .rows = ceiling(work.m / tile.m), .columns = ceiling(work.n / tile.n)};
  result.blocks = work.batch * result.rows * result.columns;
  const double half = tile.m * tile.n / (tile.m + tile.n);
  const double reached = fitted.peak_share * half / (half + fitted.half_perimeter) *
                         (std::min(tile.m, tile.n) < 64 ? fitted.small_tile : 1.0) * problem.rate_share;
  double width = tile.n;  // on average, without what is left out beyond the edge
  if (fitted.edge > 0) {
    width = std::min(width, fitted.edge * ceiling(work.n / fitted.edge) / result.columns);
  }
  result.compute = 2 * tile.m * width / (problem.peak * reached);
  result.least = result.blocks * result.compute * work.k / problem.machine.sms;
  result.store = tile.m * width * problem.result_bytes / problem.store;
  return result;
}

// Bytes that are read when `at_once` tiles of the result run together, in a super-tile about as high as wide.
double refetched(const Problem& problem, const Tiling& tiles, double at_once) {
  const Tile& tile = tiles.tile;
  double high = std::min(tiles.rows, std::max(1.0, std::sqrt(at_once * tile.n / tile.m)));
  const double wide = std::min(tiles.columns, ceiling(at_once / high));
  high = std::min(tiles.rows, ceiling(at_once / wide));
  return problem.work.batch * ceiling(tiles.rows / high) * ceiling(tiles.columns / wide) *
         (high * tile.m + wide * tile.n) * problem.bytes * problem.work.k;
}

// (a^p + b^p)^(1/p). Single precision is enough and twice as fast.
double joined(double a, double b, double p) {
  const double longer = std::max(a, b);
  const auto exponent = static_cast<float>(p);
  const float ratio = std::pow(static_cast<float>(std::min(a, b) / longer), exponent);
  return longer * static_cast<double>(std::pow(1 + ratio, 1 / exponent));
}

Choice try_choice(const Problem& problem, const Tiling& tiles, const Split& split, double best) {
  const GemmParameters& fitted = problem.fitted;
  const double sms = problem.machine.sms;
  const double blocks = tiles.blocks * split.parts;
  const double full = whole(blocks / tiles.slots);
  const double left = blocks - full * tiles.slots;
  const double compute = tiles.compute * split.k_part;
  const double operands = tiles.operands * split.k_part;
  const auto phase = [&](double deep, double active) {
    return std::max({deep * compute, deep * active * operands, split.steps}) + deep * tiles.store +
           problem.wave;
  };
  Choice choice{.split = split.seconds, .k_parts = split.parts, .tile = tiles.tile};
  if (full > 0) choice.tiles = full * phase(tiles.per_sm, sms);
  if (left > 0) {
    const double deep = left > sms ? ceiling(left / sms) : 1;
    choice.tiles += phase(deep, std::min(left, sms));
  }
  if (problem.launch + choice.tiles + choice.split >= best) return choice;  // memory only adds to it

  double again = 0;  // bytes read once more
  constexpr double all = 0.9999;
  if (problem.resident < all) {
    const double refetch =
        problem.read / problem.ideal_read * refetched(problem, tiles, std::min(tiles.slots, tiles.blocks));
    again = (1 - problem.resident) * (std::clamp(refetch, problem.read, 8 * problem.read) - problem.read);
  }
  choice.traffic = problem.read + again + problem.written;
  const double in_flight =
      std::min(blocks, tiles.slots) * (tiles.tile.m + tiles.tile.n) * problem.slab * problem.bytes * 3;
  const double waited =
      problem.bandwidth * fitted.latency_us * 1e-6;  // bytes in flight that fill the latency
  choice.memory = (problem.from_memory + again) * (in_flight + waited) / (problem.bandwidth * in_flight) +
                  problem.constant;
  if (problem.launch + std::max(choice.tiles, choice.memory) + choice.split >= best) return choice;
  choice.waves = blocks / tiles.slots;
  choice.time = problem.launch + choice.split + joined(choice.tiles, choice.memory, fitted.overlap);
  return choice;
}

// The fastest split of one tile, if it is faster than the best so far.
void try_tile(const Problem& problem, const Tile& tile, Choice& best) {
  Tiling tiles = tiling(problem, tile);
  const double memory = problem.from_memory / problem.bandwidth + problem.constant;
  const double least = problem.launch + std::max(tiles.least, memory);
  if (least >= best.time) return;
  tiles.per_sm = blocks_per_sm(problem, tile);
  tiles.slots = problem.machine.sms * tiles.per_sm;
  tiles.operands = (tile.m + tile.n) * problem.bytes / problem.l2;
  for (std::size_t i = 0; i < problem.split_count; ++i) {
    const Split& split = problem.splits[i];
    if (split.factor > 1 && tiles.blocks * split.factor > 6 * problem.machine.sms) break;
    if (least + split.seconds >= best.time) break;
    if (const Choice choice = try_choice(problem, tiles, split, best.time); choice.time < best.time)
      best = choice;
  }
}

// Those that leave at least 128 steps for each part.
void add_splits(Problem& problem) {
  const GemmWork& work = problem.work;
  for (const double factor : {1, 2, 3, 4, 6, 8, 12, 16}) {
    if (factor > 1 && work.k < 128 * factor) break;
    Split split{.factor = factor, .k_part = 32 * ceiling(work.k / (32 * factor))};
    split.parts = ceiling(work.k / split.k_part);
    split.steps = ceiling(split.k_part / problem.slab) * problem.fitted.slab_us * 1e-6;
    if (split.parts > 1) {
      const double partial_sums = 2 * 4 * work.batch * work.m * work.n * split.parts;
      split.seconds = problem.fitted.split_us * 1e-6 + partial_sums / problem.l2;
    }
    problem.splits[problem.split_count++] = split;
  }
}

}  // namespace

GemmTime gemm_time(const GemmWork& work, const Machine& machine, const GemmParameters& fitted) {
  const auto arithmetic = static_cast<std::size_t>(work.arithmetic);
  const bool tensor = machine.tensor[arithmetic];
  Problem problem{.work = work, .machine = machine, .fitted = fitted};
  problem.bytes = value_bytes(work.arithmetic);
  problem.slab = tensor ? 128 / problem.bytes : 8;
  problem.peak = machine.matrix[arithmetic].value / machine.sms;
  problem.l2 = fitted.l2_bytes_per_clock * machine.sms * machine.clock.value;
  problem.bandwidth = fitted.bandwidth_share * machine.bandwidth.value;
  problem.read = work.read.value;
  problem.ideal_read = work.batch * (work.m + work.n) * work.k * problem.bytes;
  problem.written = work.written.value;
  problem.result_bytes = problem.written / (work.batch * work.m * work.n);
  problem.store = fitted.store_bytes_per_clock * machine.clock.value;
  problem.rate_share = work.rate_share * (aligned(work, problem.bytes, tensor) ? 1.0 : fitted.unaligned);
  const double smaller = std::min(work.m, work.n) * work.k * problem.bytes / (0.6 * machine.l2.value);
  problem.resident = 1 / (1 + smaller * smaller);

  // What does not depend on the choice.
  double pack = 0;
  if (fitted.pack_bytes_per_clock > 0 && std::min(work.m, work.n) > 1)
    pack = problem.ideal_read / (fitted.pack_bytes_per_clock * machine.sms * machine.clock.value);
  problem.launch = fitted.launch_us * 1e-6 + pack;
  problem.wave = fitted.wave_us * 1e-6;
  const double cached = work.cached * problem.read;
  problem.from_memory = problem.read - cached + fitted.write_weight * problem.written;
  problem.constant = cached / problem.l2 + fitted.ramp_us * 1e-6;

  add_splits(problem);

  const std::vector<Tile>& tiles =
      work.batch > 1 && !fitted.batched_tiles.empty() ? fitted.batched_tiles : fitted.tiles;
  // Of many tiles, those that are more than twice as large as the result are never better than those that fit
  // it. Short sides are slow by themselves, so tiles of 64 always take part.
  constexpr std::size_t few = 8;
  constexpr double short_side = 64;
  const double most_m = std::max(short_side, 2 * power_of_two_above(work.m));
  const double most_n = std::max(short_side, 2 * power_of_two_above(work.n));
  const auto is_small = [&](const Tile& tile) { return tile.m <= most_m && tile.n <= most_n; };
  const bool all = tiles.size() <= few || std::ranges::none_of(tiles, is_small);
  Choice best;
  for (const Tile& tile : tiles) {
    if (all || is_small(tile)) try_tile(problem, tile, best);
  }
  return {.total = Seconds{best.time},
          .launch = microseconds(fitted.launch_us),
          .tiles = Seconds{best.tiles},
          .memory = Seconds{best.memory},
          .split = Seconds{best.split},
          .pack = Seconds{pack},
          .tile_m = best.tile.m,
          .tile_n = best.tile.n,
          .split_k = best.k_parts,
          .waves = best.waves,
          .traffic = Bytes{best.traffic}};
}

}  // namespace roofcast
