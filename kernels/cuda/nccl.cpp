#include "kernels/cuda/nccl.hpp"

#include <fmt/format.h>

#include "kernels/cuda/loaded_library.hpp"

namespace roofcast {

Result<std::shared_ptr<const NcclFunctions>> load_nccl() {
  auto library = LoadedLibrary::open("libnccl", NCCL_MAJOR);
  if (!library) return tl::make_unexpected(library.error());
  const auto functions = std::make_shared<NcclFunctions>();
  library->find(functions->create_all, "ncclCommInitAll");
  library->find(functions->version, "ncclGetVersion");
  library->find(functions->error_text, "ncclGetErrorString");
  library->find(functions->begin_group, "ncclGroupStart");
  library->find(functions->end_group, "ncclGroupEnd");
  library->find(functions->all_reduce, "ncclAllReduce");
  library->find(functions->all_gather, "ncclAllGather");
  library->find(functions->reduce_scatter, "ncclReduceScatter");
  library->find(functions->send, "ncclSend");
  library->find(functions->receive, "ncclRecv");
  if (const auto whole = library->whole(); !whole) return tl::make_unexpected(whole.error());
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
