#pragma once
// What each arithmetic is called in device files and in reports for programs.

#include <span>
#include <string_view>

#include "engine/base/precision.hpp"

namespace roofcast {

struct ArithmeticKey {
  Arithmetic arithmetic = Arithmetic::vector_fp64;
  bool tensor = false;        ///< in the table `tensor`, not `vector`, of `compute.flops_per_clock_per_sm`
  std::string_view rate{};    ///< key there
  std::string_view quoted{};  ///< key in `quoted`
};

/// One entry for each arithmetic, in their order.
std::span<const ArithmeticKey> arithmetic_keys();

}  // namespace roofcast
