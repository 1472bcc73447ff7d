#pragma once
// A program whose expressions have been compiled to a tape: evaluating a configuration fills flat arrays.

#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "engine/base/tape.hpp"
#include "engine/lower/program.hpp"

namespace roofcast {

/// An index into the tape's slots.
using Slot = int;

/// Kernels of a phase that have the same sizes, whatever layer they belong to.
struct CompiledKernel {
  KernelForm<Slot> form{};
  Arithmetic arithmetic = Arithmetic::vector_fp32;
  Slot macs = 0;
  Slot recomputed_macs = 0;
  Slot operations = 0;
  Slot bytes_read = 0;
  Slot bytes_written = 0;
  std::vector<Reuse<Slot>> reused{};
  Slot count = 0;  ///< how often it runs in all
  Phase phase = Phase::forward;
};

/// One event of the memory's life, in order. Region events enclose the events of a block that repeats.
struct MemoryEvent {
  enum class Kind : std::uint8_t { allocate, release, workspace, region_begin, region_end };
  /// What the bytes count as: gradients of parameters stay, everything else comes and goes.
  enum class Account : std::uint8_t { activation, gradient };
  Kind kind = Kind::allocate;
  Account account = Account::activation;
  Slot slot = 0;  ///< bytes; for region_begin the trip count
};

struct CompiledProgram {
  Program program{};
  ExpressionTape tape{};
  std::set<std::string, std::less<>> overridden{};  ///< derived symbols that may be bound
  std::vector<CompiledKernel> kernels{};
  std::vector<MemoryEvent> memory{};
  Slot weight_bytes = 0;  ///< parameters and statistics
  Slot input_bytes = 0;
  Slot cache_bytes = -1;       ///< keys and values that stay from token to token, -1 if the model keeps none
  Slot parameters = 0;         ///< learned values
  Slot parameters_active = 0;  ///< those that one token needs: of experts only as many as it is routed to
  Slot statistics = 0;
  Slot optimizer_bytes = 0;
  Slot macs = 0;  ///< by definition, forward and backward
  Slot forward_macs = 0;
  Slot forward_operations = 0;
  Slot layer_elements = 0;
  Slot nodes = 0;                                    ///< forward operators executed
  std::array<Slot, 3> operators{};                   ///< called by the host in each phase
  Slot tensors = 0;                                  ///< learned tensors
  Slot tokens = -1;                                  ///< tokens per sample, -1 if the model has none
  std::vector<std::pair<Slot, Slot>> constraints{};  ///< beside program.constraints
  std::vector<std::pair<Slot, TensorId>>
      dimensions{};  ///< distinct dimensions and a tensor that has it; all must be > 0
  std::vector<std::pair<Slot, RegionId>> trip_counts{};
};

/// `overridden`: symbols that the user binds, so that their definitions do not apply.
CompiledProgram compile(Program program, const Bindings& overridden = {});

/// The slots' values for one configuration. `bindings` gives symbols their values, others keep their
/// defaults. Errors: an unknown symbol, overflow, a dimension below 1, a constraint that does not hold.
Result<std::vector<std::int64_t>> slot_values(const CompiledProgram& compiled, const Bindings& bindings);

/// The same without the words, for sweeps: `values` are those of `tape.inputs()`. False when something is
/// wrong; then `slot_values` tells what.
bool fill_slots(const CompiledProgram& compiled, std::span<const std::int64_t> values,
                std::span<std::int64_t> slots);

/// The values of `tape.inputs()` for these bindings.
Result<std::vector<std::int64_t>> input_values(const CompiledProgram& compiled, const Bindings& bindings);

}  // namespace roofcast
