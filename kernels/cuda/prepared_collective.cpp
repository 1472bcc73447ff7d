#include "kernels/cuda/prepared_collective.hpp"

#include <algorithm>
#include <atomic>

#include "kernels/cuda/collective_layout.hpp"
#include "kernels/cuda/compare_results.hpp"

namespace roofcast {
namespace {

/// Calls `act(index, member)` while the member's device is in use, until one fails. Then device 0 is in use.
template <class Act>
Result<void> on_each(const CudaApi& api, const Team& team, Act&& act) {
  Result<void> done;
  for (std::size_t i = 0; i < team.size() && done; ++i) {
    done = succeeded(api.use_device(team[i].device), "device");
    if (done) done = act(i, team[i]);
  }
  const auto back = succeeded(api.use_device(0), "device");
  return done ? back : done;
}

ncclDataType_t type_of(Element element) {
  return element == Element::bf16 ? ncclBfloat16 : ncclFloat32;
}

struct MemberOperands {
  DeviceMemory in{};
  DeviceMemory out{};
};

/// One member's share of the operation, inside of a group. All-to-all is what NCCL's documentation makes of
/// sends and receives; older versions have no call for it.
ncclResult_t call(const NcclFunctions& nccl, const CollectiveLayout& layout, const MemberOperands& operands,
                  const TeamMember& member) {
  const ncclDataType_t type = type_of(layout.element);
  const auto* in = static_cast<const std::byte*>(operands.in.get());
  auto* out = static_cast<std::byte*>(operands.out.get());
  const auto devices = static_cast<int>(layout.devices);
  switch (layout.op) {
    case Collective::all_reduce:
      return nccl.all_reduce(in, out, layout.in, type, ncclSum, member.communicator, member.stream);
    case Collective::all_gather:
      return nccl.all_gather(in, out, layout.part, type, member.communicator, member.stream);
    case Collective::reduce_scatter:
      return nccl.reduce_scatter(in, out, layout.part, type, ncclSum, member.communicator, member.stream);
    case Collective::alltoall: {
      const std::size_t part_bytes = layout.part * size_of(layout.element);
      auto status = ncclSuccess;
      for (int peer = 0; peer < devices && status == ncclSuccess; ++peer) {
        const std::size_t offset = static_cast<std::size_t>(peer) * part_bytes;
        status = nccl.send(in + offset, layout.part, type, peer, member.communicator, member.stream);
        if (status == ncclSuccess)
          status = nccl.receive(out + offset, layout.part, type, peer, member.communicator, member.stream);
      }
      return status;
    }
    case Collective::send_recv: break;
  }
  const int next = (member.device + 1) % devices;
  const int before = (member.device + devices - 1) % devices;
  const auto status = nccl.send(in, layout.in, type, next, member.communicator, member.stream);
  if (status != ncclSuccess) return status;
  return nccl.receive(out, layout.out, type, before, member.communicator, member.stream);
}

class PreparedCollective : public Prepared {
 public:
  PreparedCollective(const CudaSession& session, const NcclFunctions& nccl, const Team& team,
                     CollectiveLayout layout)
      : session_(session), nccl_(nccl), team_(team), layout_(layout), operands_(team.size()) {}

  std::string algorithm() const override { return version_of(nccl_); }

  Result<void> allocate() {
    const CudaApi& api = session_.api;
    const std::size_t width = size_of(layout_.element);
    auto done = on_each(api, team_, [&](std::size_t index, const TeamMember& member) -> Result<void> {
      auto in = DeviceMemory::allocate(api, layout_.in * width);
      if (!in) return tl::make_unexpected(in.error());
      auto out = DeviceMemory::allocate(api, layout_.out * width);
      if (!out) return tl::make_unexpected(out.error());
      operands_[index] = {*std::move(in), *std::move(out)};
      return succeeded(api.fill(layout_.element, operands_[index].in.get(), layout_.in, input_seed(index, 0),
                                member.stream),
                       "fill");
    });
    if (done) done = open_gates();
    return done ? wait() : done;
  }

  Result<void> verify() override {
    auto done = on_each(session_.api, team_, [&](std::size_t index, const TeamMember& /*member*/) {
      return reset_results(session_.api, results(), operands_[index].out.get());
    });
    if (done) done = wait();
    if (done) done = launch_run();
    if (done) done = wait();
    if (!done) return done;
    return on_each(session_.api, team_,
                   [&](std::size_t index, const TeamMember& /*member*/) { return compare(index); });
  }

