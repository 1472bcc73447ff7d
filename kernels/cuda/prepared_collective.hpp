#pragma once
// Collective operations among this machine's GPUs, each with a stream, all called by one thread: checked, and
// timed behind gates.

#include <map>
#include <memory>
#include <vector>

#include "kernels/backend.hpp"
#include "kernels/cuda/nccl.hpp"
#include "kernels/cuda/prepared_cuda.hpp"

namespace roofcast {

/// A device's part in a team.
struct TeamMember {
  int device = 0;
  cudaStream_t stream = nullptr;
  ncclComm_t communicator = nullptr;
};

using Team = std::vector<TeamMember>;

/// The teams of the first two, three and more devices, made when they are first asked for. Communicators
/// stay: destroying them waits for devices that may be lost, and the process ends soon.
class Teams {
 public:
  /// `api` outlives it.
  Teams(const CudaApi& api, std::shared_ptr<const NcclFunctions> nccl) : api_(api), nccl_(std::move(nccl)) {}
  ~Teams();
  Teams(const Teams&) = delete;
  Teams& operator=(const Teams&) = delete;

  /// Device 0 is in use afterwards. Fails if NCCL cannot connect them.
  Result<const Team*> of(int devices);

  const NcclFunctions& nccl() const { return *nccl_; }

 private:
  const CudaApi& api_;
  std::shared_ptr<const NcclFunctions> nccl_{};
  std::map<int, Team> teams_{};
};

/// `session` and `teams` outlive it. Needs: `probe.collective`. Fails if a device lacks memory.
Result<std::unique_ptr<Prepared>> prepare_collective(const CudaSession& session, Teams& teams,
                                                     const Probe& probe);

}  // namespace roofcast
