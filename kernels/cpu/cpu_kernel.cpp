#include "kernels/cpu/cpu_kernel.hpp"

#include <algorithm>
#include <thread>

namespace roofcast {

const CpuKernel* find_cpu_kernel(std::string_view op) {
  for (const auto& family : {stream_kernels(), product_kernels(), elementwise_kernels(), row_kernels()}) {
    const auto found = std::ranges::find(family, op, &CpuKernel::op);
    if (found != family.end()) return &*found;
  }
  return nullptr;
}

std::size_t block_size(std::size_t count, std::size_t least, std::size_t multiple) {
  // Asking reads a file: as long as a small kernel takes.
  static const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t share = (count + cores - 1) / cores;
  return (std::max(share, least) + multiple - 1) / multiple * multiple;
}

}  // namespace roofcast