  /// In pieces that streams can hold while the gates are closed.
  Result<Seconds> run(std::int64_t times) override {
    constexpr std::int64_t queued = 128;
    Seconds total{};
    for (std::int64_t left = times; left > 0; left -= queued) {
      const auto took = timed(std::min(left, queued));
      if (!took) return took;
      total += *took;
    }
    return total;
  }

 private:
  /// A kernel's first launch on a device loads it, which may wait for others: never behind a gate.
  Result<void> open_gates() {
    *session_.gate = {.open = 1};
    return on_each(session_.api, team_, [&](std::size_t /*index*/, const TeamMember& member) {
      return succeeded(session_.api.gate(session_.gate, member.stream), "gate");
    });
  }

  Operand results() const { return {.element = layout_.element, .values = layout_.out}; }

  Result<void> wait() {
    return on_each(session_.api, team_, [&](std::size_t /*index*/, const TeamMember& /*member*/) {
      return succeeded(session_.api.wait(), "run");
    });
  }

  /// Partial sums are rounded to the element, in any order.
  Result<void> compare(std::size_t device) {
    const InputValues inputs = [&](std::size_t from, std::size_t place) {
      return input_value(layout_.element, input_seed(from, 0), place);
    };
    return compare_results(
        session_.api, results(), operands_[device].out.get(),
        {.of = [&](std::size_t at) { return expected_collective(layout_, device, inputs, at); },
         .tolerance = static_cast<double>(layout_.devices) * rounding(layout_.element)});
  }

  Result<void> launch_run() {
    auto done = succeeded(nccl_, nccl_.begin_group(), "group");
    if (!done) return done;
    done = on_each(session_.api, team_, [&](std::size_t index, const TeamMember& member) {
      return succeeded(nccl_, call(nccl_, layout_, operands_[index], member), "launch");
    });
    const auto ended = succeeded(nccl_, nccl_.end_group(), "launch");
    return done ? ended : done;
  }

  /// By events of device 0. All gates look at the same place, so the devices begin together.
  Result<Seconds> timed(std::int64_t times) {
    const CudaApi& api = session_.api;
    const cudaStream_t first = team_.front().stream;
    *session_.gate = {};
    auto queued = on_each(api, team_, [&](std::size_t /*index*/, const TeamMember& member) {
      return succeeded(api.gate(session_.gate, member.stream), "gate");
    });
    if (queued) queued = succeeded(api.record(session_.begin, first), "event");
    for (std::int64_t i = 0; i < times && queued; ++i) queued = launch_run();
    if (queued) queued = succeeded(api.record(session_.end, first), "event");
    std::atomic_ref(session_.gate->open).store(1);
    const auto waited = wait();
    if (!queued) return tl::make_unexpected(queued.error());
    if (!waited) return tl::make_unexpected(waited.error());
    return time_behind_gate(session_);
  }

  const CudaSession& session_;
  const NcclFunctions& nccl_;
  const Team& team_;
  CollectiveLayout layout_{};
  std::vector<MemberOperands> operands_{};  ///< in the order of the team
};

}  // namespace

Teams::~Teams() {
  for (const auto& [devices, team] : teams_) {
    for (const TeamMember& member : team) {
      if (member.stream != nullptr) (void)api_.destroy_stream(member.stream);
    }
  }
}

Result<const Team*> Teams::of(int devices) {
  if (const auto known = teams_.find(devices); known != teams_.end()) return &known->second;
  std::vector<ncclComm_t> communicators(static_cast<std::size_t>(devices));
  auto done = succeeded(*nccl_, nccl_->create_all(communicators.data(), devices, nullptr), "communicators");
  if (!done) return tl::make_unexpected(done.error());
  Team team;
  for (int device = 0; device < devices; ++device)
    team.push_back({.device = device, .communicator = communicators[static_cast<std::size_t>(device)]});
  done = on_each(api_, team, [&](std::size_t index, const TeamMember& /*member*/) {
    return succeeded(api_.create_stream(&team[index].stream), "stream");
  });
  if (!done) return tl::make_unexpected(done.error());
  return &teams_.emplace(devices, std::move(team)).first->second;
}

Result<std::unique_ptr<Prepared>> prepare_collective(const CudaSession& session, Teams& teams,
                                                     const Probe& probe) {
  const auto team = teams.of(static_cast<int>(probe.collective->devices));
  if (!team) return tl::make_unexpected(team.error());
  auto prepared =
      std::make_unique<PreparedCollective>(session, teams.nccl(), **team, collective_layout(probe));
  if (const auto allocated = prepared->allocate(); !allocated) return tl::make_unexpected(allocated.error());
  return prepared;
}

}  // namespace roofcast
