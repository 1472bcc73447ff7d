#include "kernels/cuda/prepared_collective.hpp"

#include <doctest/doctest.h>

#include "kernels/cuda/collective_layout.hpp"
#include "kernels/cuda/cuda_backend.hpp"
#include "kernels/measure.hpp"
#include "tests/kernels/cuda/fake_cuda.hpp"
#include "tests/kernels/cuda/fake_nccl.hpp"

namespace roofcast {
namespace {

Probe collective(std::string op, std::string precision = "fp32", std::int64_t devices = 4,
                 std::int64_t bytes = 4096) {
  return {.op = std::move(op),
          .precision = std::move(precision),
          .collective = CollectiveSizes{.bytes = bytes, .devices = devices},
          .residency = Residency::warm};
}

struct Bench {
  Bench() {
    nccl.cuda = &cuda;
    nccl.one_run = microseconds(30);
    fake_nccl = &nccl;
    session.api = api_of(cuda);
    session.gate = &gate;
    (void)session.api.create_event(&session.begin);
    (void)session.api.create_event(&session.end);
  }

  std::unique_ptr<Prepared> prepare(const Probe& probe) {
    auto prepared = prepare_collective(session, teams, probe);
    REQUIRE(prepared);
    return *std::move(prepared);
  }

  FakeCuda cuda{};
  FakeNccl nccl{};
  GateState gate{};
  CudaSession session{};
  Teams teams{session.api, std::make_shared<NcclFunctions>(functions_of_fake())};
};

TEST_CASE("prepared collective: every operation in every precision is right on every device") {
  Bench bench;
  for (const SupportedOp& each : collective_ops()) {
    for (const std::int64_t devices : {2, 3, 8}) {
      CAPTURE(each.op);
      CAPTURE(each.precision);
      CAPTURE(devices);
      const auto prepared =
          bench.prepare(collective(std::string(each.op), std::string(each.precision), devices));
      const auto right = prepared->verify();
      CHECK_MESSAGE(right, right.error().front().message);
      CHECK(prepared->algorithm() == "NCCL 2.28.9");
    }
  }
}

TEST_CASE("prepared collective: a device without its results is told") {
  Bench bench;
  const auto prepared = bench.prepare(collective("all_gather"));
  bench.nccl.forgets_last = true;

  const auto right = prepared->verify();

  REQUIRE_FALSE(right);
  CHECK(right.error().front().message == "wrong: result 0 was not written or is no number");
}

TEST_CASE("prepared collective: every device waits behind its gate; device 0 has the time") {
  Bench bench;
  const auto prepared = bench.prepare(collective("all_reduce", "bf16", 2));
  bench.cuda.calls.clear();
  bench.cuda.gate_time = Seconds{0.2};

  const auto took = prepared->run(3);

  REQUIRE(took);
  CHECK(as_microseconds(*took) == doctest::Approx(3 * 30.0));
  CHECK(bench.cuda.calls == std::vector<std::string>{"gate", "gate", "event", "kernel", "kernel", "kernel",
                                                     "event", "wait", "wait", "elapsed"});
  CHECK(bench.gate.open == 1);
  CHECK(bench.cuda.used_devices.back() == 0);
}

TEST_CASE("prepared collective: a long batch comes in pieces that streams can hold") {
  Bench bench;
  const auto prepared = bench.prepare(collective("send_recv"));
  bench.cuda.calls.clear();

  const auto took = prepared->run(300);

  REQUIRE(took);
  CHECK(as_microseconds(*took) == doctest::Approx(300 * 30.0));
  CHECK(bench.cuda.count("gate") == 3 * 4);
}

TEST_CASE("prepared collective: the gates open and device 0 is in use again when a launch fails") {
  Bench bench;
  const auto prepared = bench.prepare(collective("alltoall"));
  bench.nccl.on_launch = ncclInternalError;

  const auto took = prepared->run(3);

  REQUIRE_FALSE(took);
  CHECK(took.error().front().message == "launch: no way");
  CHECK(bench.gate.open == 1);
  CHECK(bench.cuda.used_devices.back() == 0);
}

TEST_CASE("prepared collective: too little memory on a device is told, and what was had is given back") {
  Bench bench;
  bench.cuda.failing["allocate"] = cudaErrorMemoryAllocation;

  const auto prepared = prepare_collective(bench.session, bench.teams, collective("all_reduce"));

  REQUIRE_FALSE(prepared);
  CHECK(prepared.error().front().message.find("out of memory") != std::string::npos);
  CHECK(bench.cuda.used_devices.back() == 0);
}

TEST_CASE("Teams: are made once for each number of devices; where they cannot be, it is told") {
  Bench bench;
  REQUIRE(bench.teams.of(2));
  const Team* first = *bench.teams.of(2);
  CHECK(first == *bench.teams.of(2));
  CHECK((*bench.teams.of(3))->size() == 3);
  CHECK(bench.cuda.count("communicators") == 2);

  bench.cuda.failing["communicators"] = cudaErrorUnknown;
  const auto refused = bench.teams.of(4);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().front().message == "communicators: no way");
}

TEST_CASE("CUDA backend: with several devices and NCCL it measures collectives, with one it does not") {
  FakeCuda cuda;
  FakeNccl nccl{.cuda = &cuda, .one_run = microseconds(30)};
  fake_nccl = &nccl;
  CudaDevice device{.units = 4,
                    .compute_capability = 80,
                    .collectives = std::make_shared<NcclFunctions>(functions_of_fake()),
                    .devices = 4};
  const DeviceFacts facts{
      .name = "toy", .units = 4, .usable = gibibytes(8), .last_level_cache = mebibytes(1)};
  const auto count = [](Backend& backend) {
    return std::ranges::count_if(probe_list(Extent::quick, backend.limits()),
                                 [](const Probe& probe) { return probe.collective.has_value(); });
  };
  const auto backend = make_cuda_backend(api_of(cuda), facts, device);
  REQUIRE(backend);
  CHECK(count(**backend) == 5 * 2 * 6);

  Probe probe = collective("all_reduce", "bf16");
  probe.read = probe.written = Bytes{4096};
  const auto prepared = (*backend)->prepare(probe);
  REQUIRE(prepared);
  CHECK((*prepared)->verify());
  CHECK((*backend)->footprint(probe) == Bytes{8192});

  device.devices = 1;
  const auto alone = make_cuda_backend(api_of(cuda), facts, device);
  REQUIRE(alone);
  CHECK(count(**alone) == 0);
}

}  // namespace
}  // namespace roofcast
