#pragma once
// What the CUDA backend knows about an operator.

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostics.hpp"
#include "kernels/cuda/element.hpp"
#include "kernels/probe.hpp"
#include "kernels/probe_list.hpp"

namespace roofcast {

class CublasLt;
class Cudnn;
struct NcclFunctions;

/// What kernels and their grids depend on.
struct CudaDevice {
  int units = 1;                                ///< SMs
  int compute_capability = 0;                   ///< 90 of 9.0
  std::shared_ptr<const CublasLt> products{};   ///< empty if it could not be opened: then there are none
  std::shared_ptr<const Cudnn> convolutions{};  ///< the same
  std::shared_ptr<const NcclFunctions> collectives{};  ///< the same
  int devices = 1;                                     ///< that CUDA shows, this one among them
};

/// Where an operand lies: on the device, or on the host in memory that the system may not move, or in any.
enum class Place : std::uint8_t { device, pinned, pageable };

struct Operand {
  Element element = Element::fp32;
  std::size_t values = 0;
  Place place = Place::device;
};

/// Where they lie.
struct CudaOperands {
  std::array<const void*, 3> inputs{};
  void* results = nullptr;
};

/// Value `at` of input `input`, as it was filled.
using InputValues = std::function<double(std::size_t input, std::size_t at)>;

/// What a result should be, in double precision. A kernel is right within a small share of `magnitude`: the
/// sum of the absolute values that were added up.
struct ExpectedResult {
  double value = 0;
  double magnitude = 0;
};

/// A kernel that is ready to be launched, and keeps what it needs.
struct Launch {
  std::function<cudaError_t(const CudaOperands& operands, cudaStream_t stream)> run{};
  std::string algorithm{};  ///< which one a library has chosen
};

/// How the runs of a batch reach the device.
enum class Queueing : std::uint8_t {
  graphs,  ///< many runs as graphs, few one by one; timed by events behind a gate
  stream,  ///< always one by one; timed the same
  host     ///< one by one, each waited for; timed by the host's clock
};

struct CudaKernel {
  std::string_view op{};
  std::span<const std::string_view> precisions{};
  std::vector<Operand> (*inputs)(const Probe& probe, const CudaDevice& device) = nullptr;
  Operand (*results)(const Probe& probe, const CudaDevice& device) = nullptr;
  Result<Launch> (*prepare)(const Probe& probe, const CudaDevice& device) = nullptr;
  ExpectedResult (*expected)(const Probe& probe, const CudaDevice& device, const InputValues& inputs,
                             std::size_t result) = nullptr;
  int least_compute_capability = 0;
  double tolerance = 1e-5;  ///< of the magnitude, besides rounding the result
  bool needs_cublas_lt = false;
  Queueing queueing = Queueing::graphs;
  bool needs_cudnn = false;
  int most_compute_capability = 9999;  ///< less where its code is for one alone

  /// How many terms are added up for a result. Where there are many, fewer results are compared.
  std::int64_t (*terms)(const Probe& probe) = nullptr;
};

std::span<const CudaKernel> cuda_stream_kernels();
std::span<const CudaKernel> cuda_transfer_kernels();
std::span<const CudaKernel> cuda_product_kernels();
std::span<const CudaKernel> cuda_convolution_kernels();  // only if the build has found cuDNN
std::span<const CudaKernel> cuda_elementwise_kernels();
std::span<const CudaKernel> cuda_row_kernels();
std::span<const CudaKernel> cuda_attention_kernels();
std::span<const CudaKernel> cuda_optimizer_kernels();
std::span<const CudaKernel> cuda_rate_kernels();
std::span<const CudaKernel> cuda_wgmma_kernels();
std::span<const CudaKernel> cuda_latency_kernels();

/// The operator's kernel in that precision on that device; nullptr if there is none.
/// kernels/cuda/cuda_kernel.cpp lists the families.
const CudaKernel* find_cuda_kernel(std::string_view op, std::string_view precision, const CudaDevice& device);

/// All that the device has.
std::vector<SupportedOp> supported_ops(const CudaDevice& device);

inline std::size_t cuda_elements(const Probe& probe) {
  return static_cast<std::size_t>(probe.m) * static_cast<std::size_t>(probe.n);
}

}  // namespace roofcast
