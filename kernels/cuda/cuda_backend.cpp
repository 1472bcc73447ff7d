#include "kernels/cuda/cuda_backend.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/cuda/device_memory.hpp"
#include "kernels/cuda/prepared_cuda.hpp"
#ifdef ROOFCAST_HAS_NCCL
#include "kernels/cuda/prepared_collective.hpp"
#endif

namespace roofcast {
namespace {

class CudaBackend : public Backend {
 public:
  CudaBackend(CudaApi api, DeviceFacts facts, CudaDevice device, std::optional<Nvml> nvml)
      : facts_(std::move(facts)), supported_(supported_ops(device)), nvml_(std::move(nvml)) {
    session_.api = std::move(api);
    session_.device = std::move(device);
  }
  ~CudaBackend() override {
    const CudaApi& api = session_.api;
    if (session_.begin != nullptr) (void)api.destroy_event(session_.begin);
    if (session_.end != nullptr) (void)api.destroy_event(session_.end);
    if (session_.gate != nullptr) (void)api.release_on_host(session_.gate);
    if (session_.clocks != nullptr) (void)api.release_on_host(session_.clocks);
    if (session_.stream != nullptr) (void)api.destroy_stream(session_.stream);
  }
  CudaBackend(const CudaBackend&) = delete;
  CudaBackend& operator=(const CudaBackend&) = delete;

  Result<void> start() {
    const CudaApi& api = session_.api;
    auto done = succeeded(api.create_stream(&session_.stream), "stream");
    if (done) done = succeeded(api.create_event(&session_.begin), "event");
    if (done) done = succeeded(api.create_event(&session_.end), "event");
    void* memory = nullptr;
    if (done) done = succeeded(api.allocate_on_host(&memory, sizeof(GateState)), "memory of the host");
    if (!done) return done;
    session_.gate = new (memory) GateState;
    done = succeeded(api.allocate_on_host(&memory, sizeof(ClockReading)), "memory of the host");
    if (!done) return done;
    session_.clocks = new (memory) ClockReading;
    session_.sweep_bytes = static_cast<std::uint64_t>(2 * facts_.last_level_cache.value) / 256 * 256;
    constexpr std::size_t for_never = 256;
    auto swept = DeviceMemory::allocate(api, session_.sweep_bytes + for_never);
    if (!swept) return tl::make_unexpected(swept.error());
    sweep_memory_ = *std::move(swept);
    done = succeeded(api.set_bytes(sweep_memory_.get(), 0, session_.sweep_bytes + for_never), "set");
    if (!done) return done;
    session_.sweep_memory = sweep_memory_.get();
    session_.sweep_never =
        reinterpret_cast<std::uint32_t*>(static_cast<std::byte*>(sweep_memory_.get()) + session_.sweep_bytes);
    // A kernel's first launch loads it, which may wait for the device: never behind a gate.
    done = succeeded(
        api.sweep(session_.sweep_memory, session_.sweep_bytes, session_.sweep_never, session_.stream),
        "sweep");
    if (!done) return done;
    // The first readings wake the device up.
    for (int i = 0; i < 20; ++i) facts_.clock = std::max(facts_.clock, clock_now().value_or(Hertz{}));
    return {};
  }

  const DeviceFacts& device() const override { return facts_; }

  // A set may take a sixth of the memory and, so that a list ends, 2 GiB; a run a tenth of a second at 128
  // multiply-adds per clock and SM, what most have in fp32.
  ProbeLimits limits() const override {
    constexpr double operations_per_clock = 256;
    return {.memory = std::min(facts_.usable / 6.0, gibibytes(2)),
            .operations = Flops{0.1 * operations_per_clock * facts_.units * facts_.clock.value},
            .units = facts_.units,
            .devices = session_.device.devices,
            .cache = facts_.last_level_cache,
            .supported = supported_};
  }

  Bytes footprint(const Probe& probe) const override {
    if (probe.collective) return probe.read + probe.written;
    const CudaKernel* kernel = find_cuda_kernel(probe.op, probe.precision, session_.device);
    if (kernel == nullptr) return {};
    const OperandLayout layout = operand_layout(*kernel, probe, session_.device, facts_.last_level_cache);
    return Bytes{static_cast<double>(layout.sets * layout.set_bytes)};
  }

  Result<std::unique_ptr<Prepared>> prepare(const Probe& probe) override {
    if (probe.collective) return prepare_team(probe);
    const CudaKernel* kernel = find_cuda_kernel(probe.op, probe.precision, session_.device);
    if (kernel == nullptr)
      return fail(fmt::format("the device has no kernel '{} {}'", probe.op, probe.precision));
    return prepare_cuda(session_, *kernel, probe,
                        operand_layout(*kernel, probe, session_.device, facts_.last_level_cache));
  }

  /// Cycles over nanoseconds of one SM, which both count for two milliseconds.
  std::optional<Hertz> clock_now() override {
    *session_.clocks = {};
    if (session_.api.read_clocks(session_.clocks, session_.stream) != cudaSuccess) return std::nullopt;
    if (session_.api.wait() != cudaSuccess) return std::nullopt;
    const ClockReading read = *session_.clocks;
    if (read.end_nanoseconds <= read.begin_nanoseconds) return std::nullopt;
    return Hertz{1e9 * static_cast<double>(read.end_cycles - read.begin_cycles) /
                 static_cast<double>(read.end_nanoseconds - read.begin_nanoseconds)};
  }

  DeviceCondition condition_now() override { return nvml_ ? nvml_->condition() : DeviceCondition{}; }

  bool is_lost() override {
    (void)session_.api.take_error();
    return session_.api.wait() != cudaSuccess;
  }

 private:
  Result<std::unique_ptr<Prepared>> prepare_team(const Probe& probe) {
#ifdef ROOFCAST_HAS_NCCL
    if (session_.device.collectives != nullptr) {
      if (teams_ == nullptr) teams_ = std::make_unique<Teams>(session_.api, session_.device.collectives);
      return prepare_collective(session_, *teams_, probe);
    }
#endif
    return fail(fmt::format("there is no NCCL for '{} {}'", probe.op, probe.precision));
  }

  DeviceFacts facts_{};
  std::vector<SupportedOp> supported_{};
  std::optional<Nvml> nvml_{};
  CudaSession session_{};
  DeviceMemory sweep_memory_{};
#ifdef ROOFCAST_HAS_NCCL
  std::unique_ptr<Teams> teams_{};  ///< of several devices, when they are first asked for
#endif
};

}  // namespace

Result<std::unique_ptr<Backend>> make_cuda_backend(CudaApi api, DeviceFacts facts, CudaDevice device,
                                                   std::optional<Nvml> nvml) {
  auto backend = std::make_unique<CudaBackend>(std::move(api), std::move(facts), device, std::move(nvml));
  if (const auto started = backend->start(); !started) return tl::make_unexpected(started.error());
  return backend;
}

}  // namespace roofcast
