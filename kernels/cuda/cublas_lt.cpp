#include "kernels/cuda/cublas_lt.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "kernels/cuda/loaded_library.hpp"

namespace roofcast {

Result<std::shared_ptr<const CublasLt>> CublasLt::open() {
  auto library = LoadedLibrary::open("libcublasLt", CUBLAS_VER_MAJOR);
  if (!library) return tl::make_unexpected(library.error());
  const std::shared_ptr<CublasLt> result(new CublasLt);
  CublasLtFunctions& functions = result->functions_;
  library->find(functions.create, "cublasLtCreate");
  library->find(functions.version, "cublasLtGetVersion");
  library->find(functions.matmul, "cublasLtMatmul");
  library->find(functions.create_operation, "cublasLtMatmulDescCreate");
  library->find(functions.destroy_operation, "cublasLtMatmulDescDestroy");
  library->find(functions.set_operation, "cublasLtMatmulDescSetAttribute");
  library->find(functions.create_layout, "cublasLtMatrixLayoutCreate");
  library->find(functions.destroy_layout, "cublasLtMatrixLayoutDestroy");
  library->find(functions.create_preference, "cublasLtMatmulPreferenceCreate");
  library->find(functions.destroy_preference, "cublasLtMatmulPreferenceDestroy");
  library->find(functions.set_preference, "cublasLtMatmulPreferenceSetAttribute");
  library->find(functions.choose, "cublasLtMatmulAlgoGetHeuristic");
  library->find(functions.configuration, "cublasLtMatmulAlgoConfigGetAttribute");
  if (const auto whole = library->whole(); !whole) return tl::make_unexpected(whole.error());
  if (functions.create(&result->handle_) != CUBLAS_STATUS_SUCCESS)
    return fail("libcublasLt cannot use the device");
  if (cudaMalloc(&result->workspace_, workspace_bytes) != cudaSuccess)
    return fail("no memory for libcublasLt to work in");
  return result;
}

// The handle stays: destroying it waits for a device that may be lost, and the process ends soon.
CublasLt::~CublasLt() {
  cudaFree(workspace_);
}

std::string CublasLt::version() const {
  const std::size_t version = functions_.version();
  return fmt::format("cuBLASLt {}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
}

}  // namespace roofcast
