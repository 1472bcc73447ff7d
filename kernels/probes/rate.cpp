// Rates of the units of an SM, whatever its memory does. m: threads, or warps of Tensor Cores, or groups of
// four; n: instructions of each. Only devices that name these operators have them.

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
  std::int64_t m_of_unit = 0;  ///< 0: as many as make 8, 16 and 32 warps
};

// A multiply-add counts 2, in fp16 for two numbers; a Tensor Core's product of 16 x k and k x 8 tiles 2 * 16
// * 8 k, of 64 x k and k x 256 tiles 2 * 64 * 256 k.
constexpr std::array ops = {RateOp{"rate_fma", "fp32", 2, 0, 32, 8192},
                            RateOp{"rate_fma", "fp16", 4, 0, 32, 8192},
                            RateOp{"rate_exp2", "fp32", 1, 0, 32, 4096},
                            RateOp{"rate_shared", "fp32", 4, 16, 32, 512},
                            RateOp{"rate_mma", "fp16", 2.0 * 16 * 8 * 16, 0, 1, 4096},
                            RateOp{"rate_mma", "bf16", 2.0 * 16 * 8 * 16, 0, 1, 4096},
                            RateOp{"rate_mma", "tf32", 2.0 * 16 * 8 * 8, 0, 1, 4096},
                            RateOp{"rate_mma", "int8", 2.0 * 16 * 8 * 32, 0, 1, 4096},
                            RateOp{"rate_mma", "fp8", 2.0 * 16 * 8 * 32, 0, 1, 4096},
                            RateOp{"rate_wgmma", "fp16", 2.0 * 64 * 256 * 16, 0, 0, 4096, 2},
                            RateOp{"rate_wgmma", "bf16", 2.0 * 64 * 256 * 16, 0, 0, 4096, 2},
                            RateOp{"rate_wgmma", "tf32", 2.0 * 64 * 256 * 8, 0, 0, 4096, 2},
                            RateOp{"rate_wgmma", "int8", 2.0 * 64 * 256 * 32, 0, 0, 4096, 2},
                            RateOp{"rate_wgmma", "fp8", 2.0 * 64 * 256 * 32, 0, 0, 4096, 2}};

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
    std::vector<std::int64_t> of_unit = {op.m_of_unit};
    if (op.m_of_unit == 0) {
      of_unit = warps_of_unit;
      for (std::int64_t& m : of_unit) m *= op.warps_in_m;
    }
    for (const std::int64_t each : of_unit) {
      const std::int64_t m = limits.units * each;
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
