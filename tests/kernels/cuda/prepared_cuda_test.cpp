#include "kernels/cuda/prepared_cuda.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "kernels/cuda/by_precision.hpp"
#include "kernels/cuda/cuda_backend.hpp"
#include "kernels/measure.hpp"
#include "tests/kernels/cuda/fake_cuda.hpp"

namespace roofcast {
namespace {

constexpr std::array<std::string_view, 1> fp32 = {"fp32"};

// y = x, in the time that `one_run` says. Tests run one after the other: a kernel has no place for them.
FakeCuda* device_of_toy = nullptr;
Seconds one_run{};
float added = 0;
int compared = 0;
std::vector<const void*> inputs_seen;

Result<Launch> prepare_toy(const Probe& probe, const CudaDevice& /*device*/) {
  const std::size_t count = cuda_elements(probe);
  return Launch{[count](const CudaOperands& operands, cudaStream_t) {
                  return device_of_toy->launch([=] {
                    inputs_seen.push_back(operands.inputs[0]);
                    for (std::size_t i = 0; i < count; ++i)
                      static_cast<float*>(operands.results)[i] =
                          static_cast<const float*>(operands.inputs[0])[i] + added;
                    device_of_toy->time += one_run;
                  });
                },
                "toy"};
}

ExpectedResult copied(const Probe&, const CudaDevice&, const InputValues& inputs, std::size_t at) {
  ++compared;
  return {inputs(0, at), 0};
}

constexpr CudaKernel toy{"toy", fp32, same_inputs<1>, same_results, prepare_toy, copied};

struct Bench {
  explicit Bench(Probe wanted, Queueing queueing = Queueing::graphs) : probe(std::move(wanted)) {
    const Bytes cache = mebibytes(1);
    kernel.queueing = queueing;
    device_of_toy = &fake;
    one_run = microseconds(100);
    added = 0;
    inputs_seen.clear();
    session.api = api_of(fake);
    session.gate = &gate;
    (void)session.api.create_event(&session.begin);
    (void)session.api.create_event(&session.end);
    layout = operand_layout(kernel, probe, session.device, cache);
    auto made = prepare_cuda(session, kernel, probe, layout);
    REQUIRE(made);
    prepared = *std::move(made);
    fake.calls.clear();
  }
  CudaKernel kernel = toy;
  FakeCuda fake{};
  GateState gate{};
  CudaSession session{};
  Probe probe{};
  OperandLayout layout{};
  std::unique_ptr<Prepared> prepared{};
};

const Probe warm{.op = "toy", .m = 4, .n = 1000, .residency = Residency::warm};
const Probe cold{.op = "toy", .m = 64, .n = 1024, .residency = Residency::cold};  // a set is 512 KiB
const Probe tiny{.op = "toy", .m = 1, .n = 64, .residency = Residency::cold};     // a set is 512 bytes

TEST_CASE("prepared CUDA probe: right results pass, wrong and unwritten ones are told") {
  Bench bench{warm};
  CHECK(bench.prepared->verify());
  CHECK(bench.prepared->algorithm() == "toy");

  added = 1;
  const auto wrong = bench.prepared->verify();
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().front().message.starts_with("wrong: result 0 is "));

