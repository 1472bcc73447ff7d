#include "kernels/cuda/cudnn.hpp"

#include <fmt/format.h>

#include "kernels/cuda/loaded_library.hpp"

namespace roofcast {

Result<CudnnFunctions> load_cudnn() {
  auto library = LoadedLibrary::open("libcudnn", CUDNN_MAJOR);
  if (!library) return tl::make_unexpected(library.error());
  CudnnFunctions functions;
  library->find(functions.create, "cudnnCreate");
  library->find(functions.destroy, "cudnnDestroy");
  library->find(functions.set_stream, "cudnnSetStream");
  library->find(functions.version, "cudnnGetVersion");
  library->find(functions.error_text, "cudnnGetErrorString");
  library->find(functions.create_descriptor, "cudnnBackendCreateDescriptor");
  library->find(functions.destroy_descriptor, "cudnnBackendDestroyDescriptor");
  library->find(functions.set, "cudnnBackendSetAttribute");
  library->find(functions.get, "cudnnBackendGetAttribute");
  library->find(functions.finalize, "cudnnBackendFinalize");
  library->find(functions.execute, "cudnnBackendExecute");
  if (const auto whole = library->whole(); !whole) return tl::make_unexpected(whole.error());
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
