#include "kernels/cuda/mma.cuh"

namespace roofcast {

cudaError_t launch_mma(MmaType type, const MmaArguments& arguments, cudaStream_t stream) {
  switch (type) {
    case MmaType::fp16: return launch_mma_of<Fp16Product>(arguments, stream);
    case MmaType::bf16: return launch_mma_of<Bf16Product>(arguments, stream);
    case MmaType::tf32: return launch_mma_of<Tf32Product>(arguments, stream);
    case MmaType::int8: return launch_mma_of<Int8Product>(arguments, stream);
    case MmaType::fp8: return launch_mma_fp8(arguments, stream);
  }
  return cudaErrorInvalidValue;
}

}  // namespace roofcast
