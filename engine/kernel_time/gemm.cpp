#include "engine/kernel_time/gemm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace roofcast {
namespace {

constexpr std::array<double, 8> splits = {1, 2, 3, 4, 6, 8, 12, 16};

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

double power_of_two_above(double value) {
  return std::exp2(std::ceil(std::log2(std::max(value, 1.0))));
}

// Whether rows begin at multiples of 16 bytes. Products on vector units turn their operands, so that m and n are
// contiguous; on Tensor Cores k and n are.
bool aligned(const GemmWork& work, double bytes, bool tensor) {
  const auto fits = [&](double size) { return std::fmod(size * bytes, 16.0) == 0; };
  return fits(work.n) && fits(tensor ? work.k : work.m);
}

// What does not depend on the tile.
struct Problem {
  const GemmWork& work;
  const Machine& machine;
  const GemmParameters& fitted;
  double bytes = 4;       // of an operand's value
  double slab = 16;       // steps along k that one iteration takes
  double peak = 1;        // of one SM
  double l2 = 1;          // bytes per second of all SMs
  double bandwidth = 1;
  double read = 0;        // compulsory
  double ideal_read = 0;  // by the operand's bytes
  double written = 0;
  double result_bytes = 4;  // of one value
  double store = 1;         // bytes per second of one SM
  double resident = 1;    // phi
  double rate_share = 1;
};

struct Choice {
  double time = std::numeric_limits<double>::infinity();
  double tiles = 0, memory = 0, split = 0, waves = 0, traffic = 0, k_parts = 1;
  Tile tile{};
};

// ceil for positive values that fit an integer; faster than std::ceil without SSE4.1.
double ceiling(double value) {
  const auto whole = static_cast<double>(static_cast<std::int64_t>(value));
  return whole + (whole < value ? 1.0 : 0.0);
}

double blocks_per_sm(const Problem& problem, const Tile& tile) {
  constexpr double stages = 3;
  constexpr double registers = 65536;
  const double stage = (tile.m + tile.n) * problem.slab * problem.bytes;
  const double by_memory = problem.machine.shared_memory.value / (stage * stages);
  const double by_registers = registers / (1.5 * tile.m * tile.n + 8192);
  return std::clamp(std::floor(std::min(by_memory, by_registers)), 1.0, 4.0);
}

// Bytes that are read when `at_once` tiles of the result run together, in a super-tile about as high as wide.
double refetched(const Problem& problem, const Tile& tile, double rows, double columns, double at_once) {
  double high = std::min(rows, std::max(1.0, std::sqrt(at_once * tile.n / tile.m)));
  const double wide = std::min(columns, ceiling(at_once / high));
  high = std::min(rows, ceiling(at_once / wide));
  return problem.work.batch * ceiling(rows / high) * ceiling(columns / wide) *
         (high * tile.m + wide * tile.n) * problem.bytes * problem.work.k;
}

Choice try_choice(const Problem& problem, const Tile& tile, double split, double best) {
  const GemmWork& work = problem.work;
  const GemmParameters& fitted = problem.fitted;
  const double sms = problem.machine.sms;
  const double rows = ceiling(work.m / tile.m);
  const double columns = ceiling(work.n / tile.n);
  const double k_part = 32 * ceiling(work.k / (32 * split));
  const double parts = ceiling(work.k / k_part);
  const double blocks = work.batch * rows * columns * parts;

  const double per_sm = blocks_per_sm(problem, tile);
  const double slots = sms * per_sm;
  const double full = std::floor(blocks / slots);
  const double left = blocks - full * slots;
  const double half = tile.m * tile.n / (tile.m + tile.n);
  const double reached = fitted.peak_share * half / (half + fitted.half_perimeter) *
                         (std::min(tile.m, tile.n) < 64 ? fitted.small_tile : 1.0) * problem.rate_share;
  const double covered = columns * tile.n;
  const double used = fitted.edge > 0 ? std::min(covered, fitted.edge * ceiling(work.n / fitted.edge)) : covered;
  const double compute = 2 * tile.m * (tile.n * used / covered) * k_part / (problem.peak * reached);
  const double operands = (tile.m + tile.n) * k_part * problem.bytes / problem.l2;
  const double steps = ceiling(k_part / problem.slab) * fitted.slab_us * 1e-6;
  const auto phase = [&](double deep, double active) {
    return std::max({deep * compute, deep * active * operands, steps});
  };
  const double store = tile.m * (tile.n * used / covered) * problem.result_bytes / problem.store;
  const double wave = fitted.wave_us * 1e-6;
  Choice choice{.k_parts = parts, .tile = tile};
  choice.tiles = full * (phase(per_sm, sms) + per_sm * store + wave);
  if (left > 0) {
    const double deep = ceiling(left / sms);
    choice.tiles += phase(deep, std::min(left, sms)) + deep * store + wave;
  }
  if (parts > 1) {
    const double partial_sums = 2 * 4 * work.batch * work.m * work.n * parts;
    choice.split = fitted.split_us * 1e-6 + partial_sums / problem.l2;
  }
  const double launch = fitted.launch_us * 1e-6;
  if (launch + choice.tiles + choice.split >= best) return choice;  // memory only adds to it

  double read = problem.read;
  if (problem.resident < 1) {
    const double again = refetched(problem, tile, rows, columns, std::min(slots, blocks / parts));
    const double refetch = std::clamp(problem.read * (again / problem.ideal_read), problem.read, 8 * problem.read);
    read = problem.resident * problem.read + (1 - problem.resident) * refetch;
  }
  choice.traffic = read + problem.written;
  const double in_flight = std::min(blocks, slots) * (tile.m + tile.n) * problem.slab * problem.bytes * 3;
  const double bandwidth =
      problem.bandwidth * in_flight / (in_flight + problem.bandwidth * fitted.latency_us * 1e-6);
  const double cached = work.cached * problem.read;
  choice.memory = (read - cached + fitted.write_weight * problem.written) / bandwidth + cached / problem.l2 +
                  fitted.ramp_us * 1e-6;
  const double longer = std::max(choice.tiles, choice.memory);
  const double shorter = std::min(choice.tiles, choice.memory);
  if (launch + longer + choice.split >= best) return choice;
  choice.waves = blocks / slots;
  choice.time = launch + choice.split +
                longer * std::pow(1 + std::pow(shorter / longer, fitted.overlap), 1 / fitted.overlap);
  return choice;
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

  const std::vector<Tile>& tiles =
      work.batch > 1 && !fitted.batched_tiles.empty() ? fitted.batched_tiles : fitted.tiles;
  double least_m = tiles.front().m;
  double least_n = tiles.front().n;
  for (const Tile& tile : tiles) {
    least_m = std::min(least_m, tile.m);
    least_n = std::min(least_n, tile.n);
  }
  constexpr std::size_t few = 8;
  // Tiles more than twice as large as the result are never better than those that fit it.
  const double most_m = std::max(least_m, 2 * power_of_two_above(work.m));
  const double most_n = std::max(least_n, 2 * power_of_two_above(work.n));
  Choice best;
  for (const Tile& tile : tiles) {
    if (tiles.size() > few && (tile.m > most_m || tile.n > most_n)) continue;
    const double blocks = work.batch * ceiling(work.m / tile.m) * ceiling(work.n / tile.n);
    for (const double split : splits) {
      if (split > 1 && (blocks * split > 6 * machine.sms || work.k < 128 * split)) break;
      if (const Choice choice = try_choice(problem, tile, split, best.time); choice.time < best.time)
        best = choice;
    }
  }
  return {.total = Seconds{best.time},
          .launch = microseconds(fitted.launch_us),
          .tiles = Seconds{best.tiles},
          .memory = Seconds{best.memory},
          .split = Seconds{best.split},
          .tile_m = best.tile.m,
          .tile_n = best.tile.n,
          .split_k = best.k_parts,
          .waves = best.waves,
          .traffic = Bytes{best.traffic}};
}

}  // namespace roofcast
