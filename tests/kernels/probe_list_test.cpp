#include "kernels/probe_list.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>

namespace roofcast {
namespace {

constexpr ProbeLimits generous{.memory = gibibytes(8), .operations = Flops{1e13}};

std::vector<std::string> names(const std::vector<Probe>& probes) {
  std::vector<std::string> all;
  for (const Probe& probe : probes) all.push_back(name(probe));
  return all;
}

TEST_CASE("probe_list: names are unique, sizes and counts are positive, groups are given") {
  for (const Extent extent : {Extent::quick, Extent::full}) {
    const std::vector<Probe> probes = probe_list(extent, generous);
    std::set<std::string> seen;
    for (const Probe& probe : probes) {
      CAPTURE(name(probe));
      CHECK(seen.insert(name(probe)).second);
      CHECK(probe.m > 0);
      CHECK(probe.n > 0);
      CHECK(probe.read.value + probe.written.value > 0);
      CHECK_FALSE(probe.group.empty());
    }
  }
}

TEST_CASE("probe_list: is the same each time and mixes its families") {
  const auto once = names(probe_list(Extent::quick, generous));

  CHECK(once == names(probe_list(Extent::quick, generous)));
  CHECK_FALSE(std::ranges::is_sorted(once));
}

TEST_CASE("probe_list: nothing is beyond the limits of the device") {
  constexpr ProbeLimits small{.memory = mebibytes(1), .operations = Flops{1e8}};

  const std::vector<Probe> probes = probe_list(Extent::full, small);

  CHECK(probes.size() > 100);
  for (const Probe& probe : probes) {
    CHECK(probe.read + probe.written <= small.memory);
    CHECK(probe.operations <= small.operations);
  }
}

TEST_CASE("probe_list: a device's own list of operators and precisions is all that is asked for") {
  constexpr std::array supported = {SupportedOp{"gemm", "int8"}, SupportedOp{"gemm", "bf16"},
                                    SupportedOp{"relu", "fp16"}};
  ProbeLimits limits = generous;
  limits.supported = supported;

  const std::vector<Probe> probes = probe_list(Extent::full, limits);

  std::set<std::string> kinds;
  for (const Probe& probe : probes) {
    kinds.insert(probe.op + " " + probe.precision);
    if (probe.precision == "int8") CHECK(probe.n % 16 + probe.k % 16 == 0);
  }
  CHECK(kinds == std::set<std::string>{"gemm bf16", "gemm int8", "relu fp16"});
  const auto find = [&](const std::string& wanted) {
    return *std::ranges::find_if(probes, [&](const Probe& probe) { return name(probe) == wanted; });
  };
  CHECK(find("gemm int8 128x3072x768 cold").read.value == 1.0 * (128 * 768 + 768 * 3072));
  CHECK(find("gemm int8 128x3072x768 cold").written.value == 4.0 * 128 * 3072);
  CHECK(find("gemm bf16 128x3072x768 cold").written.value == 2.0 * 128 * 3072);
  CHECK(find("relu fp16 16x768 cold").read.value == 2.0 * 16 * 768);
}

TEST_CASE("probe_list: full holds some hundreds, quick at most a fifth of them") {
  const std::size_t full = probe_list(Extent::full, generous).size();

  CHECK(full > 500);
  CHECK(5 * probe_list(Extent::quick, generous).size() < full);
}

TEST_CASE("product probes: spread over small and large sizes in each direction") {
  const std::vector<Probe> probes = probe_list(Extent::full, generous);
  const auto in_range = [&](std::int64_t Probe::*size, std::int64_t from, std::int64_t to) {
    return std::ranges::count_if(probes, [&](const Probe& probe) {
      return is_product(probe) && probe.*size >= from && probe.*size < to;
    });
  };

  for (const auto size : {&Probe::m, &Probe::n}) {
    CHECK(in_range(size, 1, 90) > 40);
    CHECK(in_range(size, 90, 8193) > 40);
  }
  CHECK(in_range(&Probe::k, 16, 362) > 40);
  CHECK(in_range(&Probe::k, 362, 8193) > 40);
}

TEST_CASE("probes: what they have to do, by hand") {
  const std::vector<Probe> probes = probe_list(Extent::full, generous);
  const auto find = [&](const std::string& wanted) {
    return *std::ranges::find_if(probes, [&](const Probe& probe) { return name(probe) == wanted; });
  };

  const Probe product = find("gemm fp32 128x3072x768 cold");
  CHECK(product.operations.value == 2.0 * 128 * 3072 * 768);
  CHECK(product.read.value == 4.0 * (128 * 768 + 768 * 3072));
  CHECK(product.written.value == 4.0 * 128 * 3072);
  CHECK(product.group == "gemm:n3072k768");
  const Probe triad = find("stream_triad fp32 1x1024 warm");
  CHECK(triad.operations.value == 2.0 * 1024);
  CHECK(triad.read.value == 2 * 4.0 * 1024);
  CHECK(triad.written.value == 4.0 * 1024);
  const Probe norm = find("layernorm fp32 16x1024 cold");
  CHECK(norm.read.value == 4.0 * (16 * 1024 + 2 * 1024));
}

TEST_CASE(
    "product probes: one under sustained load in a quick list, more in a full one, none on processors") {
  constexpr std::array supported = {SupportedOp{"gemm", "fp16"}, SupportedOp{"gemm", "bf16"}};
  ProbeLimits limits = generous;
  const auto sustained = [&](Extent extent) {
    const std::vector<Probe> probes = probe_list(extent, limits);
    return std::ranges::count(probes, Load::sustained, &Probe::load);
  };
  CHECK(sustained(Extent::full) == 0);
  limits.supported = supported;

  CHECK(sustained(Extent::quick) == 1);
  CHECK(sustained(Extent::full) == 2 * 4);
}

TEST_CASE("attention probes: only where a device names them; counted by hand") {
  constexpr std::array supported = {SupportedOp{"attention_prefill", "bf16"},
                                    SupportedOp{"attention_bidirectional", "bf16"}};
  ProbeLimits limits = generous;
  CHECK(std::ranges::none_of(probe_list(Extent::full, limits),
                             [](const Probe& probe) { return probe.attention.has_value(); }));
  limits.supported = supported;

  const std::vector<Probe> probes = probe_list(Extent::full, limits);

  const auto find = [&](const std::string& wanted) {
    return *std::ranges::find_if(probes, [&](const Probe& probe) { return name(probe) == wanted; });
  };
  const Probe all = find("attention_bidirectional bf16 b8 q512 kv512 h32/8 d128 cold");
  CHECK(all.operations.value == 8.0 * 32 * 512 * 512 * (2 * 2 * 128 + 5));
  CHECK(all.read.value == 2.0 * 8 * 512 * 128 * (32 + 8 + 8));
  CHECK(all.written.value == 2.0 * 8 * 512 * 128 * 32);
  CHECK(all.m == 8 * 512 * 32);
  const Probe causal = find("attention_prefill bf16 b1 q197 kv197 h12/12 d64 cold");
  CHECK(causal.operations.value == 12.0 * 197 * 198 / 2 * (2 * 2 * 64 + 5));
}

TEST_CASE("collective probes: among two, four and all of a machine's devices; none on one device") {
  constexpr std::array supported = {SupportedOp{"all_reduce", "bf16"}, SupportedOp{"all_gather", "bf16"},
                                    SupportedOp{"reduce_scatter", "bf16"}};
  ProbeLimits limits = generous;
  limits.supported = supported;
  CHECK(probe_list(Extent::full, limits).empty());
  limits.devices = 6;

  const std::vector<Probe> probes = probe_list(Extent::full, limits);

  std::set<std::int64_t> devices;
  for (const Probe& probe : probes) {
    REQUIRE(probe.collective);
    devices.insert(probe.collective->devices);
  }
  CHECK(devices == std::set<std::int64_t>{2, 4, 6});
  const auto find = [&](const std::string& wanted) {
    return *std::ranges::find_if(probes, [&](const Probe& probe) { return name(probe) == wanted; });
  };
  const Probe all = find("all_reduce bf16 4096 bytes on 4 warm");
  CHECK(all.read.value == 4096);
  CHECK(all.written.value == 4096);
  CHECK(all.group == "all_reduce:g4");
  CHECK(find("all_gather bf16 4096 bytes on 4 warm").read.value == 1024);
  CHECK(find("reduce_scatter bf16 4096 bytes on 4 warm").written.value == 1024);
}

}  // namespace
}  // namespace roofcast
