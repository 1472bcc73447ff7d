#include "kernels/cuda/prepared_cuda.hpp"

#include <algorithm>
#include <atomic>

#include "kernels/cuda/compare_results.hpp"

namespace roofcast {
namespace {

class PreparedCuda : public Prepared {
 public:
  PreparedCuda(const CudaSession& session, const CudaKernel& kernel, Probe probe, OperandLayout layout,
               DeviceOperands operands, Launch launch)
      : session_(session),
        kernel_(kernel),
        probe_(std::move(probe)),
        layout_(std::move(layout)),
        operands_(std::move(operands)),
        launch_(std::move(launch)) {}
  ~PreparedCuda() override { forget_graph(); }
  PreparedCuda(const PreparedCuda&) = delete;
  PreparedCuda& operator=(const PreparedCuda&) = delete;

  std::string algorithm() const override { return launch_.algorithm; }

  Result<void> verify() override {
    if (auto done = reset_results(session_.api, layout_.results, operands_.sets.front().results); !done)
      return done;
    if (auto done = succeeded(session_.api.wait(), "set"); !done) return done;
    if (auto done = launch_run(0); !done) return done;
    if (auto done = succeeded(session_.api.wait(), "run"); !done) return done;
    const InputValues inputs = [&](std::size_t input, std::size_t place) {
      return input_value(layout_.inputs[input].element, input_seed(0, input), place);
    };
    return compare_results(
        session_.api, layout_.results, operands_.sets.front().results,
        {.of = [&](std::size_t at) { return kernel_.expected(probe_, session_.device, inputs, at); },
         .tolerance = kernel_.tolerance,
         .terms = kernel_.terms == nullptr ? 1 : kernel_.terms(probe_)});
  }

  Result<Seconds> run(std::int64_t times) override {
    if (kernel_.queueing == Queueing::host) return run_from_host(times);
    if (kernel_.queueing == Queueing::stream) return run_in_stream(times);
    const BatchPlan plan = batch_plan(times, layout_);
    if (!plan.in_graphs) return timed([&] { return launch_runs(times); });
    if (auto made = make_graph(plan.runs_in_graph); !made) return tl::make_unexpected(made.error());
    Seconds total{};
    const std::int64_t together = layout_.sweeps ? 1 : plan.graphs;
    for (std::int64_t done = 0; done < plan.graphs; done += together) {
      const auto took = timed([&]() -> Result<void> {
        for (std::int64_t i = 0; i < together; ++i) {
          const auto status = session_.api.launch_graph(graph_, session_.stream);
          if (auto launched = succeeded(status, "graph"); !launched) return launched;
        }
        return {};
      });
      if (!took) return took;
      total += *took;
    }
    return total * (static_cast<double>(times) / static_cast<double>(plan.runs_in_graph * plan.graphs));
  }

 private:
  Result<void> launch_run(std::size_t set) {
    return succeeded(launch_.run(operands_.sets[set], session_.stream), "launch");
  }

  Result<void> launch_runs(std::int64_t times) {
    for (std::int64_t i = 0; i < times; ++i) {
      if (auto launched = launch_run(next_); !launched) return launched;
      next_ = next_ + 1 == operands_.sets.size() ? 0 : next_ + 1;
    }
    return {};
  }

  /// In pieces that a stream can hold while the gate is closed.
  Result<Seconds> run_in_stream(std::int64_t times) {
    constexpr std::int64_t queued = 512;
    Seconds total{};
    for (std::int64_t left = times; left > 0; left -= queued) {
      const auto took = timed([&] { return launch_runs(std::min(left, queued)); });
      if (!took) return took;
      total += *took;
    }
    return total;
  }

  Result<Seconds> run_from_host(std::int64_t times) {
    const Seconds begin = session_.api.now();
    for (std::int64_t i = 0; i < times; ++i) {
      if (auto launched = launch_runs(1); !launched) return tl::make_unexpected(launched.error());
      if (auto waited = succeeded(session_.api.wait(), "run"); !waited)
        return tl::make_unexpected(waited.error());
    }
    return session_.api.now() - begin;
  }

