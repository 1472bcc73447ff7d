#pragma once
// Chains of kernels that stream over memory as one kernel each, as compilers such as torch.compile make them.

#include "engine/lower/program.hpp"

namespace roofcast {

/// Joins elementwise kernels, gated activations, casts, copies, batch norm, dropout, normalisations, softmax
/// and reductions where one reads what another one wrote, element by element:
///
/// - A joined kernel reads each operand from outside once and writes only what somebody outside reads later:
/// another
///   kernel, the backward pass, the next repetition of a block. What stays inside takes no time and no
///   memory.
/// - It has the form of its most demanding member and the operations of all.
/// - Matrix products, convolutions, attention, gathers, pooling, transposes, optimizers, the borders of
/// blocks and
///   those between forward and backward pass end a chain. So does a second reduction, unless both reduce
///   equal rows.
/// - A chain may reach past kernels that do not touch its tensors if that keeps no more memory alive
/// meanwhile. It runs
///   where its last member was.
/// - Results take the memory of equally large operands that are no longer needed (`Step::reuses_inputs`).
///
/// The host calls each step that has kernels once, views no longer. What it does not do: join kernels that
/// only read the same tensor, recompute in the backward pass instead of keeping, or write into a
/// concatenation directly. Source: Ansel et al., "PyTorch 2", ASPLOS 2024, section 4 (fusion of pointwise
/// kernels and reductions).
Program fuse_elementwise(Program program);

}  // namespace roofcast
