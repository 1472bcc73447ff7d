#pragma once
// The result of comparing predictions with tables of measurements.

#include <map>
#include <string>
#include <vector>

#include "engine/validate/score.hpp"

namespace roofcast {

/// What was taken from a table.
struct ComparedTable {
  std::string file{};
  std::int64_t rows = 0;                           ///< compared
  std::map<std::string, std::int64_t> left_out{};  ///< rows that cannot be compared, by reason
  std::string note{};                              ///< why none of it was compared
};

struct Validation {
  std::string measured{};  ///< the folder
  std::string runtime{};   ///< that operators were predicted under
  std::string baseline{};  ///< "roofline", or empty
  std::vector<ComparedTable> tables{};
  Scores scores{};
};

}  // namespace roofcast
