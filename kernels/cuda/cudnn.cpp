#include "kernels/cuda/cudnn.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace roofcast {
namespace {

/// Where the system finds it, else beside the toolkit that this was built with. Stays until the process ends.
void* load_library() {
  const std::string name = fmt::format("libcudnn.so.{}", CUDNN_MAJOR);
  if (void* library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return ::dlopen(fmt::format("{}/{}", ROOFCAST_CUDA_LIBRARIES, name).c_str(), RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

Result<CudnnFunctions> load_cudnn() {
  void* library = load_library();
  if (library == nullptr) return fail(fmt::format("there is no libcudnn.so.{}", CUDNN_MAJOR));
  bool whole = true;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    whole = whole && function != nullptr;
  };
  CudnnFunctions functions;
  find(functions.create, "cudnnCreate");
  find(functions.destroy, "cudnnDestroy");
  find(functions.set_stream, "cudnnSetStream");
  find(functions.version, "cudnnGetVersion");
  find(functions.error_text, "cudnnGetErrorString");
  find(functions.create_descriptor, "cudnnBackendCreateDescriptor");
  find(functions.destroy_descriptor, "cudnnBackendDestroyDescriptor");
  find(functions.set, "cudnnBackendSetAttribute");
  find(functions.get, "cudnnBackendGetAttribute");
  find(functions.finalize, "cudnnBackendFinalize");
  find(functions.execute, "cudnnBackendExecute");
  if (!whole) return fail("libcudnn lacks a function");
  return functions;
}

CudnnDescriptor::CudnnDescriptor(const CudnnFunctions& functions, cudnnBackendDescriptorType_t type)
    : functions_(&functions) {
  cudnnBackendDescriptor_t made = nullptr;
  status_ = functions.create_descriptor(type, &made);
  if (status_ == CUDNN_STATUS_SUCCESS) descriptor_ = {made, functions.destroy_descriptor};
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                          std::int64_t count, const void* values) {
  if (status_ == CUDNN_STATUS_SUCCESS) status_ = functions_->set(handle(), name, type, count, values);
}

Result<void> CudnnDescriptor::finalize() {
  if (status_ == CUDNN_STATUS_SUCCESS) status_ = functions_->finalize(handle());
  if (status_ == CUDNN_STATUS_SUCCESS) return {};
  return fail(fmt::format("cuDNN: {}", functions_->error_text(status_)));
}

std::int64_t CudnnDescriptor::get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                                  std::int64_t count, void* values) const {
  std::int64_t found = 0;
  return functions_->get(handle(), name, type, count, &found, values) == CUDNN_STATUS_SUCCESS ? found : 0;
}

Result<std::shared_ptr<const Cudnn>> Cudnn::open() {
  const auto functions = load_cudnn();
  if (!functions) return tl::make_unexpected(functions.error());
  const std::shared_ptr<Cudnn> result(new Cudnn);
  result->functions_ = *functions;
  if (functions->create(&result->handle_) != CUDNN_STATUS_SUCCESS)
    return fail("libcudnn cannot use the device");
  return result;
}

Result<std::shared_ptr<const Cudnn>> Cudnn::open_for(const std::string& device_properties) {
  const auto functions = load_cudnn();
  if (!functions) return tl::make_unexpected(functions.error());
  const std::shared_ptr<Cudnn> result(new Cudnn);
  result->functions_ = *functions;
  CudnnDescriptor& described = result->device_properties_;
  described = {result->functions_, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR};
  described.set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
                static_cast<std::int64_t>(device_properties.size()) + 1, device_properties.c_str());
  if (const auto done = described.finalize(); !done) return tl::make_unexpected(done.error());
  return result;
}

std::string Cudnn::version() const {
  const std::size_t version = functions_.version();
  return fmt::format("cuDNN {}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
}

}  // namespace roofcast
