#pragma once
// A device that does not exist: its times follow a rule, and its host's clock moves only when it runs.

#include <functional>
#include <memory>

#include "kernels/method/timing.hpp"
#include "kernels/random.hpp"

namespace roofcast {

struct FakeDevice {
  /// Time of one run; `batch` counts calls from 0.
  std::function<Seconds(std::uint64_t batch)> one_run{};
  std::function<Hertz(std::uint64_t batch)> clock = [](std::uint64_t) { return megahertz(1000); };
  std::uint64_t fails_at = ~std::uint64_t{0};
};

/// `device` as what `time_kernel` takes.
inline TimedKernel timed(const FakeDevice& device) {
  struct State {
    std::uint64_t batches = 0;
    Seconds time{};
  };
  const auto state = std::make_shared<State>();
  return {.run = [device, state](std::int64_t times) -> Result<Seconds> {
            if (state->batches == device.fails_at) return fail("the device fell off the bus");
            const Seconds took = device.one_run(state->batches++) * static_cast<double>(times);
            state->time += took;
            return took;
          },
          .now = [state] { return state->time; },
          .clock = [device, state]() -> std::optional<Hertz> {
            return device.clock(state->batches == 0 ? 0 : state->batches - 1);
          }};
}

/// Mean (1 + deviation z), z normal by `seed` and `batch`.
inline Seconds noisy(Seconds mean, double deviation, std::uint64_t seed, std::uint64_t batch) {
  return mean * (1 + deviation * random_normal(seed, batch));
}

}  // namespace roofcast
