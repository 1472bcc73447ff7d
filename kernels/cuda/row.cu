#include "kernels/cuda/block_sum.cuh"
#include "kernels/cuda/row.hpp"

namespace roofcast {
namespace {

constexpr int block_threads = 256;

__device__ SoftmaxPart of_lane(const SoftmaxPart& part, int bit) {
  return {__shfl_xor_sync(all_lanes, part.largest, bit), __shfl_xor_sync(all_lanes, part.sum, bit)};
}

__device__ MomentPart of_lane(const MomentPart& part, int bit) {
  return {__shfl_xor_sync(all_lanes, part.count, bit), __shfl_xor_sync(all_lanes, part.mean, bit),
          __shfl_xor_sync(all_lanes, part.squares, bit)};
}

/// In every thread that shares the row: its parts, combined.
template <int threads, class Part>
__device__ Part row_combined(Part part) {
#pragma unroll
  for (int bit = 16; bit > 0; bit /= 2) part = combined(part, of_lane(part, bit));
  if constexpr (threads == 32) return part;
  __shared__ Part parts[block_threads / 32];
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = part;
  __syncthreads();
  Part whole = parts[0];
#pragma unroll
  for (int warp = 1; warp < block_threads / 32; ++warp) whole = combined(whole, parts[warp]);
  return whole;
}

/// The thread's place in its row: which row, and from which column on every `threads`th.
template <int threads>
__device__ std::int64_t row_of_thread() {
  return (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) / threads;
}

template <int threads, class Number>
__global__ void __launch_bounds__(block_threads)
    softmax_kernel(const Number* __restrict__ in, Number* __restrict__ out, std::int64_t rows,
                   std::int64_t columns) {
  const std::int64_t row = row_of_thread<threads>();
  if (row >= rows) return;  // whole warps
  const Number* x = in + row * columns;
  const std::int64_t first = threadIdx.x % threads;
  SoftmaxPart part;
#pragma unroll 4
  for (std::int64_t i = first; i < columns; i += threads) part = with_value(part, to_float(x[i]));
  const SoftmaxPart whole = row_combined<threads>(part);
  const float scale = 1.0F / whole.sum;
#pragma unroll 4
  for (std::int64_t i = first; i < columns; i += threads)
    out[row * columns + i] = from_float<Number>(power_of_e(to_float(x[i]) - whole.largest) * scale);
}

template <int threads, class Number>
__global__ void __launch_bounds__(block_threads)
    layer_norm_kernel(const Number* __restrict__ in, const Number* __restrict__ factor,
                      const Number* __restrict__ term, Number* __restrict__ out, std::int64_t rows,
                      std::int64_t columns) {
  const std::int64_t row = row_of_thread<threads>();
  if (row >= rows) return;  // whole warps
  const Number* x = in + row * columns;
  const std::int64_t first = threadIdx.x % threads;
  MomentPart part;
#pragma unroll 4
  for (std::int64_t i = first; i < columns; i += threads) part = with_value(part, to_float(x[i]));
  const MomentPart whole = row_combined<threads>(part);
  const float scale = layer_norm_scale(whole);
#pragma unroll 4
  for (std::int64_t i = first; i < columns; i += threads) {
    out[row * columns + i] =
        from_float<Number>((to_float(x[i]) - whole.mean) * scale * to_float(factor[i]) + to_float(term[i]));
  }
}

unsigned row_blocks(const RowArguments& arguments) {
  const std::int64_t in_block = block_threads / row_threads(arguments.columns);
  return static_cast<unsigned>((arguments.rows + in_block - 1) / in_block);
}

}  // namespace

template <class Number>
cudaError_t launch_softmax(const RowArguments& arguments, cudaStream_t stream) {
  const auto kernel =
      row_threads(arguments.columns) == 32 ? softmax_kernel<32, Number> : softmax_kernel<256, Number>;
  kernel<<<row_blocks(arguments), block_threads, 0, stream>>>(static_cast<const Number*>(arguments.in),
                                                              static_cast<Number*>(arguments.out),
                                                              arguments.rows, arguments.columns);
  return cudaGetLastError();
}

template <class Number>
cudaError_t launch_layer_norm(const RowArguments& arguments, cudaStream_t stream) {
  const auto kernel =
      row_threads(arguments.columns) == 32 ? layer_norm_kernel<32, Number> : layer_norm_kernel<256, Number>;
  kernel<<<row_blocks(arguments), block_threads, 0, stream>>>(
      static_cast<const Number*>(arguments.in), static_cast<const Number*>(arguments.factor),
      static_cast<const Number*>(arguments.term), static_cast<Number*>(arguments.out), arguments.rows,
      arguments.columns);
  return cudaGetLastError();
}

#define ROOFCAST_ROWS(number)                                                     \
  template cudaError_t launch_softmax<number>(const RowArguments&, cudaStream_t); \
  template cudaError_t launch_layer_norm<number>(const RowArguments&, cudaStream_t)

ROOFCAST_ROWS(float);
ROOFCAST_ROWS(__half);
ROOFCAST_ROWS(__nv_bfloat16);

}  // namespace roofcast
