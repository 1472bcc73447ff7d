#include "kernels/cuda/nccl.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace roofcast {
namespace {

/// Where the system finds it, else beside the toolkit that this was built with. Stays until the process ends.
void* load_library() {
  const std::string name = fmt::format("libnccl.so.{}", NCCL_MAJOR);
  if (void* library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return ::dlopen(fmt::format("{}/{}", ROOFCAST_CUDA_LIBRARIES, name).c_str(), RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

Result<std::shared_ptr<const NcclFunctions>> load_nccl() {
  void* library = load_library();
  if (library == nullptr) return fail(fmt::format("there is no libnccl.so.{}", NCCL_MAJOR));
  bool whole = true;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    whole = whole && function != nullptr;
  };
  const auto functions = std::make_shared<NcclFunctions>();
  find(functions->create_all, "ncclCommInitAll");
  find(functions->version, "ncclGetVersion");
  find(functions->error_text, "ncclGetErrorString");
  find(functions->begin_group, "ncclGroupStart");
  find(functions->end_group, "ncclGroupEnd");
  find(functions->all_reduce, "ncclAllReduce");
  find(functions->all_gather, "ncclAllGather");
  find(functions->reduce_scatter, "ncclReduceScatter");
  find(functions->send, "ncclSend");
  find(functions->receive, "ncclRecv");
  if (!whole) return fail("libnccl lacks a function");
  return functions;
}

std::string version_of(const NcclFunctions& nccl) {
  int version = 0;  // 22809 of 2.28.9
  (void)nccl.version(&version);
  return fmt::format("NCCL {}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
}

Result<void> succeeded(const NcclFunctions& nccl, ncclResult_t status, const char* what) {
  if (status == ncclSuccess) return {};
  return fail(fmt::format("{}: {}", what, nccl.error_text(status)));
}

}  // namespace roofcast
