#pragma once
// NVIDIA's library of collective operations, loaded when it is opened: programs run without it.

#include <nccl.h>

#include <memory>
#include <string>

#include "engine/base/diagnostics.hpp"

namespace roofcast {

/// Its functions, by their names without "nccl". Tests put others here.
struct NcclFunctions {
  decltype(&ncclCommInitAll) create_all = nullptr;
  decltype(&ncclGetVersion) version = nullptr;
  decltype(&ncclGetErrorString) error_text = nullptr;
  decltype(&ncclGroupStart) begin_group = nullptr;
  decltype(&ncclGroupEnd) end_group = nullptr;
  decltype(&ncclAllReduce) all_reduce = nullptr;
  decltype(&ncclAllGather) all_gather = nullptr;
  decltype(&ncclReduceScatter) reduce_scatter = nullptr;
  decltype(&ncclSend) send = nullptr;
  decltype(&ncclRecv) receive = nullptr;
};

/// Fails if there is no such library.
Result<std::shared_ptr<const NcclFunctions>> load_nccl();

/// "NCCL 2.28.9".
std::string version_of(const NcclFunctions& nccl);

/// Fails with what NCCL calls the error and what was tried.
Result<void> succeeded(const NcclFunctions& nccl, ncclResult_t status, const char* what);

}  // namespace roofcast
