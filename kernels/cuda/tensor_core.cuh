#pragma once
// One product of a warp on Tensor Cores: 16 x 8 sums over 32 bytes of k. What a lane holds of the operands
// and of the sums is in mma.hpp. `asm volatile`: equal instructions are not merged.

#include <cstdint>

namespace roofcast {

// What is between an instruction's name and its type of sums.
#define ROOFCAST_MMA(name, sum, letter)                                                         \
  asm volatile(name " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"          \
               : "+" letter(sum[0]), "+" letter(sum[1]), "+" letter(sum[2]), "+" letter(sum[3]) \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

struct Fp16Product {
  using Sum = float;
  static __device__ void add(float (&sum)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    ROOFCAST_MMA("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", sum, "f");
  }
};

struct Bf16Product {
  using Sum = float;
  static __device__ void add(float (&sum)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    ROOFCAST_MMA("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", sum, "f");
  }
};

struct Tf32Product {
  using Sum = float;
  static __device__ void add(float (&sum)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    ROOFCAST_MMA("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", sum, "f");
  }
};

struct Int8Product {
  using Sum = std::int32_t;
  static __device__ void add(std::int32_t (&sum)[4], const std::uint32_t (&a)[4],
                             const std::uint32_t (&b)[2]) {
    ROOFCAST_MMA("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", sum, "r");
  }
};

#else

// Compute capability 7.5 has smaller tiles, whose lanes hold the same words
// (tests/kernels/cuda/rate_test.cpp): the product of fp16 is two of half the k, that of int8 four of half the
// k and half the rows.

struct Fp16Product {
  using Sum = float;
  static __device__ void add(float (&sum)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      asm volatile(
          "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
          "{%0, %1, %2, %3};"
          : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
          : "r"(a[2 * half]), "r"(a[2 * half + 1]), "r"(b[half]));
    }
  }
};

struct Int8Product {
  using Sum = std::int32_t;
  static __device__ void add(std::int32_t (&sum)[4], const std::uint32_t (&a)[4],
                             const std::uint32_t (&b)[2]) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int rows = 0; rows < 2; ++rows) {
        asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+r"(sum[2 * rows]), "+r"(sum[2 * rows + 1])
                     : "r"(a[2 * half + rows]), "r"(b[half]));
      }
    }
  }
};

/// What 7.5 does not have. The host never launches it there.
struct NoProduct {
  using Sum = float;
  static __device__ void add(float (&/*sum*/)[4], const std::uint32_t (&/*a*/)[4],
                             const std::uint32_t (&/*b*/)[2]) {
    __trap();
  }
};

struct Bf16Product : NoProduct {};
struct Tf32Product : NoProduct {};

#endif

}  // namespace roofcast
