#pragma once
// The tables of priors in a file, whatever else it holds.

#include <string>

#include "engine/io/file_rules.hpp"
#include "engine/io/load_priors.hpp"

namespace roofcast {

struct ReadPriors {
  Priors priors{};
  std::string extends{};  ///< the file that it starts from; empty: none
};

/// Reads the tables that `load_priors` knows and leaves the others. Mistakes are noted in `problems`, those
/// of `reader`; an error is only that `find` found nothing.
Result<ReadPriors> read_priors(TableReader& reader, const std::string& file, const FindPriors& find,
                               const Diagnostics& problems);

}  // namespace roofcast
