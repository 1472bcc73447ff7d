#pragma once
// What is believed about cards of an architecture before one of them has been measured, and what that rests
// on.

#include <map>
#include <string>
#include <vector>

#include "engine/hardware/kernel_parameters.hpp"

namespace roofcast {

/// How the rows that a fit was made from were chosen among those of their source.
enum class GroupSplit : std::uint8_t {
  half,  ///< the groups of `in_fitted_half`
  all
};

/// Rows of measured tables that a fit was made from.
struct FittedOn {
  std::string device{};  ///< slug; empty: all devices
  std::string source{};
  std::string kernel{};  ///< the operator's name, or "network"; empty: all
  GroupSplit split = GroupSplit::half;
  int rows = 0;
};

struct Priors {
  std::string name{};   ///< file name: the compute capability, "8.0"
  std::string title{};  ///< "Ampere for data centres"
  KernelParameters kernels{};
  double widened = 1;          ///< factor on the logarithms of all spreads, for architectures that borrow
  double memory_spread = 0.1;  ///< the part of the needed memory that may come on top
  std::vector<FittedOn> fitted_on{};
  std::map<std::string, std::string> sources{};
};

}  // namespace roofcast
