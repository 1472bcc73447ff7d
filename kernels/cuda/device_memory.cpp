#include "kernels/cuda/device_memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace roofcast {
namespace {

constexpr std::size_t most_sets = 512;

std::size_t padded_bytes(const Operand& operand) {
  constexpr std::size_t alignment = 256;  // that of cudaMalloc
  return (operand.values * size_of(operand.element) + alignment - 1) / alignment * alignment;
}

}  // namespace

OperandLayout operand_layout(const CudaKernel& kernel, const Probe& probe, const CudaDevice& device,
                             Bytes cache) {
  OperandLayout layout{.inputs = kernel.inputs(probe, device), .results = kernel.results(probe, device)};
  const auto add = [&layout](const Operand& operand) {
    (operand.on_host ? layout.host_bytes : layout.set_bytes) += padded_bytes(operand);
  };
  add(layout.results);
  for (const Operand& input : layout.inputs) add(input);
  const double needed = 2 * cache.value;
  const auto set = static_cast<double>(layout.set_bytes);
  if (probe.residency == Residency::warm || set >= needed || layout.set_bytes == 0) return layout;
  const double sets = std::ceil(needed / set) + 1;
  layout.sweeps = sets > static_cast<double>(most_sets);
  layout.sets = layout.sweeps ? most_sets : static_cast<std::size_t>(sets);
  return layout;
}

Result<DeviceMemory> DeviceMemory::allocate(const CudaApi& api, std::size_t bytes) {
  return allocate_by(api, api.allocate, api.release, bytes);
}

Result<DeviceMemory> DeviceMemory::allocate_on_host(const CudaApi& api, std::size_t bytes) {
  return allocate_by(api, api.allocate_on_host, api.release_on_host, bytes);
}

Result<DeviceMemory> DeviceMemory::allocate_by(
    const CudaApi& api, const std::function<cudaError_t(void**, std::size_t)>& allocate,
    const std::function<cudaError_t(void*)>& release, std::size_t bytes) {
  void* memory = nullptr;
  if (const auto done = succeeded(allocate(&memory, std::max<std::size_t>(bytes, 1)), "memory"); !done) {
    (void)api.take_error();
    return tl::make_unexpected(done.error());
  }
  DeviceMemory result;
  result.memory_ = {memory, [release](void* old) { (void)release(old); }};
  return result;
}

std::uint64_t input_seed(std::size_t set, std::size_t input) {
  constexpr std::uint64_t first = 3;
  return first + 4 * set + input;
}

Result<void> reset_results(const CudaApi& api, const Operand& results, void* memory) {
  const int byte = unwritten_byte(results.element);
  const std::size_t bytes = results.values * size_of(results.element);
  if (results.on_host) {
    std::memset(memory, byte, bytes);
    return {};
  }
  return succeeded(api.set_bytes(memory, byte, bytes), "set");
}

Result<DeviceOperands> make_operands(const CudaApi& api, const OperandLayout& layout, cudaStream_t stream) {
  auto memory = DeviceMemory::allocate(api, layout.sets * layout.set_bytes);
  if (!memory) return tl::make_unexpected(memory.error());
  DeviceOperands result{.memory = *std::move(memory)};
  if (layout.host_bytes > 0) {
    auto host_memory = DeviceMemory::allocate_on_host(api, layout.sets * layout.host_bytes);
    if (!host_memory) return tl::make_unexpected(host_memory.error());
    result.host_memory = *std::move(host_memory);
  }
  auto* next_on_device = static_cast<std::byte*>(result.memory.get());
  auto* next_on_host = static_cast<std::byte*>(result.host_memory.get());
  const auto take = [&](const Operand& operand) {
    std::byte*& next = operand.on_host ? next_on_host : next_on_device;
    return std::exchange(next, next + padded_bytes(operand));
  };
  for (std::size_t set = 0; set < layout.sets; ++set) {
    CudaOperands operands;
    for (std::size_t i = 0; i < layout.inputs.size(); ++i) {
      const Operand& input = layout.inputs[i];
      std::byte* values = take(input);  // a device can write pinned memory
      const auto status = api.fill(input.element, values, input.values, input_seed(set, i), stream);
      if (const auto done = succeeded(status, "fill"); !done) return tl::make_unexpected(done.error());
      operands.inputs.at(i) = values;
    }
    operands.results = take(layout.results);
    if (const auto done = reset_results(api, layout.results, operands.results); !done)
      return tl::make_unexpected(done.error());
    result.sets.push_back(operands);
  }
  if (const auto done = succeeded(api.wait(), "fill"); !done) return tl::make_unexpected(done.error());
  return result;
}

}  // namespace roofcast
