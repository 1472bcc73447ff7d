#include "engine/memory/plan_memory.hpp"

#include <doctest/doctest.h>

#include "tests/toy_platform.hpp"

namespace roofcast {
namespace {

using Kind = MemoryEvent::Kind;
using Account = MemoryEvent::Account;

/// Events with their sizes in place, so that slots are simply numbered.
class Events {
 public:
  Events& take(std::int64_t bytes) { return add(Kind::allocate, Account::activation, bytes); }
  Events& give(std::int64_t bytes) { return add(Kind::release, Account::activation, bytes); }
  Events& take_gradient(std::int64_t bytes) { return add(Kind::allocate, Account::gradient, bytes); }
  Events& workspace(std::int64_t bytes) { return add(Kind::workspace, Account::activation, bytes); }
  Events& begin(std::int64_t repeats) { return add(Kind::region_begin, Account::activation, repeats); }
  Events& end() { return add(Kind::region_end, Account::activation, 0); }
  MemoryPeak peak() const { return memory_peak(events_, sizes_); }

 private:
  Events& add(Kind kind, Account account, std::int64_t size) {
    events_.push_back({kind, account, static_cast<Slot>(sizes_.size())});
    sizes_.push_back(size);
    return *this;
  }
  std::vector<MemoryEvent> events_{};
  std::vector<std::int64_t> sizes_{};
};

TEST_CASE("memory_peak: the highest moment, not the sum and not the end") {
  CHECK(Events{}.peak().total() == 0);
  CHECK(Events{}.take(10).take(20).give(10).take(5).give(20).peak().activations == 10 + 20);
}

TEST_CASE("memory_peak: a workspace counts only while its kernel runs") {
  const MemoryPeak peak = Events{}.take(10).workspace(100).take(20).workspace(5).peak();

  CHECK(peak.activations == 10);
  CHECK(peak.workspace == 100);
}

TEST_CASE("memory_peak: gradients of parameters are kept apart") {
  const MemoryPeak peak = Events{}.take(10).take_gradient(7).take(1).peak();

  CHECK(peak.activations == 10 + 1);
  CHECK(peak.gradients == 7);
  CHECK(peak.total() == 10 + 1 + 7);
}

TEST_CASE("memory_peak: a block that leaves nothing peaks like one repetition") {
  CHECK(Events{}.take(10).begin(5).take(30).give(30).end().take(1).peak().activations == 10 + 30);
}

TEST_CASE("memory_peak: a block that keeps something peaks in its last repetition") {
  CHECK(Events{}.take(10).begin(5).take(30).take(4).give(30).end().peak().activations == 10 + 4 * 4 + 30 + 4);
}

TEST_CASE("memory_peak: a block that gives back more than it takes peaks in its first repetition") {
  CHECK(Events{}.take(100).begin(5).take(7).give(27).end().take(1).peak().activations == 100 + 7);
}

TEST_CASE("memory_peak: what a block leaves is there afterwards, once a repetition") {
  CHECK(Events{}.begin(5).take(4).end().take(100).peak().activations == 5 * 4 + 100);
  CHECK(Events{}.take(100).begin(5).give(20).end().take(90).peak().activations == 100);
}

TEST_CASE("memory_peak: one repetition is none at all") {
  const auto with = Events{}.take(10).begin(1).take(30).workspace(9).take(4).give(30).end().take(3).peak();
  const auto without = Events{}.take(10).take(30).workspace(9).take(4).give(30).take(3).peak();

  CHECK(with.activations == without.activations);
  CHECK(with.workspace == without.workspace);
}

// Written out, three outer repetitions of two inner ones.
TEST_CASE("memory_peak: nested blocks agree with their events written out") {
  Events written_out;
  written_out.take(3);
  for (int outer = 0; outer < 3; ++outer) {
    written_out.take(11);
    for (int inner = 0; inner < 2; ++inner) written_out.take(5).workspace(13).take_gradient(2).give(4);
    written_out.give(9);
  }
  written_out.take(1);

  const MemoryPeak nested = Events{}
                                .take(3)
                                .begin(3)
                                .take(11)
                                .begin(2)
                                .take(5)
                                .workspace(13)
                                .take_gradient(2)
                                .give(4)
                                .end()
                                .give(9)
                                .end()
                                .take(1)
                                .peak();

  CHECK(nested.total() == written_out.peak().total());
  CHECK(nested.gradients == written_out.peak().gradients);
}

// Nothing but weights of `mebibytes` MiB.
MemoryPlan plan(double weight_mebibytes, const Runtime& runtime, const Priors& priors) {
  const CompiledProgram compiled{.weight_bytes = 0, .input_bytes = 1, .optimizer_bytes = 1};
  const std::vector<std::int64_t> slots{static_cast<std::int64_t>(weight_mebibytes * 1024 * 1024), 0};
  return plan_memory(compiled, slots, toy_device(), runtime, priors);
}

TEST_CASE("plan_memory: fits up to the last byte, then does not") {
  const Runtime runtime{};
  const Priors sure{.memory_spread = 0.0};
  const double all = 8 * 1024;
  const double byte = 1.0 / (1024 * 1024);

  CHECK(plan(all, runtime, sure).fits == Fit::yes);
  CHECK(plan(all + byte, runtime, sure).fits == Fit::no);
}

TEST_CASE("plan_memory: marginal where only the reserve does not fit") {
  const Runtime runtime{.context = mebibytes(92)};
  const Priors priors{.memory_spread = 0.25};
  // 8192 MiB = 92 + 1.25 * 6480
  CHECK(plan(6480, runtime, priors).fits == Fit::yes);
  CHECK(plan(6481, runtime, priors).fits == Fit::marginal);
  CHECK(plan(8100, runtime, priors).fits == Fit::marginal);
  CHECK(plan(8101, runtime, priors).fits == Fit::no);
}

TEST_CASE("plan_memory: the allocator holds whole segments, the driver its context on top") {
  const MemoryPlan three = plan(3, {.context = mebibytes(100)}, toy_priors());

  CHECK(as_mebibytes(three.needed) == 3 + 100);
  CHECK(as_mebibytes(three.reserved) == 4);
  CHECK(as_mebibytes(three.device) == 4 + 100);
  CHECK(as_mebibytes(plan(4, {}, toy_priors()).reserved) == 4);
}

TEST_CASE("plan_memory: categories sum to what is needed") {
  const MemoryPlan sum = plan(3, {.context = mebibytes(100)}, toy_priors());
  Bytes total{};
  for (const Bytes part : sum.by_category) total += part;

  CHECK(total == sum.needed);
  CHECK(sum[MemoryCategory::weights] == mebibytes(3));
  CHECK(sum[MemoryCategory::framework] == mebibytes(100));
}

TEST_CASE("to_string: categories as reports spell them") {
  CHECK(to_string(MemoryCategory::optimizer_state) == "optimizer_state");
  CHECK(to_string(Fit::marginal) == "marginal");
}

}  // namespace
}  // namespace roofcast
