#include "kernels/memory_use.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <thread>

#include "engine/io/measured_table.hpp"

namespace roofcast {
namespace {

/// A device that gives memory away in pages.
struct ToyMemory {
  double free = 1e9;
  std::size_t in_page = 0;  // what is left of the last one
  std::size_t page = std::size_t{2} << 20U;
  int blocks = 0;

  Result<void*> allocate(std::size_t bytes) {
    if (in_page < bytes) {
      free -= static_cast<double>(page);
      in_page += page;
    }
    in_page -= bytes;
    ++blocks;
    return reinterpret_cast<void*>(std::uintptr_t{256});
  }
};

TEST_CASE(
    "measure_memory_use: each step by itself, without what it was asked for and without steps in between") {
  double free = 1000;
  const auto left = [&]() -> Result<Bytes> { return Bytes{free}; };
  const auto take = [&](double bytes) {
    return [&free, bytes]() -> Result<void> {
      free -= bytes;
      return {};
    };
  };
  const std::vector<MemoryStep> steps = {
      {"context", take(300), left},
      {"", take(50), left},
      {"library", take(120), left, Bytes{20}},
      {"broken", [] { return Result<void>(fail("no such library")); }, left},
      {"graph", take(7), left}};

  const auto uses = measure_memory_use(steps);

  REQUIRE(uses.size() == 4);
  CHECK(uses[0].taken.value == 300);
  CHECK(uses[1].name == "library");
  CHECK(uses[1].taken.value == 100);
  CHECK(uses[2].failure == "no such library");
  CHECK(uses[3].taken.value == 7);
}

TEST_CASE("allocation_step: the size of pages, wherever the first one began, and all blocks are given back") {
  for (const std::size_t in_page : {std::size_t{0}, std::size_t{100'000}, std::size_t{2'000'000}}) {
    ToyMemory memory{.in_page = in_page};

    const auto step = allocation_step([&](std::size_t bytes) { return memory.allocate(bytes); },
                                      [&](void*) { --memory.blocks; },
                                      [&]() -> Result<Bytes> { return Bytes{memory.free}; });

    REQUIRE(step);
    CHECK(step->value == 2.0 * 1024 * 1024);
    CHECK(memory.blocks == 0);
  }
}

TEST_CASE("allocation_step: an allocator without steps, or without memory, is told") {
  ToyMemory memory;
  const auto release = [&](void*) { --memory.blocks; };
  const auto same = []() -> Result<Bytes> { return Bytes{5}; };

  const auto none = allocation_step([&](std::size_t bytes) { return memory.allocate(bytes); }, release, same);
  REQUIRE_FALSE(none);
  CHECK(none.error().front().message == "memory is given away without steps");
  CHECK(memory.blocks == 0);

  const auto refused = allocation_step(
      [](std::size_t) { return Result<void*>(fail("memory: out of memory")); }, release, same);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().front().message == "memory: out of memory");
}

TEST_CASE("memory_use_of_child: what it measures arrives, a crash and a hang are told") {
  const auto uses = memory_use_of_child([] {
    return std::vector<MemoryUse>{{.name = "context", .taken = mebibytes(300)},
                                  {.name = "graph", .failure = "no graph"}};
  });
  REQUIRE(uses);
  REQUIRE(uses->size() == 2);
  CHECK(uses->front().taken == mebibytes(300));
  CHECK(uses->back().failure == "no graph");

  const auto crashed = memory_use_of_child([]() -> std::vector<MemoryUse> { ::_exit(3); });
  REQUIRE_FALSE(crashed);
  CHECK(crashed.error().front().message == "the process that measures memory ended or hung");
  CHECK_FALSE(memory_use_of_child(
      []() -> std::vector<MemoryUse> {
        std::this_thread::sleep_for(std::chrono::seconds(60));
        return {};
      },
      Seconds{0.05}));
}

TEST_CASE("memory_table: bytes as a micro-benchmark, which folders of measured tables may hold") {
  const std::string text = memory_table(
      std::vector<MemoryUse>{{.name = "context", .taken = Bytes{314572800}},
                             {.name = "cudnn_create", .failure = "there is no libcudnn.so.9, nowhere"}},
      {.hardware = "toy", .libraries = "toyblas 1.0", .date = "2026-12-01"});

  CHECK(text ==
        "source,hw,metric,value,unit,framework,usable,reason,date\n"
        "calibrate,toy,memory_context,314572800,bytes,toyblas 1.0,1,,2026-12-01\n"
        "calibrate,toy,memory_cudnn_create,,bytes,toyblas 1.0,0,there is no libcudnn.so.9  "
        "nowhere,2026-12-01\n");
  const auto file =
      std::filesystem::temp_directory_path() / fmt::format("memory_use_test_{}.csv", ::getpid());
  std::ofstream(file) << text;
  const auto csv = read_csv(file);
  std::filesystem::remove(file);
  REQUIRE(csv);
  CHECK(read_measured_table(*csv)->note == "micro-benchmarks are not compared yet");
}

}  // namespace
}  // namespace roofcast
