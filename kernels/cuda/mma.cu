#include "kernels/cuda/mma.cuh"

namespace roofcast {
namespace {

// Compute capability 7.5 has none of these shapes: there the host never launches them.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#undef ROOFCAST_MMA
#define ROOFCAST_MMA(name, sum, letter) __trap()
#endif

struct Fp16 {
  using Sum = float;
  static __device__ void add(float (&sum)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    ROOFCAST_MMA("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", sum, "f");
  }
};

struct Bf16 {
  using Sum = float;
  static __device__ void add(float (&sum)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    ROOFCAST_MMA("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", sum, "f");
  }
};

struct Tf32 {
  using Sum = float;
  static __device__ void add(float (&sum)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    ROOFCAST_MMA("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", sum, "f");
  }
};

struct Int8 {
  using Sum = std::int32_t;
  static __device__ void add(std::int32_t (&sum)[4], const std::uint32_t (&a)[4],
                             const std::uint32_t (&b)[2]) {
    ROOFCAST_MMA("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", sum, "r");
  }
};

}  // namespace

cudaError_t launch_mma(MmaType type, const MmaArguments& arguments, cudaStream_t stream) {
  switch (type) {
    case MmaType::fp16: return launch_mma_of<Fp16>(arguments, stream);
    case MmaType::bf16: return launch_mma_of<Bf16>(arguments, stream);
    case MmaType::tf32: return launch_mma_of<Tf32>(arguments, stream);
    case MmaType::int8: return launch_mma_of<Int8>(arguments, stream);
    case MmaType::fp8: return launch_mma_fp8(arguments, stream);
  }
  return cudaErrorInvalidValue;
}

}  // namespace roofcast
