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

/// `width` numbers as floats: one by one, or 16 bytes at once.
template <int width, class Number>
__device__ void load(float (&x)[width], const Number* from) {
  if constexpr (width == 1) {
    x[0] = to_float(*from);
  } else {
    const auto pack = *reinterpret_cast<const Pack<Number>*>(from);
#pragma unroll
    for (int i = 0; i < width; ++i) x[i] = to_float(pack.numbers[i]);
  }
}

template <int width, class Number>
__device__ void store(Number* to, const float (&x)[width]) {
  if constexpr (width == 1) {
    *to = from_float<Number>(x[0]);
  } else {
    Pack<Number> pack;
#pragma unroll
    for (int i = 0; i < width; ++i) pack.numbers[i] = from_float<Number>(x[i]);
    *reinterpret_cast<Pack<Number>*>(to) = pack;
  }
}

/// The part of a row that a thread reads.
template <int threads, int width, class Part, class Number>
__device__ Part part_of(const Number* row, std::int64_t columns) {
  Part part;
#pragma unroll 2
  for (std::int64_t i = threadIdx.x % threads * width; i < columns; i += threads * width) {
    float x[width];
    load(x, row + i);
    part = with_values(part, x);
  }
  return part;
}

template <int threads, int width, class Number>
__global__ void __launch_bounds__(block_threads)
    softmax_kernel(const Number* __restrict__ in, Number* __restrict__ out, std::int64_t rows,
                   std::int64_t columns) {
  const std::int64_t row = row_of_thread<threads>();
  if (row >= rows) return;  // whole warps
  const auto whole = row_combined<threads>(part_of<threads, width, SoftmaxPart>(in + row * columns, columns));
  const float scale = 1.0F / whole.sum;
#pragma unroll 2
  for (std::int64_t i = threadIdx.x % threads * width; i < columns; i += threads * width) {
    float x[width];
    load(x, in + row * columns + i);
#pragma unroll
    for (int j = 0; j < width; ++j) x[j] = power_of_e(x[j] - whole.largest) * scale;
    store(out + row * columns + i, x);
  }
}

template <int threads, int width, class Number>
__global__ void __launch_bounds__(block_threads)
    layer_norm_kernel(const Number* __restrict__ in, const Number* __restrict__ factor,
                      const Number* __restrict__ term, Number* __restrict__ out, std::int64_t rows,
                      std::int64_t columns) {
  const std::int64_t row = row_of_thread<threads>();
  if (row >= rows) return;  // whole warps
  const auto whole = row_combined<threads>(part_of<threads, width, MomentPart>(in + row * columns, columns));
  const float scale = layer_norm_scale(whole);
#pragma unroll 2
  for (std::int64_t i = threadIdx.x % threads * width; i < columns; i += threads * width) {
    float x[width];
    float factors[width];
    float terms[width];
    load(x, in + row * columns + i);
    load(factors, factor + i);
    load(terms, term + i);
#pragma unroll
    for (int j = 0; j < width; ++j) x[j] = (x[j] - whole.mean) * scale * factors[j] + terms[j];
    store(out + row * columns + i, x);
  }
}

/// A kernel's variant for rows of that many columns.
#define ROOFCAST_ROW_KERNEL(kernel, columns)                                                                \
  (row_threads(columns) == 32                                                                               \
       ? (row_width<Number>(columns) == 1 ? kernel<32, 1, Number> : kernel<32, Pack<Number>::size, Number>) \
       : (row_width<Number>(columns) == 1 ? kernel<256, 1, Number>                                          \
                                          : kernel<256, Pack<Number>::size, Number>))

unsigned row_blocks(const RowArguments& arguments) {
  const std::int64_t in_block = block_threads / row_threads(arguments.columns);
  return static_cast<unsigned>((arguments.rows + in_block - 1) / in_block);
}

}  // namespace

template <class Number>
cudaError_t launch_softmax(const RowArguments& arguments, cudaStream_t stream) {
  const auto kernel = ROOFCAST_ROW_KERNEL(softmax_kernel, arguments.columns);
  kernel<<<row_blocks(arguments), block_threads, 0, stream>>>(static_cast<const Number*>(arguments.in),
                                                              static_cast<Number*>(arguments.out),
                                                              arguments.rows, arguments.columns);
  return cudaGetLastError();
}

template <class Number>
cudaError_t launch_layer_norm(const RowArguments& arguments, cudaStream_t stream) {
  const auto kernel = ROOFCAST_ROW_KERNEL(layer_norm_kernel, arguments.columns);
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
