// Matrix products, by cuBLASLt with the algorithm that it proposes first.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>

#include "kernels/cuda/cublas_lt.hpp"
#include "kernels/cuda/cuda_kernel.hpp"
#include "kernels/cuda/product_layout.hpp"

namespace roofcast {
namespace {

std::vector<Operand> inputs(const Probe& probe, const CudaDevice& /*device*/) {
  const Element element = element_of(probe.precision);
  return {{element, static_cast<std::size_t>(probe.m * probe.k)},
          {element, static_cast<std::size_t>(probe.n * probe.k)}};
}

Operand results(const Probe& probe, const CudaDevice& /*device*/) {
  const Element element = element_of(probe.precision);
  return {element == Element::int8  ? Element::int32
          : element == Element::fp8 ? Element::bf16
                                    : element,
          cuda_elements(probe)};
}

ExpectedResult dot_product(const Probe& probe, const CudaDevice& /*device*/, const InputValues& values,
                           std::size_t at) {
  const auto columns = static_cast<std::size_t>(probe.n);
  const auto depth = static_cast<std::size_t>(probe.k);
  const std::size_t row = at / columns * depth;
  const std::size_t weights = at % columns * depth;
  ExpectedResult expected;
  for (std::size_t i = 0; i < depth; ++i) {
    const double product = values(0, row + i) * values(1, weights + i);
    expected.value += product;
    expected.magnitude += std::abs(product);
  }
  return expected;
}

using Operation = std::shared_ptr<cublasLtMatmulDescOpaque_t>;
using Layout = std::shared_ptr<cublasLtMatrixLayoutOpaque_t>;

/// Empty if the library refuses.
Layout make_layout(const CublasLtFunctions& lt, const ColumnMatrix& matrix) {
  cublasLtMatrixLayout_t layout = nullptr;
  if (lt.create_layout(&layout, matrix.type, matrix.rows, matrix.columns, matrix.stride) !=
      CUBLAS_STATUS_SUCCESS)
    return nullptr;
  return {layout, lt.destroy_layout};
}

/// Empty if the library refuses.
Operation make_operation(const CublasLtFunctions& lt, const ProductLayout& product) {
  cublasLtMatmulDesc_t made = nullptr;
  if (lt.create_operation(&made, product.compute, product.scale) != CUBLAS_STATUS_SUCCESS) return nullptr;
  const Operation operation{made, lt.destroy_operation};
  const cublasOperation_t transposed = CUBLAS_OP_T;
  if (lt.set_operation(made, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed) !=
      CUBLAS_STATUS_SUCCESS)
    return nullptr;
  return operation;
}

/// One product with its algorithm; what cublasLtMatmul needs each time.
struct Product {
  std::shared_ptr<const CublasLt> library{};
  Operation operation{};
  Layout first{};
  Layout second{};
  Layout result{};
  cublasLtMatmulHeuristicResult_t chosen{};
  bool whole_numbers = false;

