#include "engine/kernel_time/gemm.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/close_to.hpp"
#include "tests/toy_platform.hpp"

namespace roofcast {
namespace {

// 10 SMs of 1 TFLOP/s on Tensor Cores, one block on each, 1 TB/s.
Machine machine() {
  return machine_of(toy_device());
}

GemmParameters parameters(std::vector<Tile> tiles = {{128, 128}}) {
  GemmParameters fitted = toy_gemm_parameters();
  fitted.launch_us = 0;
  fitted.tiles = std::move(tiles);
  return fitted;
}

GemmWork work(double m, double n, double k) {
  return {.m = m, .n = n, .k = k, .arithmetic = Arithmetic::tensor_fp16};
}

GemmTime run(const GemmWork& product, const GemmParameters& fitted = parameters()) {
  return gemm_time(product, machine(), fitted);
}

double us(Seconds time) {
  return as_microseconds(time);
}

// A tile of 128 x 128 and k = 1024 on one SM of 1 TFLOP/s.
constexpr double tile_us = 2 * 128 * 128 * 1024 / 1e6;

TEST_CASE("gemm_time: compute bound, waves of ten tiles on ten SMs") {
  const GemmTime time = run(work(1280, 1280, 1024));

  CHECK(time.waves == 10);
  CHECK(us(time.tiles) == close_to(10 * tile_us));
  CHECK(us(time.total) == close_to(10 * tile_us));
}

TEST_CASE("gemm_time: one tile more than SMs costs a wave more") {
  CHECK(us(run(work(10 * 128, 128, 1024)).tiles) == close_to(tile_us));
  CHECK(us(run(work(10 * 128 + 1, 128, 1024)).tiles) == close_to(2 * tile_us));
  CHECK(us(run(work(20 * 128, 128, 1024)).tiles) == close_to(2 * tile_us));
  CHECK(us(run(work(21 * 128, 128, 1024)).tiles) == close_to(3 * tile_us));
  CHECK(us(run(work(1, 1, 1024)).tiles) == close_to(tile_us));
}

TEST_CASE("gemm_time: a tile reaches half of the rate at its half perimeter, and less if a side is short") {
  GemmParameters fitted = parameters({{128, 128}});
  fitted.half_perimeter = 128 * 128 / (128 + 128);
  CHECK(us(run(work(1280, 128, 1024), fitted).tiles) == close_to(2 * tile_us));

  GemmParameters narrow = parameters({{128, 32}});
  narrow.small_tile = 0.5;
  CHECK(us(run(work(1280, 32, 1024), narrow).tiles) == close_to(2 * tile_us / 4));
}

TEST_CASE("gemm_time: waves, steps along k and writing add what no arithmetic hides") {
  GemmParameters fitted = parameters();
  fitted.wave_us = 3;
  CHECK(us(run(work(2560, 128, 1024), fitted).tiles) == close_to(2 * (tile_us + 3)));

  fitted = parameters();
  fitted.slab_us = 10;  // a slab is 128 bytes of k: 16 steps of 64 values
  CHECK(us(run(work(1280, 128, 1024), fitted).tiles) == close_to(16 * 10));

  fitted = parameters();
  fitted.store_bytes_per_clock = 32;  // of 1 GHz
  GemmWork writes = work(1280, 128, 1024);
  writes.written = Bytes{2.0 * 1280 * 128};
  CHECK(us(run(writes, fitted).tiles) == close_to(tile_us + 2.0 * 128 * 128 / 32e3));
}

TEST_CASE("gemm_time: operands come to the SMs no faster than from the L2 cache") {
  GemmParameters fitted = parameters();
  fitted.l2_bytes_per_clock = 1;  // 10 GB/s for ten SMs; each wants 256 rows of 1024 values of 2 bytes

  CHECK(us(run(work(1280, 128, 1024), fitted).tiles) == close_to(10 * 256 * 1024 * 2 / 10e3));
  CHECK(us(run(work(128, 128, 1024), fitted).tiles) == close_to(256 * 1024 * 2 / 10e3));  // alone
}

TEST_CASE("gemm_time: several blocks share an SM if shared memory has room for their stages") {
  Machine large = machine();
  large.shared_memory = Bytes{2 * 3 * 256 * 128};  // two blocks of three stages of 128 bytes for 256 rows
  const GemmTime time = gemm_time(work(2560, 128, 1024), large, parameters());

  CHECK(time.waves == 1);
  CHECK(us(time.tiles) == close_to(2 * tile_us));
  // three tiles on an SM: two at once, then one
  CHECK(us(gemm_time(work(30 * 128, 128, 1024), large, parameters()).tiles) == close_to(3 * tile_us));
}

TEST_CASE("gemm_time: memory bound") {
  GemmWork product = work(1280, 128, 1024);
  product.read = Bytes{1e9};
  product.written = Bytes{0.5e9};
  GemmParameters fitted = parameters();

  CHECK(us(run(product, fitted).memory) == close_to(1500));
  CHECK(us(run(product, fitted).total) == close_to(1500));
  fitted.write_weight = 2;
  fitted.bandwidth_share = 0.5;
  fitted.ramp_us = 7;
  CHECK(us(run(product, fitted).memory) == close_to(2 * (1000 + 2 * 500) + 7));
}

TEST_CASE("gemm_time: few bytes in flight do not fill the memory's latency") {
  GemmWork product = work(1280, 128, 1024);
  product.read = Bytes{1e9};
  GemmParameters fitted = parameters();
  const double in_flight = 10 * 256 * 128 * 3;  // ten blocks, 256 rows, 128 bytes, three stages
  fitted.latency_us = in_flight / 1e12 * 1e6;   // as many as the memory delivers in that time

  CHECK(us(run(product, fitted).memory) == close_to(2 * 1000));
}

TEST_CASE("gemm_time: arithmetic and memory overlap in part") {
  GemmWork product = work(1280, 128, 1024);
  product.read = Bytes{tile_us * 1e6};
  GemmParameters fitted = parameters();
  fitted.overlap = 2;

  CHECK(us(run(product, fitted).total) == close_to(std::sqrt(2.0) * tile_us, 1e-6));
}

TEST_CASE("gemm_time: k is split where few tiles leave SMs idle") {
  GemmParameters fitted = parameters();
  fitted.split_us = 1;
  const GemmTime time = run(work(128, 128, 10240), fitted);

  CHECK(time.split_k == 8);  // 10 parts would do, 12 take two waves
  CHECK(us(time.tiles) == close_to(10 * tile_us / 8));
  CHECK(us(time.split) == close_to(1));
  CHECK(us(time.total) == close_to(10 * tile_us / 8 + 1));
  CHECK(run(work(128, 128, 128), fitted).split_k == 1);
  CHECK(run(work(1280, 1280, 10240), fitted).split_k == 1);
  fitted.split_us = 9 * tile_us;  // costs what it gains
  CHECK(run(work(128, 128, 10240), fitted).split_k == 1);
}

TEST_CASE("gemm_time: the fastest tile is chosen") {
  GemmParameters fitted = parameters({{128, 128}, {32, 32}});

  CHECK(run(work(32, 32, 1024), fitted).tile_m == 32);
  fitted.half_perimeter = 16;  // 128 x 128: 64 / (64 + 16), 32 x 32: half
  CHECK(run(work(1280, 1280, 1024), fitted).tile_m == 128);
}

TEST_CASE("gemm_time: a result smaller than every tile of a long list still has one") {
  const std::vector<Tile> large(9, {256, 128});

  CHECK(us(run(work(1, 1, 1024), parameters(large)).tiles) == close_to(2 * tile_us));
}

TEST_CASE("gemm_time: of a long list, tiles of 64 take part however small the result is") {
  std::vector<Tile> tiles(9, {16, 16});
  tiles.push_back({64, 64});
  GemmParameters fitted = parameters(tiles);
  fitted.small_tile = 1.0 / 32;  // sixteen times less to multiply, at a thirty-second of the rate

  CHECK(run(work(16, 16, 1024), fitted).tile_m == 64);
}

TEST_CASE("gemm_time: a batched product has tiles of its own") {
  GemmParameters fitted = parameters();
  fitted.batched_tiles = {{64, 64}};
  GemmWork batched = work(128, 128, 1024);
  batched.batch = 2;

  CHECK(run(work(128, 128, 1024), fitted).tile_m == 128);
  CHECK(run(batched, fitted).tile_m == 64);
  fitted.batched_tiles.clear();
  CHECK(run(batched, fitted).tile_m == 128);
}

TEST_CASE("gemm_time: a batch is so many times the tiles") {
  GemmWork batched = work(128, 128, 1024);
  batched.batch = 25;

  CHECK(us(run(batched).tiles) == close_to(3 * tile_us));
}

TEST_CASE("gemm_time: a library that leaves out columns beyond the edge multiplies fewer") {
  GemmParameters fitted = parameters();
  const double all = us(run(work(640, 130, 1024), fitted).tiles);
  fitted.edge = 32;

  CHECK(all == close_to(tile_us));                                                  // two columns of tiles
  CHECK(us(run(work(640, 130, 1024), fitted).tiles) == close_to(all * 160 / 256));  // 130 is five times 32
  CHECK(us(run(work(640, 256, 1024), fitted).tiles) == close_to(all));
}

TEST_CASE("gemm_time: rows that are no multiple of 16 bytes are slower") {
  GemmParameters fitted = parameters();
  fitted.unaligned = 0.5;

  CHECK(us(run(work(1280, 128, 1024), fitted).tiles) == close_to(tile_us));
  CHECK(us(run(work(1279, 128, 1024), fitted).tiles) == close_to(tile_us));  // m is not contiguous
  CHECK(us(run(work(1280, 124, 1024), fitted).tiles) == close_to(2 * tile_us));
  CHECK(us(run(work(1280, 128, 1020), fitted).tiles) == close_to(2 * tile_us));
}

TEST_CASE("gemm_time: on vector units m and n are contiguous") {
  GemmParameters fitted = parameters();
  fitted.unaligned = 0.5;
  const auto tiles = [&](double m, double n, double k) {
    GemmWork product = work(m, n, k);
    product.arithmetic = Arithmetic::vector_fp32;  // 0.1 TFLOP/s an SM
    return us(run(product, fitted).tiles);
  };

  CHECK(tiles(1280, 128, 1023) == close_to(10 * tile_us));
  CHECK(tiles(1278, 128, 1024) == close_to(20 * tile_us));
}

TEST_CASE("gemm_time: a share of the rate is for others to take") {
  GemmWork product = work(1280, 128, 1024);
  product.rate_share = 0.25;

  CHECK(us(run(product).tiles) == close_to(4 * tile_us));
}

TEST_CASE("gemm_time: what the cache holds comes from there") {
  GemmParameters fitted = parameters();
  fitted.l2_bytes_per_clock = 400;  // 4 TB/s for ten SMs
  GemmWork product = work(1280, 128, 1024);
  product.read = Bytes{1e9};
  product.cached = 0.5;

  CHECK(us(run(product, fitted).memory) == close_to(500 + 500 / 4.0));
}

TEST_CASE("gemm_time: a library that copies its operands first does so unless one is a vector") {
  GemmParameters fitted = parameters();
  fitted.pack_bytes_per_clock = 100;  // 1 TB/s for ten SMs

  const GemmTime product = run(work(1280, 128, 1024), fitted);

  CHECK(us(product.pack) == close_to(1e-6 * (1280 + 128) * 1024 * 2.0));
  CHECK(us(product.total) == close_to(us(run(work(1280, 128, 1024)).total) + us(product.pack)));
  CHECK(run(work(1280, 1, 1024), fitted).pack.count() == 0);
  CHECK(run(work(1280, 128, 1024)).pack.count() == 0);
}

// 100 tiles, ten at once: super-tiles of 3 x 4, so 4 x 3 of them, each with 3 + 4 strips of 128 rows.
TEST_CASE("gemm_time: super-tiles read their operands anew where no cache keeps them") {
  GemmWork product = work(1280, 1280, 1024);
  product.read = Bytes{(1280 + 1280) * 1024 * 2.0};
  product.written = Bytes{1280 * 1280 * 2.0};
  Machine small = machine();
  small.l2 = Bytes{1};

  CHECK(run(product).traffic.value == close_to(product.read.value + product.written.value, 1e-6));
  CHECK(gemm_time(product, small, parameters()).traffic.value ==
        close_to(4 * 3 * (3 + 4) * 128 * 1024 * 2.0 + product.written.value, 1e-6));
  small.l2 = Bytes{1280 * 1024 * 2 / 0.6};  // one operand just fits: half of it is kept
  CHECK(
      gemm_time(product, small, parameters()).traffic.value ==
      close_to(0.5 * product.read.value + 0.5 * 4 * 3 * (3 + 4) * 128 * 1024 * 2.0 + product.written.value));
}

}  // namespace
}  // namespace roofcast
