#pragma once
// What a user asks of one model on one card.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/expression.hpp"
#include "engine/base/optimizer.hpp"
#include "engine/base/precision.hpp"
#include "engine/hardware/device.hpp"
#include "engine/hardware/price.hpp"
#include "engine/hardware/priors.hpp"
#include "engine/hardware/runtime.hpp"

namespace roofcast {

/// The card and everything around it that a prediction needs.
struct Platform {
  Device device{};
  Runtime runtime{};
  Priors priors{};
  std::optional<Price> price{};
};

/// What one answer may have: its rows and their report are held in memory, 5 to 8 kB each.
inline constexpr std::int64_t most_configurations = 1'000'000;

/// How a step's inputs get to the card.
struct InputSupply {
  bool copied = false;                         ///< from pinned memory of the host, before each step
  std::optional<double> samples_per_second{};  ///< what the pipeline delivers at most
};

struct Request {
  Task task = Task::inference;
  Optimizer optimizer = Optimizer::adamw;
  std::vector<std::string> precisions{};  ///< preset names; empty: all that the card supports for the task
  std::vector<std::int64_t> batches{};    ///< empty: powers of two up to the largest that fits, and that one
  std::vector<std::string> phases{};      ///< of inference; empty: all that the model has
  Bindings symbols{};                     ///< `--set`
  std::vector<std::string> listed{};      ///< those of the symbols that have other values in other requests
  bool channels_last = false;             ///< images are stored [batch, height, width, channels]
  InputSupply input{};
};

}  // namespace roofcast
