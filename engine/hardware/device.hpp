#pragma once
// A GPU as its data sheet describes it. Facts only: no formulas beyond rate = cores x clock.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/precision.hpp"
#include "engine/base/units.hpp"

namespace roofcast {

struct Device {
  std::string slug{};  ///< file name, the key in all output: "a100-sxm4-80gb"
  std::string file{};  ///< of a card outside of the database; its profile lies beside it
  std::string name{};
  std::string vendor{};
  std::vector<std::string> aliases{};
  std::map<std::string, std::string> assumed_aliases{};  ///< ambiguous name -> what was assumed

  std::string architecture{};
  std::string compute_capability{};
  int sm_count = 0;
  Hertz base_clock{};
  Hertz boost_clock{};    ///< the clock that vector rates assume
  Hertz tensor_clock{};   ///< the clock that quoted Tensor Core rates assume
  Hertz running_clock{};  ///< what the card really runs at when power allows; 0: the boost clock
  /// Dense operations per clock and SM, a multiply-add counting 2; empty where the card has no such path.
  std::array<std::optional<double>, arithmetics> operations_per_clock_per_sm{};

  Bytes capacity{};  ///< what nvidia-smi shows
  Bytes usable{};    ///< what an application can allocate
  BytesPerSecond bandwidth{};
  Bytes l2{};
  std::string memory_type{};
  int memory_bus_bits = 0;

  Bytes shared_memory_per_sm{};
  Bytes l1_and_shared_per_sm{};
  Bytes registers_per_sm{};
  int threads_per_sm = 0;

  std::optional<BytesPerSecond> nvlink{};  ///< one direction, all links
  int nvlink_generation = 0;
  int pcie_generation = 0;
  int pcie_lanes = 0;

  Watts board_power{};
  int launch_year = 0;
  std::optional<Usd> launch_price{};

  std::map<std::string, double>
      quoted_tera{};  ///< quoted dense peaks in 1e12 operations/s, keyed as in the file
  std::vector<std::string>
      unchecked_quotes{};  ///< quoted figures that are known to contradict the derived rate
  std::map<std::string, std::string> sources{};

  /// operations per clock and SM x SMs x clock; empty where the card has no such path. Vector rates run at
  /// the boost clock, tensor rates at the clock that their data sheet assumes.
  std::optional<FlopsPerSecond> peak(Arithmetic arithmetic) const;

  /// The rate that matrix products in this arithmetic run at: Tensor Cores where the card has them, else the
  /// vector units that libraries fall back to. Empty if the card cannot run it.
  std::optional<FlopsPerSecond> matrix_peak(Arithmetic arithmetic) const;

  bool supports(const PrecisionPolicy& policy) const;
};

}  // namespace roofcast
