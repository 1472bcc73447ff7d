#include "kernels/cuda/attention_share.hpp"
#include "kernels/cuda/tensor_core.cuh"

namespace roofcast {
namespace {

template <class Number>
struct ProductOf;
template <>
struct ProductOf<__half> : Fp16Product {};
template <>
struct ProductOf<__nv_bfloat16> : Bf16Product {};

/// A block's threads as they are on a device.
template <class Number>
class DeviceTeam {
 public:
  __device__ int thread() const {
    const auto thread = static_cast<int>(threadIdx.x);
    __builtin_assume(thread >= 0 && thread < attention_threads);
    return thread;
  }
  __device__ void sync() { __syncthreads(); }
  __device__ float exchanged(float x, int bit) { return __shfl_xor_sync(0xffffffffU, x, bit); }

  /// 16 bytes into shared memory; zeros if they are not there.
  __device__ void copy_pack(Number* to, const Number* from, bool is_there) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
                 "r"(is_there ? 16 : 0)
                 : "memory");
#else
    *reinterpret_cast<uint4*>(to) = is_there ? *reinterpret_cast<const uint4*>(from) : uint4{};
#endif
  }

  __device__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  }

  /// Four matrices of 8 x 8 numbers: lane 8 i + j brings the address of row j of matrix i, and gets numbers 2
  /// (lane mod 4) and one more of row lane / 4 of each.
  __device__ void load_matrices(std::uint32_t (&words)[2][2], const Number* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0][0]), "=r"(words[0][1]), "=r"(words[1][0]), "=r"(words[1][1])
                 : "r"(shared_address(row))
                 : "memory");
  }

  /// The same of the transposed matrices.
  __device__ void load_transposed_matrices(std::uint32_t (&words)[2][2], const Number* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0][0]), "=r"(words[0][1]), "=r"(words[1][0]), "=r"(words[1][1])
                 : "r"(shared_address(row))
                 : "memory");
  }

  __device__ void add_product(float (&sum)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    ProductOf<Number>::add(sum, a, b);
  }

 private:
  static __device__ std::uint32_t shared_address(const Number* at) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
  }
};

template <class Number, int head_size>
__global__ void __launch_bounds__(attention_threads) attention_kernel(AttentionArguments arguments) {
  __shared__ AttentionTiles<Number, head_size> tiles;
  DeviceTeam<Number> team;
  attention_share(team, tiles, arguments, static_cast<int>(blockIdx.x));
}

}  // namespace

template <class Number>
cudaError_t launch_attention(const AttentionArguments& arguments, cudaStream_t stream) {
  const int head_size = arguments.sizes.head_size;
  if (head_size != 64 && head_size != 128) return cudaErrorInvalidValue;
  const auto kernel = head_size == 64 ? attention_kernel<Number, 64> : attention_kernel<Number, 128>;
  const auto blocks = static_cast<unsigned>(attention_blocks(arguments.sizes));
  kernel<<<blocks, attention_threads, 0, stream>>>(arguments);
  return cudaGetLastError();
}

template cudaError_t launch_attention<__half>(const AttentionArguments&, cudaStream_t);
template cudaError_t launch_attention<__nv_bfloat16>(const AttentionArguments&, cudaStream_t);

}  // namespace roofcast
