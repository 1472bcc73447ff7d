// Convolutions and their gradients, by cuDNN with the kernel that its heuristics propose first.

#include <array>
#include <memory>

#include "kernels/cuda/convolution_layout.hpp"
#include "kernels/cuda/convolution_plan.hpp"
#include "kernels/cuda/cuda_api.hpp"
#include "kernels/cuda/cuda_kernel.hpp"

namespace roofcast {
namespace {

ConvolutionOperands operands_of(const Probe& probe) {
  return convolution_operands(convolution_tensors(*probe.convolution, probe.precision),
                              convolution_pass(probe.op));
}

std::vector<Operand> inputs(const Probe& probe, const CudaDevice& /*device*/) {
  const Element element = element_of(probe.precision);
  const ConvolutionOperands operands = operands_of(probe);
  return {{element, values_of(operands.first)}, {element, values_of(operands.second)}};
}

Operand results(const Probe& probe, const CudaDevice& /*device*/) {
  return {element_of(probe.precision), values_of(operands_of(probe).result)};
}

ExpectedResult expected(const Probe& probe, const CudaDevice& /*device*/, const InputValues& values,
                        std::size_t at) {
  return convolution_value(*probe.convolution, convolution_tensors(*probe.convolution, probe.precision),
                           convolution_pass(probe.op), values, at);
}

std::int64_t terms(const Probe& probe) {
  return convolution_terms(*probe.convolution, convolution_pass(probe.op));
}

Result<Launch> prepare(const Probe& probe, const CudaDevice& device) {
  const ConvolutionPass pass = convolution_pass(probe.op);
  auto plan = plan_convolution(*device.convolutions,
                               {.sizes = *probe.convolution, .pass = pass, .precision = probe.precision});
  if (!plan) return tl::make_unexpected(plan.error());
  void* memory = nullptr;
  if (plan->workspace > 0) {
    const auto allocated = succeeded(cudaMalloc(&memory, plan->workspace), "memory to work in");
    if (!allocated) return tl::make_unexpected(allocated.error());
  }
  const std::shared_ptr<void> workspace(memory, [](void* old) { (void)cudaFree(old); });
  std::string algorithm = plan->algorithm;
  return Launch{[library = device.convolutions, plan = *std::move(plan), pass, workspace](
                    const CudaOperands& operands, cudaStream_t stream) {
                  const auto status =
                      run_convolution(*library, plan, pass, operands, workspace.get(), stream);
                  if (status == CUDNN_STATUS_SUCCESS) return cudaSuccess;
                  const auto error = cudaGetLastError();
                  return error == cudaSuccess ? cudaErrorUnknown : error;
                },
                std::move(algorithm)};
}

constexpr std::array<std::string_view, 1> single = {"fp32"};
constexpr std::array<std::string_view, 1> half = {"fp16"};
constexpr std::array<std::string_view, 2> newer = {"bf16", "tf32"};

constexpr CudaKernel convolution(std::string_view op, std::span<const std::string_view> precisions, int least,
                                 double tolerance) {
  CudaKernel kernel{op, precisions, inputs, results, prepare, expected, least, tolerance};
  kernel.needs_cudnn = true;
  kernel.terms = terms;
  return kernel;
}

}  // namespace

// Tolerances of the root of the sum of squared terms, about the size of a result: Winograd's transforms round
// fp16 some times, Tensor Cores cut off what they add, and a gradient of weights has up to 1.6 million terms.
std::span<const CudaKernel> cuda_convolution_kernels() {
  static constexpr std::array kernels = {
      convolution("conv2d", single, 0, 1e-3),       convolution("conv2d", half, 0, 5e-2),
      convolution("conv2d", newer, 80, 5e-2),       convolution("conv2d_dgrad", single, 0, 1e-3),
      convolution("conv2d_dgrad", half, 0, 5e-2),   convolution("conv2d_dgrad", newer, 80, 5e-2),
      convolution("conv2d_wgrad", single, 0, 1e-3), convolution("conv2d_wgrad", half, 0, 5e-2),
      convolution("conv2d_wgrad", newer, 80, 5e-2),
  };
  return kernels;
}

}  // namespace roofcast
