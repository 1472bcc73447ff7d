#pragma once
// How long one kernel takes on one device, with each term of the answer.

#include "engine/base/evidence.hpp"
#include "engine/base/kernel_form.hpp"
#include "engine/hardware/device.hpp"
#include "engine/hardware/runtime.hpp"

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
};

/// The rates that a device offers, looked up once for all kernels.
struct DeviceRates {
  std::array<FlopsPerSecond, arithmetics> matrix{};  ///< 0 where the card has no such path
  FlopsPerSecond vector{};                           ///< fp32 on CUDA cores
  BytesPerSecond bandwidth{};
};

DeviceRates rates_of(const Device& device);

/// The terms of one launch. `total` = launch + max(compute, memory).
struct KernelTime {
  Seconds launch{};
  Seconds compute{};
  Seconds memory{};
  Seconds total{};
  double executed_macs =
      0;  ///< what the kernel multiplies: with recomputation, without what a causal mask skips
  Bound bound = Bound::memory;
  Evidence evidence = Evidence::data_sheet;
};

/// Roofline with a launch cost:
///
///     t = t_launch + max(2 M / (e_c P) + O / (e_c V), B / (e_m W))
///
/// M: multiply-adds executed, P: dense peak of the kernel's arithmetic, O: other operations, V: fp32 peak of
/// the vector units, B: bytes read and written, W: memory bandwidth, e_c and e_m: the family's efficiencies
/// in (0, 1]. O counts only for kernels that do not multiply matrices; in the others it hides behind them.
/// Source: Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009; the launch cost is additive because
/// nothing hides it in a stream of short kernels, which overstates it where kernels are long. Needs: the
/// device has a peak for the arithmetic. Example: 1 GB copied at 1 TB/s with a 5 us launch takes 1.005 ms.
KernelTime kernel_time(const BoundKernel& kernel, const DeviceRates& rates, const Runtime& runtime,
                       const Priors& priors);

}  // namespace roofcast
