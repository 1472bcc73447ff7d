#pragma once
// What a kernel has written on the device, against what is expected.

#include <cstdint>
#include <functional>

#include "engine/base/diagnostics.hpp"
#include "kernels/cuda/cuda_api.hpp"
#include "kernels/cuda/cuda_kernel.hpp"

namespace roofcast {

struct Expectation {
  std::function<ExpectedResult(std::size_t result)> of{};
  double tolerance = 1e-5;  ///< of the magnitude, besides rounding the result
  std::int64_t terms = 1;   ///< that are added up for a result: where there are many, fewer are compared
};

/// All of `results` were written and are numbers, and of up to 128 of them the values are right. Fails with
/// the first that is not.
Result<void> compare_results(const CudaApi& api, const Operand& results, const void* memory,
                             const Expectation& expectation);

}  // namespace roofcast
