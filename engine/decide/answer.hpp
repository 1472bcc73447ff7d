#pragma once
// The answer to "how does this model run on this card": one row per configuration, what was assumed, what is
// advised.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/evidence.hpp"
#include "engine/base/precision.hpp"
#include "engine/hardware/price.hpp"
#include "engine/memory/memory_plan.hpp"

namespace roofcast {

/// One configuration and what is predicted for it.
struct AnswerRow {
  std::string hw{};  ///< device slug
  int n_gpus = 1;
  std::string model{};
  Task task = Task::inference;
  std::string phase{};  ///< "step" of training; of inference the model's phase, "forward" if it has none
  std::string precision{};
  std::string runtime{};
  std::string optimizer{};  ///< empty for inference
  std::int64_t batch = 1;
  std::int64_t global_batch = 1;
  std::map<std::string, std::int64_t> symbols{};  ///< the model's free symbols as bound
  MemoryPlan memory{};
  /// Absent when it does not fit, like all that follows from it.
  std::optional<TimeRange> latency{};
  std::optional<double> throughput{};  ///< samples (or tokens) per second at the median latency
  std::string throughput_unit = "samples/s";
  std::optional<double> tokens_per_second{};  ///< for models that say how many tokens a sample has
  std::optional<Bound> bound{};               ///< what takes most of the time
  double bound_share = 0.0;                   ///< and how much of it, in [0, 1]
  double waiting_share = 0.0;                 ///< how much of it kernels wait for their launches
  std::optional<Price> price{};
  std::optional<double> usd_per_million_samples{};
  std::optional<double> usd_per_million_tokens{};
  Evidence evidence = Evidence::data_sheet;
  bool quantized = false;
  bool as_stored = false;  ///< the precision in which the model's file stores its weights
  std::vector<std::string> notes{};
};

/// Whether the row is one of several phases of serving a model, which people measure in tokens.
inline bool is_serving_phase(const AnswerRow& row) {
  return !row.phase.empty() && row.phase != "forward" && row.phase != "step";
}

struct Warning {
  std::string code{};  ///< "W-HOST": stable, for scripts
  std::string text{};
};

/// All rows for one card and one model.
struct AnswerGroup {
  std::string hw{};  ///< device slug
  std::string hw_name{};
  std::string model{};
  std::string phase{};                           ///< the one that decides what is recommended
  std::map<std::string, std::int64_t> listed{};  ///< symbols that tell it from other groups of the answer
  std::vector<AnswerRow> rows{};                 ///< by phase, precision, batch
  std::optional<std::size_t>
      recommended{};                   ///< index into rows: smallest batch within 5% of the best, with room
  std::string verdict{};               ///< one sentence
  std::vector<std::string> skipped{};  ///< configurations that make no sense, and why; they have no row
};

struct Answer {
  std::vector<std::pair<std::string, std::string>>
      inputs{};  ///< as understood, in order: ("hw", "a100"), ...
  std::vector<AnswerGroup> groups{};
  std::vector<std::string> assumptions{};
  std::vector<Warning> warnings{};
};

}  // namespace roofcast
