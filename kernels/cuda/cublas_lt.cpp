#include "kernels/cuda/cublas_lt.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

namespace roofcast {
namespace {

/// Where the system finds it, else beside the toolkit that this was built with. Stays until the process ends.
void* load_library() {
  const std::string name = fmt::format("libcublasLt.so.{}", CUBLAS_VER_MAJOR);
  if (void* library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return ::dlopen(fmt::format("{}/{}", ROOFCAST_CUDA_LIBRARIES, name).c_str(), RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

Result<std::shared_ptr<const CublasLt>> CublasLt::open() {
  void* library = load_library();
  if (library == nullptr) return fail(fmt::format("there is no libcublasLt.so.{}", CUBLAS_VER_MAJOR));
  const std::shared_ptr<CublasLt> result(new CublasLt);
  bool whole = true;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    whole = whole && function != nullptr;
  };
  CublasLtFunctions& functions = result->functions_;
  find(functions.create, "cublasLtCreate");
  find(functions.version, "cublasLtGetVersion");
  find(functions.matmul, "cublasLtMatmul");
  find(functions.create_operation, "cublasLtMatmulDescCreate");
  find(functions.destroy_operation, "cublasLtMatmulDescDestroy");
  find(functions.set_operation, "cublasLtMatmulDescSetAttribute");
  find(functions.create_layout, "cublasLtMatrixLayoutCreate");
  find(functions.destroy_layout, "cublasLtMatrixLayoutDestroy");
  find(functions.create_preference, "cublasLtMatmulPreferenceCreate");
  find(functions.destroy_preference, "cublasLtMatmulPreferenceDestroy");
  find(functions.set_preference, "cublasLtMatmulPreferenceSetAttribute");
  find(functions.choose, "cublasLtMatmulAlgoGetHeuristic");
  find(functions.configuration, "cublasLtMatmulAlgoConfigGetAttribute");
  if (!whole) return fail("libcublasLt lacks a function");
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
