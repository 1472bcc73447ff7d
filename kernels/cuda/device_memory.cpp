#include "kernels/cuda/device_memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace roofcast {
namespace {

constexpr std::size_t most_sets = 512;

std::size_t padded_bytes(const Operand& operand) {
  constexpr std::size_t alignment = 256;  // that of cudaMalloc
  return (operand.values * size_of(operand.element) + alignment - 1) / alignment * alignment;
}

std::size_t& bytes_at(OperandLayout& layout, Place place) {
  if (place == Place::pinned) return layout.host_bytes;
  return place == Place::pageable ? layout.pageable_bytes : layout.set_bytes;
}

/// The device cannot write pageable memory: it fills memory of its own, which is copied.
Result<void> fill_pageable(const CudaApi& api, const Operand& input, void* values, std::uint64_t seed,
                           cudaStream_t stream) {
  const std::size_t bytes = input.values * size_of(input.element);
  const auto filled = DeviceMemory::allocate(api, bytes);
  if (!filled) return tl::make_unexpected(filled.error());
  auto done = succeeded(api.fill(input.element, filled->get(), input.values, seed, stream), "fill");
  if (done) done = succeeded(api.wait(), "fill");
  return done ? succeeded(api.copy(values, filled->get(), bytes), "copy") : done;
}

Result<void> fill_input(const CudaApi& api, const Operand& input, void* values, std::uint64_t seed,
                        cudaStream_t stream) {
  if (input.place == Place::pageable) return fill_pageable(api, input, values, seed, stream);
  return succeeded(api.fill(input.element, values, input.values, seed, stream), "fill");
}

}  // namespace

OperandLayout operand_layout(const CudaKernel& kernel, const Probe& probe, const CudaDevice& device,
                             Bytes cache) {
  OperandLayout layout{.inputs = kernel.inputs(probe, device), .results = kernel.results(probe, device)};
  const auto add = [&layout](const Operand& operand) {
    bytes_at(layout, operand.place) += padded_bytes(operand);
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

Result<DeviceMemory> DeviceMemory::allocate_pageable(std::size_t bytes) {
  constexpr std::size_t alignment = 256;
  DeviceMemory result;
  result.memory_ = {std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment),
                    std::free};
  if (result.get() == nullptr) return fail("memory: the host has too little");
  return result;
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
  if (results.place != Place::device) {
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
  if (layout.pageable_bytes > 0) {
    auto pageable = DeviceMemory::allocate_pageable(layout.sets * layout.pageable_bytes);
    if (!pageable) return tl::make_unexpected(pageable.error());
    result.pageable_memory = *std::move(pageable);
  }
  auto* next_on_device = static_cast<std::byte*>(result.memory.get());
  auto* next_on_host = static_cast<std::byte*>(result.host_memory.get());
  auto* next_pageable = static_cast<std::byte*>(result.pageable_memory.get());
  const auto take = [&](const Operand& operand) {
    std::byte*& next = operand.place == Place::pinned     ? next_on_host
                       : operand.place == Place::pageable ? next_pageable
                                                          : next_on_device;
    return std::exchange(next, next + padded_bytes(operand));
  };
  for (std::size_t set = 0; set < layout.sets; ++set) {
    CudaOperands operands;
    for (std::size_t i = 0; i < layout.inputs.size(); ++i) {
      const Operand& input = layout.inputs[i];
      std::byte* values = take(input);  // a device can write pinned memory
      const auto done = fill_input(api, input, values, input_seed(set, i), stream);
      if (!done) return tl::make_unexpected(done.error());
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
