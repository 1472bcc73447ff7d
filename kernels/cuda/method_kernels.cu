#include "kernels/cuda/method_kernels.hpp"
#include "kernels/cuda/number.hpp"

namespace roofcast {
namespace {

__device__ std::uint64_t nanoseconds() {
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

template <class Number>
__global__ void fill(Number* values, std::uint64_t count, std::uint64_t seed) {
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += threads)
    values[i] = random_number<Number>(seed, i);
}

template <class Number>
cudaError_t launch_fill_of(void* values, std::uint64_t count, std::uint64_t seed, cudaStream_t stream) {
  constexpr unsigned threads = 256;
  constexpr std::uint64_t most_blocks = 4096;
  const std::uint64_t blocks = (count + threads - 1) / threads;
  if (blocks == 0) return cudaSuccess;
  fill<<<static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks), threads, 0, stream>>>(
      static_cast<Number*>(values), count, seed);
  return cudaGetLastError();
}

__global__ void gate(volatile GateState* state) {
  constexpr std::uint64_t patience = 1'000'000'000;
  const std::uint64_t begin = nanoseconds();
  while (state->open == 0) {
    if (nanoseconds() - begin > patience) {
      state->escaped = 1;
      return;
    }
    __nanosleep(100);
  }
}

__global__ void sweep(const uint4* memory, std::uint64_t count, std::uint32_t* never) {
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  std::uint32_t mixed = 0;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += threads) {
    const uint4 four = memory[i];
    mixed |= four.x | four.y | four.z | four.w;
  }
  // The memory holds zeros.
  if (mixed != 0) *never = mixed;
}

__global__ void read_clocks(ClockReading* reading) {
  constexpr std::uint64_t span = 2'000'000;  // its timer may step by a microsecond
  ClockReading read;
  read.begin_nanoseconds = nanoseconds();
  read.begin_cycles = static_cast<std::uint64_t>(clock64());
  while (nanoseconds() - read.begin_nanoseconds < span) {
  }
  read.end_nanoseconds = nanoseconds();
  read.end_cycles = static_cast<std::uint64_t>(clock64());
  *reading = read;
}

}  // namespace

cudaError_t launch_fill(Element element, void* values, std::uint64_t count, std::uint64_t seed,
                        cudaStream_t stream) {
  switch (element) {
    case Element::fp32: return launch_fill_of<float>(values, count, seed, stream);
    case Element::fp16: return launch_fill_of<__half>(values, count, seed, stream);
    case Element::bf16: return launch_fill_of<__nv_bfloat16>(values, count, seed, stream);
    case Element::int8: return launch_fill_of<std::int8_t>(values, count, seed, stream);
    case Element::fp8: return launch_fill_of<__nv_fp8_e4m3>(values, count, seed, stream);
    case Element::int32: break;
  }
  return cudaErrorInvalidValue;
}

cudaError_t launch_gate(GateState* state, cudaStream_t stream) {
  gate<<<1, 1, 0, stream>>>(state);
  return cudaGetLastError();
}

cudaError_t launch_sweep(const void* memory, std::uint64_t bytes, std::uint32_t* never, cudaStream_t stream) {
  sweep<<<1024, 256, 0, stream>>>(static_cast<const uint4*>(memory), bytes / sizeof(uint4), never);
  return cudaGetLastError();
}

cudaError_t launch_clock_reading(ClockReading* reading, cudaStream_t stream) {
  read_clocks<<<1, 1, 0, stream>>>(reading);
  return cudaGetLastError();
}

}  // namespace roofcast
