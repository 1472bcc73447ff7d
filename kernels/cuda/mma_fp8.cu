#include "kernels/cuda/mma.cuh"

namespace roofcast {
namespace {

struct Fp8 {
  using Sum = float;
  static __device__ void add(float (&sum)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    ROOFCAST_MMA("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", sum, "f");
  }
};

}  // namespace

cudaError_t launch_mma_fp8(const MmaArguments& arguments, cudaStream_t stream) {
  return launch_mma_of<Fp8>(arguments, stream);
}

}  // namespace roofcast