  added = std::nanf("");
  const auto unwritten = bench.prepared->verify();
  REQUIRE_FALSE(unwritten);
  CHECK(unwritten.error().front().message == "wrong: result 0 was not written or is no number");
}

TEST_CASE(
    "prepared CUDA probe: 128 results are compared, fewer where each has many terms, never less than 4") {
  const auto compared_of = [](std::int64_t (*terms)(const Probe&)) {
    Bench bench{warm};
    bench.kernel.terms = terms;
    compared = 0;
    CHECK(bench.prepared->verify());
    return compared;
  };

  CHECK(compared_of(nullptr) == 128);
  CHECK(compared_of([](const Probe&) { return std::int64_t{1} << 17; }) == 128);
  CHECK(compared_of([](const Probe&) { return std::int64_t{1} << 19; }) == 32);
  CHECK(compared_of([](const Probe&) { return std::int64_t{1} << 30; }) == 4);
}

TEST_CASE("prepared CUDA probe: a batch waits behind the gate between two events") {
  Bench bench{warm};
  bench.fake.gate_time = Seconds{0.4};

  const auto took = bench.prepared->run(3);

  REQUIRE(took);
  CHECK(as_microseconds(*took) == doctest::Approx(3 * 100.0));
  CHECK(bench.fake.calls ==
        std::vector<std::string>{"gate", "event", "kernel", "kernel", "kernel", "event", "wait", "elapsed"});
  CHECK(bench.gate.open == 1);
}

TEST_CASE("prepared CUDA probe: many short runs are graphs, made once") {
  Bench bench{warm};
  one_run = microseconds(2);

  const auto first = bench.prepared->run(2000);
  const auto second = bench.prepared->run(2000);

  REQUIRE(first);
  REQUIRE(second);
  CHECK(as_microseconds(*first) == doctest::Approx(2000 * 2.0));
  CHECK(as_microseconds(*second) == doctest::Approx(2000 * 2.0));
  CHECK(bench.fake.count("end capture") == 1);
  CHECK(bench.fake.count("graph") == 2 * 4);  // of 512 runs
}

TEST_CASE("prepared CUDA probe: cold runs take turns among sets that push each other out") {
  Bench bench{cold};
  CHECK(bench.layout.sets == 2 * 1024 / 512 + 1);

  REQUIRE(bench.prepared->run(7));
  REQUIRE(bench.prepared->run(6));

  REQUIRE(inputs_seen.size() == 13);
  for (std::size_t i = 0; i + 5 < inputs_seen.size(); ++i) CHECK(inputs_seen[i] == inputs_seen[i + 5]);
  for (std::size_t i = 0; i + 1 < inputs_seen.size(); ++i) CHECK(inputs_seen[i] != inputs_seen[i + 1]);
}

TEST_CASE("prepared CUDA probe: the cache is swept before rounds of tiny sets, outside of their time") {
  Bench bench{tiny};
  one_run = microseconds(2);
  CHECK(bench.layout.sweeps);
  CHECK(bench.layout.sets == 512);

  const auto took = bench.prepared->run(1000);

  REQUIRE(took);
  CHECK(as_microseconds(*took) == doctest::Approx(1000 * 2.0));
  CHECK(bench.fake.count("sweep") == 2);
  CHECK(bench.fake.count("graph") == 2);
  CHECK(as_microseconds(*bench.prepared->run(1)) == doctest::Approx(2.0));
}

TEST_CASE("prepared CUDA probe: launches in a stream are queued 512 at a time, never as graphs") {
  Bench bench{warm, Queueing::stream};
  one_run = microseconds(2);

  const auto took = bench.prepared->run(1100);

  REQUIRE(took);
  CHECK(as_microseconds(*took) == doctest::Approx(1100 * 2.0));
  CHECK(bench.fake.count("gate") == 3);
  CHECK(bench.fake.count("kernel") == 1100);
  CHECK(bench.fake.count("graph") == 0);
}

TEST_CASE("prepared CUDA probe: launches from the host are waited for, each with what the host does") {
  Bench bench{warm, Queueing::host};
  bench.fake.host_time = microseconds(5);

  const auto took = bench.prepared->run(4);

  REQUIRE(took);
  CHECK(as_microseconds(*took) == doctest::Approx(4 * (100 + 2 * 5.0)));  // a launch and a wait
  CHECK(bench.fake.count("gate") == 0);
}

TEST_CASE("batch_plan: graphs are whole rounds and hold at least what was asked for") {
  for (const std::size_t sets : {1U, 3U, 7U, 130U, 512U, 700U}) {
    for (const std::int64_t times : {1, 15, 16, 17, 100, 511, 512, 513, 5000}) {
      CAPTURE(sets);
      CAPTURE(times);
      const BatchPlan plan = batch_plan(times, {.sets = sets});
      CHECK(plan.in_graphs == (times >= 16));
      if (!plan.in_graphs) continue;
      CHECK(plan.runs_in_graph % static_cast<std::int64_t>(sets) == 0);
      CHECK(plan.runs_in_graph * plan.graphs >= times);
      CHECK(plan.runs_in_graph * (plan.graphs - 1) < times);
    }
  }
}

TEST_CASE("prepared CUDA probe: the gate opens even if queueing fails, and the failure is told") {
  Bench bench{warm};
  bench.fake.failing = {{"kernel", cudaErrorIllegalAddress}};

  const auto took = bench.prepared->run(3);

  REQUIRE_FALSE(took);
  CHECK(took.error().front().message == "launch: an illegal memory access was encountered");
  CHECK(bench.gate.open == 1);
  CHECK(bench.fake.calls.back() == "wait");
}

TEST_CASE("prepared CUDA probe: a capture that fails is closed") {
  Bench bench{warm};
  bench.fake.failing = {{"kernel", cudaErrorNotSupported}};

  CHECK_FALSE(bench.prepared->run(100));
  CHECK(bench.fake.count("end capture") == 1);
  CHECK_FALSE(bench.fake.capturing);
}

TEST_CASE("prepared CUDA probe: a batch whose gate escaped has no time") {
  Bench bench{warm};
  bench.fake.gate_escapes = true;

  const auto took = bench.prepared->run(3);

  REQUIRE_FALSE(took);
  CHECK(took.error().front().message == "the host took longer than a second to queue a batch");
}

TEST_CASE("make_cuda_backend: measures its clock, lists its operators and gives all memory back") {
  FakeCuda fake;
  {
    const auto backend = make_cuda_backend(
        api_of(fake), {.units = 10, .usable = gibibytes(12), .last_level_cache = mebibytes(4)},
        {.units = 10, .compute_capability = 80});
    REQUIRE(backend);
    CHECK((*backend)->device().clock.value == doctest::Approx(1.5e9));
    CHECK((*backend)->limits().memory == gibibytes(2));
    CHECK_FALSE((*backend)->limits().supported.empty());
    fake.cycles_per_second = 1.0e9;
    CHECK((*backend)->clock_now()->value == doctest::Approx(1.0e9));
    CHECK_FALSE((*backend)->prepare({.op = "sort"}));
    CHECK_FALSE((*backend)->is_lost());

    fake.failing = {{"allocate", cudaErrorMemoryAllocation}};
    const auto refused = (*backend)->prepare({.op = "relu", .m = 2, .n = 2});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().front().message == "memory: out of memory");
    CHECK_FALSE((*backend)->is_lost());
    fake.sticky = cudaErrorIllegalAddress;
    CHECK((*backend)->is_lost());
  }
  CHECK(fake.allocated == 0);
}

