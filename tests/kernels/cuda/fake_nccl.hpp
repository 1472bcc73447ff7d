#pragma once
// NCCL for devices that do not exist: a group's calls are done when it ends, on the host's memory, if all
// members of the team have made theirs.

#include <map>
#include <vector>

#include "kernels/cuda/nccl.hpp"
#include "kernels/cuda/number.hpp"
#include "tests/kernels/cuda/fake_cuda.hpp"

namespace roofcast {

/// NCCL's functions have no place for what a test asks for. Tests run one after the other.
struct FakeNccl {
  FakeCuda* cuda = nullptr;
  Seconds one_run{};
  ncclResult_t on_launch = ncclSuccess;
  bool forgets_last = false;  ///< the last device's results are not written

  struct Call {
    enum class Kind : std::uint8_t { all_reduce, all_gather, reduce_scatter, send, receive } kind{};
    std::size_t rank = 0;
    const void* in = nullptr;
    void* out = nullptr;
    std::size_t count = 0;
    ncclDataType_t type = ncclFloat32;
    std::size_t peer = 0;
  };
  std::vector<Call> group{};
  std::size_t groups = 0;
  std::size_t devices = 0;
};

inline FakeNccl* fake_nccl = nullptr;

namespace fake {

using Call = FakeNccl::Call;

inline double read(const Call& call, const void* from, std::size_t at) {
  return call.type == ncclFloat32 ? to_float(static_cast<const float*>(from)[at])
                                  : to_float(static_cast<const __nv_bfloat16*>(from)[at]);
}

inline void write(const Call& call, std::size_t at, double value) {
  if (call.rank + 1 == fake_nccl->devices && fake_nccl->forgets_last) return;
  if (call.type == ncclFloat32) {
    static_cast<float*>(call.out)[at] = static_cast<float>(value);
  } else {
    static_cast<__nv_bfloat16*>(call.out)[at] = from_float<__nv_bfloat16>(static_cast<float>(value));
  }
}

inline double sum(std::size_t at) {
  double total = 0;
  for (const Call& each : fake_nccl->group) total += read(each, each.in, at);
  return total;
}

/// What `call` receives: of sends in the order in which they were made.
inline void receive(const Call& call, std::map<std::pair<std::size_t, std::size_t>, std::size_t>& taken) {
  std::size_t skip = taken[{call.peer, call.rank}]++;
  for (const Call& each : fake_nccl->group) {
    if (each.kind != Call::Kind::send || each.rank != call.peer || each.peer != call.rank || skip-- > 0)
      continue;
    for (std::size_t i = 0; i < call.count; ++i) write(call, i, read(each, each.in, i));
    return;
  }
}

inline void run_group() {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> taken;
  for (const Call& call : fake_nccl->group) {
    switch (call.kind) {
      case Call::Kind::all_reduce:
        for (std::size_t i = 0; i < call.count; ++i) write(call, i, sum(i));
        break;
      case Call::Kind::reduce_scatter:
        for (std::size_t i = 0; i < call.count; ++i) write(call, i, sum(call.rank * call.count + i));
        break;
      case Call::Kind::all_gather:
        for (const Call& from : fake_nccl->group) {
          for (std::size_t i = 0; i < call.count; ++i)
            write(call, from.rank * call.count + i, read(from, from.in, i));
        }
        break;
      case Call::Kind::send: break;
      case Call::Kind::receive: receive(call, taken); break;
    }
  }
}

inline ncclResult_t add(Call call, ncclComm_t communicator) {
  call.rank = reinterpret_cast<std::size_t>(communicator) - 1;
  fake_nccl->group.push_back(call);
  return fake_nccl->on_launch;
}

}  // namespace fake

/// Functions that `fake_nccl` answers.
inline NcclFunctions functions_of_fake() {
  using Kind = FakeNccl::Call::Kind;
  return {
      .create_all =
          [](ncclComm_t* communicators, int devices, const int*) {
            fake_nccl->devices = static_cast<std::size_t>(devices);
            for (std::size_t i = 0; i < fake_nccl->devices; ++i)
              communicators[i] = reinterpret_cast<ncclComm_t>(i + 1);
            return fake_nccl->cuda->call("communicators") == cudaSuccess ? ncclSuccess : ncclSystemError;
          },
      .version =
          [](int* version) {
            *version = 22809;
            return ncclSuccess;
          },
      .error_text = [](ncclResult_t) { return "no way"; },
      .begin_group =
          [] {
            fake_nccl->group.clear();
            return ncclSuccess;
          },
      .end_group =
          [] {
            ++fake_nccl->groups;
            const auto status = fake_nccl->cuda->launch([] {
              fake::run_group();
              fake_nccl->cuda->time += fake_nccl->one_run;
            });
            return status == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
          },
      .all_reduce =
          [](const void* in, void* out, std::size_t count, ncclDataType_t type, ncclRedOp_t, ncclComm_t to,
             cudaStream_t) {
            return fake::add({.kind = Kind::all_reduce, .in = in, .out = out, .count = count, .type = type},
                             to);
          },
      .all_gather =
          [](const void* in, void* out, std::size_t count, ncclDataType_t type, ncclComm_t to, cudaStream_t) {
            return fake::add({.kind = Kind::all_gather, .in = in, .out = out, .count = count, .type = type},
                             to);
          },
      .reduce_scatter =
          [](const void* in, void* out, std::size_t count, ncclDataType_t type, ncclRedOp_t, ncclComm_t to,
             cudaStream_t) {
            return fake::add(
                {.kind = Kind::reduce_scatter, .in = in, .out = out, .count = count, .type = type}, to);
          },
      .send =
          [](const void* in, std::size_t count, ncclDataType_t type, int peer, ncclComm_t from,
             cudaStream_t) {
            return fake::add({.kind = Kind::send,
                              .in = in,
                              .count = count,
                              .type = type,
                              .peer = static_cast<std::size_t>(peer)},
                             from);
          },
      .receive =
          [](void* out, std::size_t count, ncclDataType_t type, int peer, ncclComm_t to, cudaStream_t) {
            return fake::add({.kind = Kind::receive,
                              .out = out,
                              .count = count,
                              .type = type,
                              .peer = static_cast<std::size_t>(peer)},
                             to);
          },
  };
}

}  // namespace roofcast
