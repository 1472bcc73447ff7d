#pragma once
// The times of rows of networks. Each model is opened once, each program compiled once.

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/fit/fit_networks.hpp"
#include "engine/graph/graph.hpp"
#include "engine/hardware/device.hpp"
#include "engine/hardware/harness.hpp"
#include "engine/hardware/priors.hpp"
#include "engine/hardware/runtime.hpp"
#include "engine/validate/measured_row.hpp"
#include "engine/validate/outcome.hpp"

namespace roofcast {

/// A network of a table as a graph, with the values that its symbols have there.
struct MeasuredModel {
  Graph graph{};
  Bindings symbols{};
};

/// Opens the network that rows name by key and image size (0: its own). Called from several threads.
using OpenMeasuredModel =
    std::function<Result<MeasuredModel>(const std::string& key, std::int64_t image_size)>;

/// What rows may have run on.
struct MeasuredPlatforms {
  std::map<std::string, Device, std::less<>> devices{};     ///< by slug
  std::map<std::string, Runtime, std::less<>> runtimes{};   ///< by name
  std::map<std::string, Priors, std::less<>> priors{};      ///< by slug
  std::map<std::string, Harness, std::less<>> harnesses{};  ///< by name
};

/// Called with how many rows are done, from several threads.
using RowsDone = std::function<void(std::size_t)>;

/// Writes the outcomes of `which` (indices of rows of networks) to their places. `outcomes` is as long as
/// `rows`. On several threads; the result does not depend on how many.
void predict_networks(std::span<const MeasuredRow> rows, std::span<const std::size_t> which,
                      const MeasuredPlatforms& platforms, const OpenMeasuredModel& open, bool baseline,
                      const RowsDone& done, std::span<Outcome> outcomes);

/// For each row what it consists of, if it is of a network that can be predicted. On several threads too.
std::vector<std::optional<NetworkSample>> network_samples(std::span<const MeasuredRow> rows,
                                                          const MeasuredPlatforms& platforms,
                                                          const OpenMeasuredModel& open);

}  // namespace roofcast
