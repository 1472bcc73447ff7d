#pragma once
// When each tensor's memory is taken and given back: liveness over the steps of a program.

#include <vector>

#include "engine/lower/compiled_program.hpp"

namespace roofcast {

/// An event before its sizes are compiled.
struct SymbolicMemoryEvent {
  MemoryEvent::Kind kind = MemoryEvent::Kind::allocate;
  MemoryEvent::Account account = MemoryEvent::Account::activation;
  Expr size{0};
};

/// Weights, inputs and optimizer state are not part of it: they stay. A tensor is released after its last
/// use; what a backward step reads is kept until then, once per repetition of a block.
std::vector<SymbolicMemoryEvent> memory_events(const Program& program);

}  // namespace roofcast
