#pragma once
// Measured rows of one card as samples for a fit.

#include <string>
#include <vector>

#include "engine/fit/fit_kernels.hpp"
#include "engine/io/data_folder.hpp"

namespace roofcast {

/// Which rows to take.
struct SampleChoice {
  std::string path{};                     ///< a table, or a folder with tables
  std::vector<std::string> kernels{};     ///< operators by name; empty: all
  std::vector<std::string> precisions{};  ///< as tables spell them; empty: all
  std::size_t most = 0;                   ///< to fit, spread over groups; 0: all
  GroupSplit split = GroupSplit::all;     ///< `half`: the other groups only judge
};

struct ChosenSamples {
  std::vector<KernelSample> samples{};  ///< to fit, and with `half` those that judge
  std::size_t fitted = 0;
  std::vector<std::string> sources{};  ///< of those that are fitted, sorted
  std::string hash{};                  ///< of the rows that are fitted: "fnv1a64:0123456789abcdef"
};

/// The rows of `device` that can be predicted. A spelling of a card means what devices.csv in the folder, or
/// beside the table, says, else what the database makes of it. Errors: no table, mistakes in one, no rows.
Result<ChosenSamples> choose_samples(const DataFolder& data, const Device& device,
                                     const SampleChoice& choice);

}  // namespace roofcast
