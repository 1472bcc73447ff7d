#pragma once
// How somebody timed single operators: what such a figure holds besides the kernels.

#include <array>
#include <map>
#include <string>

#include "engine/base/kernel_form.hpp"
#include "engine/base/units.hpp"

namespace roofcast {

struct Harness {
  std::string name{};  ///< of the source of a table, or of the program that ran the operators
  std::string title{};
  std::array<Seconds, kernel_families> overhead{};  ///< of the host, in each timing
  int weight_copies = 1;  ///< so many sets of weights take turns; more than the L2 cache holds are cold
  bool cold = false;      ///< each run finds all of its operands in memory, none in a cache
  std::map<std::string, std::string> sources{};
};

}  // namespace roofcast