  /// What `queue` queues, by events around it. The gate is opened whatever happens, for the device waits
  /// there.
  template <class Queue>
  Result<Seconds> timed(Queue&& queue) {
    const CudaApi& api = session_.api;
    *session_.gate = {};
    auto queued = succeeded(api.gate(session_.gate, session_.stream), "gate");
    if (queued && layout_.sweeps) {
      queued = succeeded(
          api.sweep(session_.sweep_memory, session_.sweep_bytes, session_.sweep_never, session_.stream),
          "sweep");
    }
    if (queued) queued = succeeded(api.record(session_.begin, session_.stream), "event");
    if (queued) queued = queue();
    if (queued) queued = succeeded(api.record(session_.end, session_.stream), "event");
    std::atomic_ref(session_.gate->open).store(1);
    const auto waited = succeeded(api.wait(), "run");
    if (!queued) return tl::make_unexpected(queued.error());
    if (!waited) return tl::make_unexpected(waited.error());
    return time_behind_gate(session_);
  }

  /// Rounds over all sets, kept for the next batch.
  Result<void> make_graph(std::int64_t runs) {
    if (graph_ != nullptr && runs == runs_in_graph_) return {};
    forget_graph();
    const CudaApi& api = session_.api;
    if (auto begun = succeeded(api.begin_capture(session_.stream), "capture"); !begun) return begun;
    next_ = 0;
    auto captured = launch_runs(runs);
    const auto ended = succeeded(api.end_capture(session_.stream, &graph_), "capture");
    if (captured && !ended) captured = ended;
    if (captured) {
      runs_in_graph_ = runs;
    } else {
      (void)api.take_error();
    }
    return captured;
  }

  void forget_graph() {
    if (graph_ != nullptr) (void)session_.api.destroy_graph(graph_);
    graph_ = nullptr;
  }

  const CudaSession& session_;
  const CudaKernel& kernel_;
  Probe probe_{};
  OperandLayout layout_{};
  DeviceOperands operands_{};
  Launch launch_{};
  std::size_t next_ = 0;  // set of the next run
  cudaGraphExec_t graph_ = nullptr;
  std::int64_t runs_in_graph_ = 0;
};

}  // namespace

Result<Seconds> time_behind_gate(const CudaSession& session) {
  if (std::atomic_ref(session.gate->escaped).load() != 0)
    return fail("the host took longer than a second to queue a batch");
  float milliseconds = 0;
  const auto status = session.api.elapsed(&milliseconds, session.begin, session.end);
  if (auto read = succeeded(status, "event"); !read) return tl::make_unexpected(read.error());
  return Seconds{1e-3 * static_cast<double>(milliseconds)};
}

BatchPlan batch_plan(std::int64_t times, const OperandLayout& layout) {
  constexpr std::int64_t least_in_graphs = 16;
  constexpr std::int64_t most_in_graph = 512;
  const auto sets = static_cast<std::int64_t>(layout.sets);
  if (times < least_in_graphs && !layout.sweeps) return {};
  const std::int64_t wanted = std::clamp(times, least_in_graphs, most_in_graph);
  const std::int64_t rounds = std::max<std::int64_t>(1, wanted / sets);
  const std::int64_t runs = rounds * sets;
  return {.in_graphs = true, .runs_in_graph = runs, .graphs = (times + runs - 1) / runs};
}

Result<std::unique_ptr<Prepared>> prepare_cuda(const CudaSession& session, const CudaKernel& kernel,
                                               const Probe& probe, const OperandLayout& layout) {
  auto operands = make_operands(session.api, layout, session.stream);
  if (!operands) return tl::make_unexpected(operands.error());
  auto launch = kernel.prepare(probe, session.device);
  if (!launch) return tl::make_unexpected(launch.error());
  return std::make_unique<PreparedCuda>(session, kernel, probe, layout, *std::move(operands),
                                        *std::move(launch));
}

}  // namespace roofcast
