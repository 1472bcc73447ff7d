#pragma once
// What differs between frameworks, as data: mechanisms by name and costs with their source.

#include <array>
#include <map>
#include <string>

#include "engine/base/kernel_form.hpp"
#include "engine/base/units.hpp"

namespace roofcast {

/// A framework and the way it runs a model. What `fused_attention` switches is `expand_attention` in
/// `engine/graph`.
struct Runtime {
  std::string name{};  ///< file name: "pytorch-eager"
  std::string title{};
  bool fused_attention = true;  ///< one kernel that never writes the scores; false: matmul, softmax, matmul
  Seconds launch{};             ///< cost of one kernel launch that nothing hides
  Bytes context{};  ///< device memory taken before the first tensor: driver context, library handles
  std::map<std::string, std::string> sources{};
};

/// The share of a peak that a kernel family reaches when nothing better is known.
struct Efficiency {
  double compute = 1.0;  ///< of the arithmetic's peak, in (0, 1]
  double memory = 1.0;   ///< of the memory bandwidth, in (0, 1]
};

/// Efficiencies of all families, and how far off they may be: 80% of times are expected within
/// [p50 / spread, p50 * spread].
struct Priors {
  std::array<Efficiency, kernel_families> efficiency{};
  double spread = 2.0;
  double memory_spread = 0.1;  ///< the part of the needed memory that may come on top
  std::map<std::string, std::string> sources{};
};

}  // namespace roofcast