TEST_CASE("make_operands: operands on the host lie in memory of the host") {
  FakeCuda fake;
  const CudaApi api = api_of(fake);
  const OperandLayout layout{.inputs = {{Element::fp32, 100, Place::pinned}, {Element::fp32, 10}},
                             .results = {Element::fp32, 100},
                             .set_bytes = 256 + 512,
                             .host_bytes = 512,
                             .sets = 3};
  {
    const auto operands = make_operands(api, layout, nullptr);
    REQUIRE(operands);
    CHECK(operands->sets.front().inputs[0] == operands->host_memory.get());
    CHECK(operands->sets.front().inputs[1] == operands->memory.get());
    CHECK(static_cast<const std::byte*>(operands->sets[2].inputs[0]) ==
          static_cast<const std::byte*>(operands->host_memory.get()) + 2 * 512);
    CHECK(fake.allocated == 2);
  }
  CHECK(fake.allocated == 0);
}

TEST_CASE("make_cuda_backend: a call that fails at the start is the reason") {
  FakeCuda fake;
  fake.failing = {{"stream", cudaErrorDevicesUnavailable}};

  const auto backend = make_cuda_backend(api_of(fake), {}, {});

  REQUIRE_FALSE(backend);
  CHECK(backend.error().front().message == "stream: CUDA-capable device(s) is/are busy or unavailable");
}

}  // namespace
}  // namespace roofcast
