#pragma once
// The time of fused attention, over a prompt and over a cache.

#include "engine/base/kernel_form.hpp"
#include "engine/hardware/kernel_parameters.hpp"
#include "engine/kernel_time/machine.hpp"

namespace roofcast {

struct AttentionWork {
  Attention<std::int64_t> form{};
  Arithmetic arithmetic = Arithmetic::tensor_fp16;
  double executed_macs = 0;
  Bytes read{};
  Bytes written{};
};

struct AttentionTime {
  Seconds total{};
  Seconds launch{};
  Seconds compute{};
  Seconds memory{};
  double blocks = 0;  ///< thread blocks
};

/// A block takes 128 queries of a head and walks over the keys that they see. Products run on Tensor Cores,
/// and between them each score needs c operations of the vector units, which weighs the more the smaller
/// heads are:
///
///     u         = F / (e P) + c S / V                       all blocks on all SMs
///     t_compute = u + kappa longest (SMs - 1)               if there are more blocks than SMs, else longest
///     SMs
///
/// F: operations and S: scores of all blocks, with queries and keys padded to whole tiles; longest: the share
/// of u of the longest row of tiles, which the last SM is still busy with. One query over a cache is split
/// along the keys and follows its bytes; with few sequences too few blocks are in flight:
///
///     t_memory = B / (e_m W p / (p + kappa_d SMs)) + t_head (sequences key heads) / SMs,  p = sequences
///     heads ceil(k / 128)
///
/// Source of the tiling: Dao, "FlashAttention-2", 2023, sections 3.1 and 3.2; the constants are fitted
/// (hardware_db/priors).
AttentionTime attention_time(const AttentionWork& work, const Machine& machine,
                             const AttentionParameters& parameters);

}  // namespace roofcast
