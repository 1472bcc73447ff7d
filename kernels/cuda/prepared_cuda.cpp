#include "kernels/cuda/prepared_cuda.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "kernels/random.hpp"

namespace roofcast {
namespace {

/// A copy of results on the host, in pieces so that large ones need no second memory.
class ResultReader {
 public:
  ResultReader(const CudaApi& api, const Operand& results, const void* memory)
      : api_(api), results_(results), memory_(static_cast<const std::byte*>(memory)) {}

  /// Calls `see(at, values, index)` for each result: number `at` lies at `index` of `values`.
  template <class See>
  Result<void> for_each(See&& see) {
    constexpr std::size_t piece = 1U << 24U;
    std::vector<std::byte> values(std::min(piece, results_.values) * size_of(results_.element));
    for (std::size_t first = 0; first < results_.values; first += piece) {
      const std::size_t count = std::min(piece, results_.values - first);
      const std::size_t width = size_of(results_.element);
      const auto status = api_.copy(values.data(), memory_ + first * width, count * width);
      if (auto copied = succeeded(status, "copy"); !copied) return copied;
      for (std::size_t i = 0; i < count; ++i) {
        if (auto right = see(first + i, values.data(), i); !right) return right;
      }
    }
    return {};
  }

 private:
  const CudaApi& api_;
  Operand results_{};
  const std::byte* memory_ = nullptr;
};

/// Which results are compared: all of a few; of many the first, the last and some at random. In order. With
/// `terms` terms for each, only so many that the reference takes a second at most.
std::vector<std::size_t> compared_results(std::size_t count, std::int64_t terms) {
  constexpr std::int64_t most_terms = 1 << 24;
  const auto compared = static_cast<std::size_t>(std::clamp<std::int64_t>(most_terms / terms, 4, 128));
  constexpr std::uint64_t seed = 4;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < std::min(count, compared); ++i) {
    places.push_back(count <= compared ? i : i == 0 ? 0 : i == 1 ? count - 1 : random_bits(seed, i) % count);
  }
  std::ranges::sort(places);
  return places;
}

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
    const std::vector<std::size_t> places =
        compared_results(layout_.results.values,
                         kernel_.terms == nullptr ? 1 : std::max<std::int64_t>(1, kernel_.terms(probe_)));
    auto next = places.begin();
    ResultReader reader(session_.api, layout_.results, operands_.sets.front().results);
    return reader.for_each([&](std::size_t at, const std::byte* values, std::size_t index) -> Result<void> {
      if (is_unwritten(layout_.results.element, values, index))
        return fail(fmt::format("wrong: result {} was not written or is no number", at));
      while (next != places.end() && *next == at) {
        ++next;
        if (auto right = compare(at, stored_value(layout_.results.element, values, index)); !right)
          return right;
      }
      return {};
    });
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
  Result<void> compare(std::size_t at, double found) const {
    const InputValues inputs = [&](std::size_t input, std::size_t place) {
      return input_value(layout_.inputs[input].element, input_seed(0, input), place);
    };
    const ExpectedResult expected = kernel_.expected(probe_, session_.device, inputs, at);
    const double allowed = kernel_.tolerance * expected.magnitude +
                           1.01 * rounding(layout_.results.element) * std::abs(expected.value);
    if (std::abs(found - expected.value) <= allowed) return {};
    return fail(fmt::format("wrong: result {} is {} not {}", at, found, expected.value));
  }

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
    if (std::atomic_ref(session_.gate->escaped).load() != 0)
      return fail("the host took longer than a second to queue a batch");
    float milliseconds = 0;
    const auto status = api.elapsed(&milliseconds, session_.begin, session_.end);
    if (auto read = succeeded(status, "event"); !read) return tl::make_unexpected(read.error());
    return Seconds{1e-3 * static_cast<double>(milliseconds)};
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
