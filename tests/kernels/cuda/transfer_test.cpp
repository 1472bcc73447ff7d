#include <doctest/doctest.h>

#include <map>
#include <string>

#include "kernels/cuda/cuda_kernel.hpp"
#include "kernels/cuda/prepared_cuda.hpp"
#include "kernels/probe_list.hpp"
#include "tests/kernels/cuda/fake_cuda.hpp"

namespace roofcast {
namespace {

const CudaKernel& transfer(std::string_view op) {
  for (const CudaKernel& kernel : cuda_transfer_kernels()) {
    if (kernel.op == op) return kernel;
  }
  FAIL("no such kernel");
  return cuda_transfer_kernels().front();
}

TEST_CASE("transfer kernels: which side is where, and who keeps the time") {
  struct Case {
    const char* op;
    Place from;
    Place to;
    Queueing queueing;
  };
  const Probe probe{.m = 1, .n = 100};
  for (const Case& each :
       {Case{"transfer_to_device", Place::pinned, Place::device, Queueing::graphs},
        Case{"transfer_to_host", Place::device, Place::pinned, Queueing::graphs},
        Case{"transfer_both_ways", Place::pinned, Place::pinned, Queueing::graphs},
        Case{"transfer_to_device_pageable", Place::pageable, Place::device, Queueing::host},
        Case{"transfer_to_host_pageable", Place::device, Place::pageable, Queueing::host}}) {
    CAPTURE(each.op);
    const CudaKernel& kernel = transfer(each.op);
    CHECK(kernel.inputs(probe, {}).front().place == each.from);
    CHECK(kernel.results(probe, {}).place == each.to);
    CHECK(kernel.results(probe, {}).values == 100);
    CHECK(kernel.queueing == each.queueing);
  }
}

TEST_CASE("transfer_both_ways: the second input comes to the host, a third is where the first one goes") {
  const CudaKernel& kernel = transfer("transfer_both_ways");
  const Probe probe{.m = 1, .n = 100};
  const InputValues inputs = [](std::size_t input, std::size_t at) {
    return static_cast<double>(1000 * input + at);
  };

  CHECK(kernel.expected(probe, {}, inputs, 7).value == 1007);
  const auto operands = kernel.inputs(probe, {});
  REQUIRE(operands.size() == 3);
  CHECK(operands[1].place == Place::device);
  CHECK(operands[2].place == Place::device);
}

TEST_CASE("make_operands: pageable memory is filled by way of the device, and given back") {
  FakeCuda fake;
  const CudaApi api = api_of(fake);
  const OperandLayout layout = operand_layout(transfer("transfer_to_device_pageable"),
                                              {.m = 1, .n = 100, .residency = Residency::warm}, {}, {});
  CHECK(layout.pageable_bytes == 512);
  CHECK(layout.set_bytes == 512);
  CHECK(layout.host_bytes == 0);
  {
    const auto operands = make_operands(api, layout, nullptr);
    REQUIRE(operands);
    CHECK(operands->sets.front().inputs[0] == operands->pageable_memory.get());
    CHECK(operands->sets.front().results == operands->memory.get());
    const auto* values = static_cast<const float*>(operands->sets.front().inputs[0]);
    for (std::size_t i = 0; i < 100; ++i)
      CHECK(static_cast<double>(values[i]) == input_value(Element::fp32, input_seed(0, 0), i));
    CHECK(fake.count("copy") == 1);
    CHECK(fake.allocated == 1);
  }
  CHECK(fake.allocated == 0);
}

TEST_CASE("make_operands: a fill that fails ends it, also on the way to pageable memory") {
  FakeCuda fake;
  fake.failing = {{"copy", cudaErrorInvalidValue}};
  const OperandLayout layout = operand_layout(transfer("transfer_to_device_pageable"),
                                              {.m = 1, .n = 100, .residency = Residency::warm}, {}, {});

  const auto operands = make_operands(api_of(fake), layout, nullptr);

  REQUIRE_FALSE(operands);
  CHECK(operands.error().front().message == "copy: invalid argument");
  CHECK(fake.allocated == 0);
}

TEST_CASE("transfer probes: up to 256 MiB each way, and only where a device names them") {
  const std::vector<SupportedOp> supported = supported_ops({.units = 100, .compute_capability = 80});
  ProbeLimits limits{.memory = gibibytes(2), .operations = Flops{1e13}, .units = 100};
  for (const Probe& probe : probe_list(Extent::full, limits)) CHECK_FALSE(probe.op.starts_with("transfer_"));
  limits.supported = supported;

  std::map<std::string, int> counts;
  for (const Probe& probe : probe_list(Extent::full, limits)) {
    if (!probe.op.starts_with("transfer_")) continue;
    CAPTURE(name(probe));
    ++counts[probe.op];
    const double ways = probe.op == "transfer_both_ways" ? 2 : 1;
    CHECK(probe.read.value == ways * 4 * static_cast<double>(probe.n));
    CHECK(probe.written.value == probe.read.value);
    CHECK(probe.n <= 1 << 26);
  }
  CHECK(counts.size() == 5);
  for (const auto& [op, count] : counts) CHECK(count == 9);
}

}  // namespace
}  // namespace roofcast
