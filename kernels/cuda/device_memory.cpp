#include "kernels/cuda/device_memory.hpp"

#include <algorithm>
#include <cmath>

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
  layout.set_bytes = padded_bytes(layout.results);
  for (const Operand& input : layout.inputs) layout.set_bytes += padded_bytes(input);
  const double needed = 2 * cache.value;
  const auto set = static_cast<double>(layout.set_bytes);
  if (probe.residency == Residency::warm || set >= needed || layout.set_bytes == 0) return layout;
  const double sets = std::ceil(needed / set) + 1;
  layout.sweeps = sets > static_cast<double>(most_sets);
  layout.sets = layout.sweeps ? most_sets : static_cast<std::size_t>(sets);
  return layout;
}

Result<DeviceMemory> DeviceMemory::allocate(const CudaApi& api, std::size_t bytes) {
  void* memory = nullptr;
  if (const auto done = succeeded(api.allocate(&memory, std::max<std::size_t>(bytes, 1)), "memory"); !done) {
    (void)api.take_error();
    return tl::make_unexpected(done.error());
  }
  DeviceMemory result;
  result.memory_ = {memory, [release = api.release](void* old) { (void)release(old); }};
  return result;
}

std::uint64_t input_seed(std::size_t set, std::size_t input) {
  constexpr std::uint64_t first = 3;
  return first + 4 * set + input;
}

Result<DeviceOperands> make_operands(const CudaApi& api, const OperandLayout& layout, cudaStream_t stream) {
  auto memory = DeviceMemory::allocate(api, layout.sets * layout.set_bytes);
  if (!memory) return tl::make_unexpected(memory.error());
  DeviceOperands result{.memory = *std::move(memory)};
  auto* next = static_cast<std::byte*>(result.memory.get());
  for (std::size_t set = 0; set < layout.sets; ++set) {
    CudaOperands operands;
    for (std::size_t i = 0; i < layout.inputs.size(); ++i) {
      const Operand& input = layout.inputs[i];
      const auto status = api.fill(input.element, next, input.values, input_seed(set, i), stream);
      if (const auto done = succeeded(status, "fill"); !done) return tl::make_unexpected(done.error());
      operands.inputs.at(i) = next;
      next += padded_bytes(input);
    }
    operands.results = next;
    const int unwritten = unwritten_byte(layout.results.element);
    const auto status = api.set_bytes(next, unwritten, padded_bytes(layout.results));
    if (const auto done = succeeded(status, "set"); !done) return tl::make_unexpected(done.error());
    next += padded_bytes(layout.results);
    result.sets.push_back(operands);
  }
  if (const auto done = succeeded(api.wait(), "fill"); !done) return tl::make_unexpected(done.error());
  return result;
}

}  // namespace roofcast
