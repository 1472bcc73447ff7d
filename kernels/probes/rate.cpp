// Rates of the units of an SM, whatever its memory does. m: threads, or warps of Tensor Cores; n:
// instructions of each. Only devices that name these operators have them.

#include <array>

#include "kernels/probes/families.hpp"

namespace roofcast {
namespace {

// operations and bytes: of one instruction of a thread or warp.
struct RateOp {
  const char* name = "";
  const char* precision = "";
  double operations = 0;
  double bytes = 0;             ///< of shared memory
  std::int64_t warps_in_m = 0;  ///< how many m's make a warp
  std::int64_t instructions = 0;
};

// A multiply-add counts 2, in fp16 for two numbers; a Tensor Core's product of 16 x k and k x 8 tiles 2 * 16
// * 8 k.
constexpr std::array ops = {RateOp{"rate_fma", "fp32", 2, 0, 32, 8192},
                            RateOp{"rate_fma", "fp16", 4, 0, 32, 8192},
                            RateOp{"rate_exp2", "fp32", 1, 0, 32, 4096},
                            RateOp{"rate_shared", "fp32", 4, 16, 32, 512},
                            RateOp{"rate_mma", "fp16", 2.0 * 16 * 8 * 16, 0, 1, 4096},
                            RateOp{"rate_mma", "bf16", 2.0 * 16 * 8 * 16, 0, 1, 4096},
                            RateOp{"rate_mma", "tf32", 2.0 * 16 * 8 * 8, 0, 1, 4096},
                            RateOp{"rate_mma", "int8", 2.0 * 16 * 8 * 32, 0, 1, 4096},
                            RateOp{"rate_mma", "fp8", 2.0 * 16 * 8 * 32, 0, 1, 4096}};

bool has(const ProbeLimits& limits, const RateOp& op) {
  for (const SupportedOp& each : limits.supported) {
    if (each.op == op.name && each.precision == op.precision) return true;
  }
  return false;
}

}  // namespace

std::vector<Probe> rate_probes(Extent extent, const ProbeLimits& limits) {
  const std::vector<std::int64_t> warps_of_unit =
      extent == Extent::quick ? std::vector<std::int64_t>{16} : std::vector<std::int64_t>{8, 16, 32};
  std::vector<Probe> probes;
  for (const RateOp& op : ops) {
    if (!has(limits, op)) continue;
    for (const std::int64_t warps : warps_of_unit) {
      const std::int64_t m = limits.units * warps * op.warps_in_m;
      const double count = static_cast<double>(m) * static_cast<double>(op.instructions);
      probes.push_back({.op = op.name,
                        .precision = op.precision,
                        .m = m,
                        .n = op.instructions,
                        .residency = Residency::warm,
                        .group = op.name,
                        .operations = Flops{op.operations * count},
                        .read = Bytes{op.bytes * count}});
    }
  }
  return probes;
}

}  // namespace roofcast
