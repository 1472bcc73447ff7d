#pragma once
// How long one kernel takes on one device, with each term of the answer.

#include "engine/base/evidence.hpp"
#include "engine/base/kernel_form.hpp"
#include "engine/hardware/priors.hpp"
#include "engine/kernel_time/attention.hpp"
#include "engine/kernel_time/convolution.hpp"
#include "engine/kernel_time/gemm.hpp"
#include "engine/kernel_time/machine.hpp"
#include "engine/kernel_time/stream.hpp"

namespace roofcast {

/// A kernel with known sizes.
struct BoundKernel {
  KernelForm<std::int64_t> form{};
  Arithmetic arithmetic = Arithmetic::vector_fp32;
  double macs = 0;             ///< by the operator's definition
  double recomputed_macs = 0;  ///< on top of them
  double operations = 0;       ///< that are no multiply-adds
  Bytes read{};
  Bytes written{};
  std::array<Reuse<double>, most_reused> reused{};  ///< of `read`; the rest comes from memory
};

/// A device with what is known about it: all that a kernel's time depends on.
struct TimeModel {
  Machine machine{};
  const Priors* priors = nullptr;  ///< outlives this
  Evidence evidence = Evidence::data_sheet;
};

/// Its evidence is the weakest link: priors that have seen this very card are calibrated, those of its
/// architecture interpolated, borrowed ones extrapolated; without any measurement there is only the data
/// sheet.
TimeModel time_model(const Device& device, const Priors& priors);

/// What multiplies matrices in this arithmetic on this machine.
MatrixUnit matrix_unit(Arithmetic arithmetic, const Machine& machine);

/// The terms of one launch on the device. `total` is what the model of the kernel's family makes of them,
/// times the family's residual correction, and never below what the arithmetic at its peak and the bytes at
/// the bandwidth of the L2 cache would take.
struct KernelTime {
  Seconds launch{};
  Seconds compute{};
  Seconds memory{};
  Seconds further{};  ///< reductions after a split, transforms, changes of layout
  Seconds total{};
  double cached = 0;      ///< share of the reads that the L2 cache serves; 0 for attention and gathers
  double correction = 1;  ///< of the residual
  double executed_macs =
      0;  ///< what the kernel multiplies: with recomputation, without what a causal mask skips
  double multiplied_macs = 0;  ///< what the algorithm multiplies: Winograd does with less
  double power = 0;            ///< wanted, as a share of the board's limit; above 1 the clock falls
  Spread spread{};
  Bound bound = Bound::memory;
  Evidence evidence = Evidence::data_sheet;
};

/// The share of its reads that a kernel finds in the L2 cache:
///
///     sum_i b_i / (1 + ((d_i + read + written) / (c L2))^4) / read
///
/// b_i bytes with reuse distance d_i; a smooth edge at the share c of the cache that keeps what was used
/// last.
double cached_share(const BoundKernel& kernel, const Machine& machine, const CacheParameters& cache);

KernelTime kernel_time(const BoundKernel& kernel, const TimeModel& model);

/// The sizes that a residual correction is a function of: those of a matrix product or a convolution.
Features features(const KernelForm<std::int64_t>& form);

/// How much longer arithmetic takes when kernels want `power` of the limit on average:
///
///     slowdown = max(1, power)^x
///
/// Dynamic power grows about with the cube of the clock (voltage follows it), so x is between 1/3 and 1/2.
double slowdown(double power, const PowerParameters& parameters);

/// The time of a kernel that runs over and over by itself, as in a benchmark of one operator.
Seconds sustained(const KernelTime& time, MatrixUnit unit, const TimeModel& model);

}  // namespace roofcast
