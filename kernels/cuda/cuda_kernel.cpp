#include "kernels/cuda/cuda_kernel.hpp"

#include <algorithm>
#include <iterator>

#include "kernels/cuda/collective_layout.hpp"

namespace roofcast {
namespace {

std::vector<std::span<const CudaKernel>> families() {
  std::vector all = {cuda_stream_kernels(),      cuda_transfer_kernels(), cuda_product_kernels(),
                     cuda_elementwise_kernels(), cuda_row_kernels(),      cuda_attention_kernels(),
                     cuda_optimizer_kernels(),   cuda_rate_kernels(),     cuda_wgmma_kernels(),
                     cuda_latency_kernels()};
#ifdef ROOFCAST_HAS_CUDNN
  all.push_back(cuda_convolution_kernels());
#endif
  return all;
}

bool has(const CudaDevice& device, const CudaKernel& kernel) {
  return device.compute_capability >= kernel.least_compute_capability &&
         device.compute_capability <= kernel.most_compute_capability &&
         (device.products != nullptr || !kernel.needs_cublas_lt) &&
         (device.convolutions != nullptr || !kernel.needs_cudnn);
}

}  // namespace

const CudaKernel* find_cuda_kernel(std::string_view op, std::string_view precision,
                                   const CudaDevice& device) {
  for (const auto& family : families()) {
    for (const CudaKernel& kernel : family) {
      if (kernel.op == op && has(device, kernel) &&
          std::ranges::find(kernel.precisions, precision) != kernel.precisions.end())
        return &kernel;
    }
  }
  return nullptr;
}

std::vector<SupportedOp> supported_ops(const CudaDevice& device) {
  std::vector<SupportedOp> all;
  for (const auto& family : families()) {
    for (const CudaKernel& kernel : family) {
      if (!has(device, kernel)) continue;
      for (const std::string_view precision : kernel.precisions) all.push_back({kernel.op, precision});
    }
  }
#ifdef ROOFCAST_HAS_NCCL
  if (device.collectives != nullptr && device.devices > 1)
    std::ranges::copy(collective_ops(), std::back_inserter(all));
#endif
  return all;
}

}  // namespace roofcast
