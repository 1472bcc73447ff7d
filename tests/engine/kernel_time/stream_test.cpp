#include "engine/kernel_time/stream.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/close_to.hpp"
#include "tests/toy_platform.hpp"

namespace roofcast {
namespace {

// 1 TB/s behind a cache of 64 MB that gives 4 TB/s; 1 TFLOP/s.
Machine machine() {
  Machine toy = machine_of(toy_device());
  toy.l2 = Bytes{64e6};
  return toy;
}

const CacheParameters cache{.resident_share = 0.5, .l2_bytes_per_clock = 400};

StreamParameters parameters() {
  return {.bandwidth_share = 1, .launch_us = 2, .operations_share = 1};
}

// Values of 4 bytes, read once and not written.
StreamWork rows(std::int64_t count, std::int64_t row) {
  return {.form = {.kind = StreamKind::softmax, .elements = count * row, .row = row},
          .read = Bytes{4.0 * static_cast<double>(count * row)}};
}

StreamTime run(const StreamWork& work, const StreamParameters& fitted = parameters()) {
  return stream_time(work, machine(), fitted, cache);
}

TEST_CASE("stream_time: launch and bytes at a share of the bandwidth") {
  StreamParameters fitted = parameters();
  fitted.bandwidth_share = 0.5;
  const StreamWork work{.form = {.elements = 1}, .read = Bytes{3e9}, .written = Bytes{1e9}};

  CHECK(as_microseconds(run(work).total) == close_to(2 + 4000, 1e-6));
  CHECK(as_microseconds(run(work, fitted).total) == close_to(2 + 8000, 1e-6));
  CHECK(as_microseconds(run(work).launch) == close_to(2));
}

TEST_CASE("stream_time: many operations on each value take the vector units longer") {
  StreamParameters fitted = parameters();
  fitted.operations_share = 0.25;
  const StreamWork work{.form = {.elements = 1}, .operations = 1e9, .read = Bytes{1e9}};

  CHECK(as_microseconds(run(work, fitted).compute) == close_to(4000));
  CHECK(as_microseconds(run(work, fitted).total) == close_to(2 + 4000));
  CHECK(as_microseconds(run(work).total) == close_to(2 + 1000, 1e-5));
}

TEST_CASE("stream_time: rows that stay in registers are read once, longer ones again") {
  StreamParameters fitted = parameters();
  fitted.short_row = 1000;
  fitted.further_reads = 0.5;
  fitted.long_row_kib = 4;
  fitted.long_row_reads = 2;

  CHECK(run(rows(1'000'000, 1000), fitted).further_reads == 0);
  CHECK(run(rows(1'000'000, 1024), fitted).further_reads == close_to((0.5 + 2) / 2));  // 4 KiB: half way
  CHECK(run(rows(1'000, 1 << 20), fitted).further_reads == close_to(2, 1e-6));
  fitted.long_row_kib = 1 << 20;
  CHECK(run(rows(1'000'000, 1024), fitted).further_reads == close_to(0.5));
  CHECK(as_microseconds(run(rows(1'000'000, 1024), fitted).memory) == close_to(1.5 * 4096, 1e-6));
}

TEST_CASE("stream_time: reductions of many short rows take SMs as long as their bytes the memory") {
  StreamParameters fitted = parameters();
  fitted.row_us = 1e-3;
  const double half =
      1.024e6;  // microseconds for 1.024e10 rows on ten SMs, and for 100 bytes of each at 1 TB/s

  CHECK(as_microseconds(run(rows(10'240'000'000, 25), fitted).memory) ==
        close_to(half * std::pow(2, 1 / 1.5), 1e-6));
  StreamWork whole = rows(10'240'000'000, 25);
  whole.form.row = 0;
  CHECK(as_microseconds(run(whole, fitted).memory) == close_to(half, 1e-6));
}

TEST_CASE("stream_time: what is not reduced is read once however long it is") {
  StreamParameters fitted = parameters();
  fitted.further_reads = 0.5;

  CHECK(run({.form = {.elements = 1 << 30}, .read = Bytes{4.0 * (1 << 30)}}, fitted).further_reads == 0);
}

TEST_CASE("stream_time: of what is written, half stays in the cache where a kernel fills its share") {
  const StreamWork work{.form = {.elements = 1}, .read = Bytes{20e6}, .written = Bytes{12e6}};

  CHECK(run(work).resident == close_to(0.5));
  CHECK(as_microseconds(run(work).memory) == close_to(20 + 6 + 6 / 4.0));
  CHECK(run({.form = {.elements = 1}, .written = Bytes{320e6}}).resident == close_to(1 / 10001.0));
}

TEST_CASE("stream_time: what is cached comes from the cache") {
  const StreamWork work{.form = {.elements = 1}, .read = Bytes{320e6}, .cached = 0.25};

  CHECK(as_microseconds(run(work).memory) == close_to(240 + 80 / 4.0));
}

TEST_CASE("stream_time: a cache is never slower than the memory behind it") {
  const StreamWork work{.form = {.elements = 1}, .read = Bytes{3.2e6}, .cached = 1};

  CHECK(as_microseconds(
            stream_time(work, machine(), parameters(), {.resident_share = 0.5, .l2_bytes_per_clock = 1})
                .memory) == close_to(3.2));
}

}  // namespace
}  // namespace roofcast
