#pragma once
// NVIDIA's library of convolutions, loaded when it is opened: programs run without it. Its backend API is
// used, not the calls for each kind of convolution, which version 9 deprecates and which do not reach its
// newer kernels. Frameworks go the same way.

#include <cudnn.h>

#include <memory>
#include <string>

#include "engine/base/diagnostics.hpp"

namespace roofcast {

/// Its functions, by their names without "cudnn" and "cudnnBackend".
struct CudnnFunctions {
  decltype(&cudnnCreate) create = nullptr;
  decltype(&cudnnDestroy) destroy = nullptr;
  decltype(&cudnnSetStream) set_stream = nullptr;
  decltype(&cudnnGetVersion) version = nullptr;
  decltype(&cudnnGetErrorString) error_text = nullptr;
  decltype(&cudnnBackendCreateDescriptor) create_descriptor = nullptr;
  decltype(&cudnnBackendDestroyDescriptor) destroy_descriptor = nullptr;
  decltype(&cudnnBackendSetAttribute) set = nullptr;
  decltype(&cudnnBackendGetAttribute) get = nullptr;
  decltype(&cudnnBackendFinalize) finalize = nullptr;
  decltype(&cudnnBackendExecute) execute = nullptr;
};

/// The functions alone. Fails if there is no such library.
Result<CudnnFunctions> load_cudnn();

/// Something that the library knows by its attributes. Shared by its copies.
class CudnnDescriptor {
 public:
  CudnnDescriptor() = default;
  CudnnDescriptor(const CudnnFunctions& functions, cudnnBackendDescriptorType_t type);

  /// What goes wrong is kept, and told by `finalize`.
  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
           const void* values);

  template <class Value>
  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const Value& value) {
    set(name, type, 1, &value);
  }
  void set(cudnnBackendAttributeName_t name, const CudnnDescriptor& other) {
    const cudnnBackendDescriptor_t handle = other.handle();
    set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, handle);
  }

  /// Fails with the library's word for what went wrong first: "cuDNN: CUDNN_STATUS_NOT_SUPPORTED".
  Result<void> finalize();

  /// How many values it has of that attribute, of which `values` receives at most `count`. 0 if it has none.
  std::int64_t get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
                   void* values) const;

  cudnnBackendDescriptor_t handle() const { return descriptor_.get(); }

 private:
  const CudnnFunctions* functions_ = nullptr;
  std::shared_ptr<void> descriptor_{};
  cudnnStatus_t status_ = CUDNN_STATUS_SUCCESS;
};

/// The library for one device.
class Cudnn {
 public:
  /// For the current device. Fails if there is no such library, or it cannot use the device.
  static Result<std::shared_ptr<const Cudnn>> open();

  /// For a device that is described in the library's JSON and need not be there: plans can be made and not
  /// run. From version 9.8 on.
  static Result<std::shared_ptr<const Cudnn>> open_for(const std::string& device_properties);

  ~Cudnn() = default;
  Cudnn(const Cudnn&) = delete;
  Cudnn& operator=(const Cudnn&) = delete;

  const CudnnFunctions& functions() const { return functions_; }

  /// nullptr if the device is only described.
  cudnnHandle_t handle() const { return handle_; }

  /// Of a device that is only described.
  const CudnnDescriptor& device_properties() const { return device_properties_; }

  /// "cuDNN 9.19.0"
  std::string version() const;

 private:
  Cudnn() = default;
  CudnnFunctions functions_{};
  cudnnHandle_t handle_ = nullptr;  // stays, as that of cuBLASLt
  CudnnDescriptor device_properties_{};
};

}  // namespace roofcast
