#pragma once
// The time of a (batched) matrix product: a library picks the tile that is fastest, and so do we.

#include "engine/base/kernel_form.hpp"
#include "engine/hardware/kernel_parameters.hpp"
#include "engine/kernel_time/machine.hpp"

namespace roofcast {

/// A product with what it moves. Real-valued sizes, so that other models can hand in averages.
struct GemmWork {
  double batch = 1;
  double m = 1;
  double n = 1;
  double k = 1;
  Arithmetic arithmetic = Arithmetic::vector_fp32;
  Bytes read{};  ///< both operands, once
  Bytes written{};
  double cached = 0;      ///< share of `read` that is in the L2 cache already, in [0, 1]
  double rate_share = 1;  ///< further factor on the arithmetic's rate, such as for misaligned operands
};

/// The terms of the fastest choice. `total` = launch + (tiles^p + memory^p)^(1/p) + split + pack.
struct GemmTime {
  Seconds total{};
  Seconds launch{};
  Seconds tiles{};  ///< arithmetic of all waves, with filling and writing
  Seconds memory{};
  Seconds split{};  ///< summing the parts of a split along k
  Seconds pack{};   ///< copying the operands
  double tile_m = 0;
  double tile_n = 0;
  double split_k = 1;
  double waves = 0;
  Bytes traffic{};  ///< to and from memory, with what is read again
};

/// For each tile BM x BN and split S of k:
///
///     C      = batch ceil(m / BM) ceil(n / BN) S                      thread blocks
///     occ    = blocks that an SM holds at once, by shared memory and registers
///     F, r   = full waves of SMs occ blocks, and the blocks left
///     h      = BM BN / (BM + BN)
///     rate   = share h / (h + h0) (small if a side is below 64) * peak / SMs
///     phase(q, a) = max(q 2 BM BN K / rate, q a (BM + BN) K b / W_L2, ceil(K / slab) t_slab)
///     t_tiles = F (phase(occ, SMs) + t_wave) + [r > 0] (phase(ceil(r / SMs), min(r, SMs)) + t_wave)
///
/// so that the last wave costs as much as its most loaded SM. A super-tile of u x v tiles that runs at once
/// reads its operands once, and operands that fit into 0.6 of the L2 cache are read once in all:
///
///     phi = 1 / (1 + (min(m, n) K b / (0.6 L2))^2)
///     D   = phi * compulsory + (1 - phi) clamp(refetch, compulsory, 8 compulsory) + g_w * written
///     W(par) = W par / (par + W lambda)            par: bytes in flight (Little's law)
///     t_memory = D / W(par) + t_ramp
///
/// Libraries for processors copy both operands into blocks that fit a cache before they multiply, unless one
/// of them is a vector (Goto, van de Geijn, "Anatomy of high-performance matrix multiplication", 2008):
///
///     t_pack = batch (m + n) K b / (SMs W_pack) if min(m, n) > 1
///
/// The shortest of all choices counts. Sources: wave quantisation after NVIDIA, "Matrix Multiplication
/// Background User's Guide"; the rest is ours, fitted to published timings (hardware_db/priors).
GemmTime gemm_time(const GemmWork& work, const Machine& machine, const GemmParameters& parameters);

}  // namespace roofcast
