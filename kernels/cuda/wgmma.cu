#include "kernels/cuda/wgmma.hpp"

namespace roofcast {
namespace {

// Compiled for sm_90a alone. Its accumulators are 128 registers of each thread.
// clang-format off
#define ROOFCAST_REGISTERS \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define ROOFCAST_8(letter, first)                                              \
  "+" letter(sums[(first) + 0]), "+" letter(sums[(first) + 1]),                \
  "+" letter(sums[(first) + 2]), "+" letter(sums[(first) + 3]),                \
  "+" letter(sums[(first) + 4]), "+" letter(sums[(first) + 5]),                \
  "+" letter(sums[(first) + 6]), "+" letter(sums[(first) + 7])
#define ROOFCAST_32(letter, first)                                             \
  ROOFCAST_8(letter, first), ROOFCAST_8(letter, (first) + 8),                  \
  ROOFCAST_8(letter, (first) + 16), ROOFCAST_8(letter, (first) + 24)
#define ROOFCAST_128(letter)                                                   \
  ROOFCAST_32(letter, 0), ROOFCAST_32(letter, 32), ROOFCAST_32(letter, 64), ROOFCAST_32(letter, 96)
// `rest`: what follows the descriptors and the predicate, whether sums are kept, in the types that have it.
#define ROOFCAST_WGMMA(name, letter, rest)                                     \
  asm volatile("{ .reg .pred keep; setp.ne.b32 keep, %130, 0; "                \
               "wgmma.mma_async.sync.aligned." name " {" ROOFCAST_REGISTERS    \
               "}, %128, %129, keep" rest "; }"                                \
               : ROOFCAST_128(letter) : "l"(a), "l"(b), "r"(keep))
// clang-format on

struct Fp16 {
  using Sum = float;
  static __device__ void add(float (&sums)[128], std::uint64_t a, std::uint64_t b, int keep) {
    ROOFCAST_WGMMA("m64n256k16.f32.f16.f16", "f", ", 1, 1, 0, 0");
  }
};

struct Bf16 {
  using Sum = float;
  static __device__ void add(float (&sums)[128], std::uint64_t a, std::uint64_t b, int keep) {
    ROOFCAST_WGMMA("m64n256k16.f32.bf16.bf16", "f", ", 1, 1, 0, 0");
  }
};

struct Tf32 {
  using Sum = float;
  static __device__ void add(float (&sums)[128], std::uint64_t a, std::uint64_t b, int keep) {
    ROOFCAST_WGMMA("m64n256k8.f32.tf32.tf32", "f", ", 1, 1");
  }
};

struct Int8 {
  using Sum = std::int32_t;
  static __device__ void add(std::int32_t (&sums)[128], std::uint64_t a, std::uint64_t b, int keep) {
    ROOFCAST_WGMMA("m64n256k32.s32.s8.s8", "r", "");
  }
};

struct Fp8 {
  using Sum = float;
  static __device__ void add(float (&sums)[128], std::uint64_t a, std::uint64_t b, int keep) {
    ROOFCAST_WGMMA("m64n256k32.f32.e4m3.e4m3", "f", ", 1, 1");
  }
};

constexpr int block_threads = wgmma_groups_of_block * wgmma_group_threads;
constexpr int first_chunks = wgmma_rows * wgmma_chunks;  // of one group
constexpr int second_chunks = wgmma_columns * wgmma_chunks;

/// A tile of `chunks` chunks by all threads of the block.
__device__ void load_tile(uint4* tile, const uint4* from, int chunks) {
  for (int i = static_cast<int>(threadIdx.x); i < chunks; i += block_threads)
    tile[wgmma_chunk_place(i / wgmma_chunks, i % wgmma_chunks)] = from[i];
}

template <class Instruction>
__global__ void __launch_bounds__(block_threads, 1)
    wgmma_kernel(const uint4* __restrict__ first, const uint4* __restrict__ second,
                 typename Instruction::Sum* __restrict__ results, std::int64_t rounds) {
  __shared__ __align__(1024) uint4 tiles[wgmma_groups_of_block * first_chunks + second_chunks];
  uint4* const second_tile = tiles + wgmma_groups_of_block * first_chunks;
  // The rows of both groups, one tile after the other: a multiple of 8 rows, so the swizzle goes on.
  load_tile(tiles, first + std::int64_t{blockIdx.x} * wgmma_groups_of_block * first_chunks,
            wgmma_groups_of_block * first_chunks);
  load_tile(second_tile, second + std::int64_t{blockIdx.x} * second_chunks, second_chunks);
  // wgmma reads shared memory by another way than the stores above.
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();

  const int group = static_cast<int>(threadIdx.x) / wgmma_group_threads;
  const auto place = [](const uint4* tile) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(tile));
  };
  const std::uint64_t a = wgmma_descriptor(place(tiles + group * first_chunks));
  const std::uint64_t b = wgmma_descriptor(place(second_tile));
  typename Instruction::Sum sums[128] = {};
  for (std::int64_t round = 0; round < rounds; ++round) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int i = 0; i < wgmma_round; ++i) {
      const std::uint64_t step = static_cast<std::uint64_t>(i % wgmma_steps) * (wgmma_step_bytes / 16);
      Instruction::add(sums, a + step, b + step, i > 0 ? 1 : 0);
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  const std::int64_t base =
      (std::int64_t{blockIdx.x} * wgmma_groups_of_block + group) * wgmma_rows * wgmma_columns;
  const int thread = static_cast<int>(threadIdx.x) % wgmma_group_threads;
#pragma unroll
  for (int i = 0; i < 128; ++i) results[base + wgmma_result_place(thread, i)] = sums[i];
}

template <class Instruction>
cudaError_t launch_wgmma_of(const WgmmaArguments& arguments, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(arguments.groups / wgmma_groups_of_block);
  wgmma_kernel<Instruction><<<blocks, block_threads, 0, stream>>>(
      static_cast<const uint4*>(arguments.first), static_cast<const uint4*>(arguments.second),
      static_cast<typename Instruction::Sum*>(arguments.results), arguments.instructions / wgmma_round);
  return cudaGetLastError();
}

}  // namespace

cudaError_t launch_wgmma(MmaType type, const WgmmaArguments& arguments, cudaStream_t stream) {
  switch (type) {
    case MmaType::fp16: return launch_wgmma_of<Fp16>(arguments, stream);
    case MmaType::bf16: return launch_wgmma_of<Bf16>(arguments, stream);
    case MmaType::tf32: return launch_wgmma_of<Tf32>(arguments, stream);
    case MmaType::int8: return launch_wgmma_of<Int8>(arguments, stream);
    case MmaType::fp8: return launch_wgmma_of<Fp8>(arguments, stream);
  }
  return cudaErrorInvalidValue;
}

}  // namespace roofcast