  cudaError_t run(const CudaOperands& operands, cudaStream_t stream) const {
    constexpr std::array<float, 2> scales = {1, 0};
    constexpr std::array<std::int32_t, 2> whole_scales = {1, 0};
    const void* one = whole_numbers ? static_cast<const void*>(&whole_scales[0]) : &scales[0];
    const void* none = whole_numbers ? static_cast<const void*>(&whole_scales[1]) : &scales[1];
    const auto status = library->functions().matmul(
        library->handle(), operation.get(), one, operands.inputs[1], first.get(), operands.inputs[0],
        second.get(), none, operands.results, result.get(), operands.results, result.get(), &chosen.algo,
        library->workspace(), CublasLt::workspace_bytes, stream);
    if (status == CUBLAS_STATUS_SUCCESS) return cudaSuccess;
    const auto error = cudaGetLastError();
    return error == cudaSuccess ? cudaErrorUnknown : error;
  }
};

/// "id=21 tile=20 stages=8 splitk=1 swizzle=0 cluster=0 waves=0.94 workspace=0"
std::string describe(const CublasLtFunctions& lt, const cublasLtMatmulHeuristicResult_t& chosen) {
  struct Attribute {
    const char* name = "";
    cublasLtMatmulAlgoConfigAttributes_t key{};
    std::size_t bytes = 4;
  };
  constexpr std::array attributes = {Attribute{"id", CUBLASLT_ALGO_CONFIG_ID},
                                     Attribute{"tile", CUBLASLT_ALGO_CONFIG_TILE_ID},
                                     Attribute{"stages", CUBLASLT_ALGO_CONFIG_STAGES_ID},
                                     Attribute{"splitk", CUBLASLT_ALGO_CONFIG_SPLITK_NUM},
                                     Attribute{"swizzle", CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING},
                                     Attribute{"cluster", CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, 2}};
  std::string text;
  for (const Attribute& attribute : attributes) {
    std::uint32_t value = 0;
    std::size_t written = 0;
    if (lt.configuration(&chosen.algo, attribute.key, &value, attribute.bytes, &written) ==
        CUBLAS_STATUS_SUCCESS)
      text += fmt::format("{}={} ", attribute.name, value);
  }
  return text + fmt::format("waves={:.2f} workspace={}", static_cast<double>(chosen.wavesCount),
                            chosen.workspaceSize);
}

/// The first algorithm that the library's heuristics propose.
Result<cublasLtMatmulHeuristicResult_t> choose(const Product& product) {
  const CublasLtFunctions& lt = product.library->functions();
  cublasLtMatmulPreference_t made = nullptr;
  if (lt.create_preference(&made) != CUBLAS_STATUS_SUCCESS) return fail("cuBLASLt: no preferences");
  const std::unique_ptr<cublasLtMatmulPreferenceOpaque_t, cublasStatus_t (*)(cublasLtMatmulPreference_t)>
      preference(made, lt.destroy_preference);
  constexpr std::size_t workspace = CublasLt::workspace_bytes;
  lt.set_preference(made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace);
  cublasLtMatmulHeuristicResult_t chosen{};
  int found = 0;
  const auto status =
      lt.choose(product.library->handle(), product.operation.get(), product.first.get(), product.second.get(),
                product.result.get(), product.result.get(), made, 1, &chosen, &found);
  if (status != CUBLAS_STATUS_SUCCESS || found == 0)
    return fail(fmt::format("cuBLASLt has no algorithm (status {})", static_cast<int>(status)));
  return chosen;
}

Result<Launch> prepare(const Probe& probe, const CudaDevice& device) {
  const ProductLayout layout = product_layout(probe);
  const CublasLtFunctions& lt = device.products->functions();
  Product product{.library = device.products,
                  .operation = make_operation(lt, layout),
                  .first = make_layout(lt, layout.first),
                  .second = make_layout(lt, layout.second),
                  .result = make_layout(lt, layout.result),
                  .whole_numbers = layout.scale == CUDA_R_32I};
  if (!product.operation || !product.first || !product.second || !product.result)
    return fail("cuBLASLt refuses the product");
  const auto chosen = choose(product);
  if (!chosen) return tl::make_unexpected(chosen.error());
  product.chosen = *chosen;
  std::string algorithm = describe(lt, *chosen);
  return Launch{[product = std::move(product)](const CudaOperands& operands, cudaStream_t stream) {
                  return product.run(operands, stream);
                },
                std::move(algorithm)};
}

template <std::size_t count>
using Names = std::array<std::string_view, count>;

constexpr Names<1> single = {"fp32"};
constexpr Names<1> tensor_single = {"tf32"};
constexpr Names<1> half = {"fp16"};
constexpr Names<1> brain = {"bf16"};
constexpr Names<1> whole = {"int8"};
constexpr Names<1> quarter = {"fp8"};

}  // namespace

// Tolerances of the sum of |a w|: TF32 rounds both operands by up to 2^-11, Tensor Cores cut off what they
// add, with fp8 on some devices behind 14 bits; results are off by much more if anything is wrong, for terms
// of either sign mostly cancel. Sums of int8 are exact.
std::span<const CudaKernel> cuda_product_kernels() {
  static constexpr std::array kernels = {
      CudaKernel{"gemm", single, inputs, results, prepare, dot_product, 0, 1e-5, true},
      CudaKernel{"gemm", tensor_single, inputs, results, prepare, dot_product, 80, 1e-3, true},
      CudaKernel{"gemm", half, inputs, results, prepare, dot_product, 0, 1e-4, true},
      CudaKernel{"gemm", brain, inputs, results, prepare, dot_product, 80, 1e-4, true},
      CudaKernel{"gemm", whole, inputs, results, prepare, dot_product, 75, 0, true},
      CudaKernel{"gemm", quarter, inputs, results, prepare, dot_product, 89, 2e-3, true},
  };
  return kernels;
}

}  // namespace roofcast
