#pragma once
// NVIDIA's library of matrix products, loaded when it is opened: programs run without it.

#include <cublasLt.h>

#include <memory>
#include <string>

#include "engine/base/diagnostics.hpp"

namespace roofcast {

/// Its functions, by their names without "cublasLt".
struct CublasLtFunctions {
  decltype(&cublasLtCreate) create = nullptr;
  decltype(&cublasLtGetVersion) version = nullptr;
  decltype(&cublasLtMatmul) matmul = nullptr;
  decltype(&cublasLtMatmulDescCreate) create_operation = nullptr;
  decltype(&cublasLtMatmulDescDestroy) destroy_operation = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) set_operation = nullptr;
  decltype(&cublasLtMatrixLayoutCreate) create_layout = nullptr;
  decltype(&cublasLtMatrixLayoutDestroy) destroy_layout = nullptr;
  decltype(&cublasLtMatmulPreferenceCreate) create_preference = nullptr;
  decltype(&cublasLtMatmulPreferenceDestroy) destroy_preference = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) set_preference = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) choose = nullptr;
  decltype(&cublasLtMatmulAlgoConfigGetAttribute) configuration = nullptr;
};

/// A handle for the current device, with memory that algorithms may work in.
class CublasLt {
 public:
  /// Fails if there is no such library, or it cannot use the device.
  static Result<std::shared_ptr<const CublasLt>> open();

  ~CublasLt();
  CublasLt(const CublasLt&) = delete;
  CublasLt& operator=(const CublasLt&) = delete;

  const CublasLtFunctions& functions() const { return functions_; }
  cublasLtHandle_t handle() const { return handle_; }
  void* workspace() const { return workspace_; }

  /// "cuBLASLt 13.1.0"
  std::string version() const;

  static constexpr std::size_t workspace_bytes = std::size_t{32} << 20U;  // what NVIDIA recommends for Hopper

 private:
  CublasLt() = default;
  CublasLtFunctions functions_{};
  cublasLtHandle_t handle_ = nullptr;
  void* workspace_ = nullptr;
};

}  // namespace roofcast
