#include "kernels/cuda/rate.hpp"

namespace roofcast {
namespace {

__device__ std::int64_t thread_of_grid() {
  return std::int64_t{blockIdx.x} * rate_threads + threadIdx.x;
}

__global__ void __launch_bounds__(rate_threads)
    multiply_add(const float* __restrict__ in, float* __restrict__ results, float factor,
                 std::int64_t rounds) {
  const float input = in[thread_of_grid()];
  float x[rate_chains];
#pragma unroll
  for (int chain = 0; chain < rate_chains; ++chain) x[chain] = MultiplyAddChain::begin(input, chain);
#pragma unroll 8
  for (std::int64_t i = 0; i < rounds; ++i) {
#pragma unroll
    for (int chain = 0; chain < rate_chains; ++chain) x[chain] = fmaf(factor, x[chain], input);
  }
  float sum = 0;
#pragma unroll
  for (int chain = 0; chain < rate_chains; ++chain) sum += x[chain];
  results[thread_of_grid()] = sum;
}

__global__ void __launch_bounds__(rate_threads)
    multiply_add_fp16(const __half2* __restrict__ in, __half2* __restrict__ results, float factor,
                      std::int64_t rounds) {
  const __half2 input = in[thread_of_grid()];
  const __half2 factors = __float2half2_rn(factor);
  __half2 x[rate_chains];
#pragma unroll
  for (int chain = 0; chain < rate_chains; ++chain) {
    x[chain] = __floats2half2_rn(MultiplyAddChain::begin(__low2float(input), chain),
                                 MultiplyAddChain::begin(__high2float(input), chain));
  }
#pragma unroll 8
  for (std::int64_t i = 0; i < rounds; ++i) {
#pragma unroll
    for (int chain = 0; chain < rate_chains; ++chain) x[chain] = __hfma2(factors, x[chain], input);
  }
  float low = 0;
  float high = 0;
#pragma unroll
  for (int chain = 0; chain < rate_chains; ++chain) {
    low += __low2float(x[chain]);
    high += __high2float(x[chain]);
  }
  results[thread_of_grid()] = __floats2half2_rn(low, high);
}

__global__ void __launch_bounds__(rate_threads)
    exponential(const float* __restrict__ in, float* __restrict__ results, std::int64_t rounds) {
  const float input = in[thread_of_grid()];
  float x[rate_chains];
#pragma unroll
  for (int chain = 0; chain < rate_chains; ++chain) x[chain] = ExponentialChain::begin(input, chain);
#pragma unroll 8
  for (std::int64_t i = 0; i < rounds; ++i) {
#pragma unroll
    for (int chain = 0; chain < rate_chains; ++chain)
      asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(x[chain]) : "f"(-x[chain]));
  }
  float sum = 0;
#pragma unroll
  for (int chain = 0; chain < rate_chains; ++chain) sum += x[chain];
  results[thread_of_grid()] = sum;
}

__global__ void __launch_bounds__(rate_threads)
    shared_read(const float4* __restrict__ in, float* __restrict__ results, std::int64_t steps) {
  __shared__ float4 shared[shared_packs];
  for (int i = static_cast<int>(threadIdx.x); i < shared_packs; i += rate_threads)
    shared[i] = in[std::int64_t{blockIdx.x} * shared_packs + i];
  __syncthreads();
  float4 sum = {0, 0, 0, 0};
#pragma unroll 8
  for (int i = 0; i < static_cast<int>(steps); ++i) {
    const float4 four = shared[shared_pack(static_cast<int>(threadIdx.x), i)];
    sum.x += four.x;
    sum.y += four.y;
    sum.z += four.z;
    sum.w += four.w;
  }
  results[thread_of_grid()] = (sum.x + sum.y) + (sum.z + sum.w);
}

unsigned blocks_of(const RateArguments& arguments) {
  return static_cast<unsigned>(arguments.threads / rate_threads);
}

}  // namespace

cudaError_t launch_multiply_add(const RateArguments& arguments, cudaStream_t stream) {
  multiply_add<<<blocks_of(arguments), rate_threads, 0, stream>>>(
      static_cast<const float*>(arguments.in), static_cast<float*>(arguments.results),
      MultiplyAddChain::factor, arguments.steps / rate_chains);
  return cudaGetLastError();
}

cudaError_t launch_multiply_add_fp16(const RateArguments& arguments, cudaStream_t stream) {
  multiply_add_fp16<<<blocks_of(arguments), rate_threads, 0, stream>>>(
      static_cast<const __half2*>(arguments.in), static_cast<__half2*>(arguments.results),
      MultiplyAddChain::factor, arguments.steps / rate_chains);
  return cudaGetLastError();
}

cudaError_t launch_exponential(const RateArguments& arguments, cudaStream_t stream) {
  exponential<<<blocks_of(arguments), rate_threads, 0, stream>>>(static_cast<const float*>(arguments.in),
                                                                 static_cast<float*>(arguments.results),
                                                                 arguments.steps / rate_chains);
  return cudaGetLastError();
}

cudaError_t launch_shared_read(const RateArguments& arguments, cudaStream_t stream) {
  shared_read<<<blocks_of(arguments), rate_threads, 0, stream>>>(
      static_cast<const float4*>(arguments.in), static_cast<float*>(arguments.results), arguments.steps);
  return cudaGetLastError();
}

}  // namespace roofcast
