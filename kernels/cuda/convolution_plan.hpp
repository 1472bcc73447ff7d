#pragma once
// A convolution as cuDNN runs it.

#include <string>
#include <string_view>

#include "kernels/cuda/convolution_layout.hpp"
#include "kernels/cuda/cudnn.hpp"

namespace roofcast {

struct ConvolutionProblem {
  ConvolutionSizes sizes{};
  ConvolutionPass pass = ConvolutionPass::forward;
  std::string_view precision = "fp32";
};

struct ConvolutionPlan {
  CudnnDescriptor plan{};
  std::size_t workspace = 0;  ///< bytes that it works in
  std::string algorithm{};    ///< "layout=nhwc engine=3 knobs=4 workspace=0 notes=tensor_core"
};

inline constexpr std::size_t most_convolution_workspace = std::size_t{1} << 30U;

/// The first kernel that the library's heuristics (mode A, then what it falls back to) propose for the
/// problem, that it can build, that needs no more than `most_convolution_workspace`, and that computes as
/// frameworks allow it:
///
/// - fp32: without Tensor Cores, which would round operands to TF32.
/// - all: without operands that are rounded to a narrower type, but that of TF32.
///
/// Source: NVIDIA cuDNN 9 documentation, "Backend API"; the same choices as PyTorch 2 without `benchmark`.
Result<ConvolutionPlan> plan_convolution(const Cudnn& library, const ConvolutionProblem& problem);

/// Runs a plan: `first`, `second` and `result` as `convolution_operands` orders them.
cudnnStatus_t run_convolution(const Cudnn& library, const ConvolutionPlan& plan, ConvolutionPass pass,
                              const CudaOperands& operands, void* workspace, cudaStream_t stream);

}  // namespace roofcast
