#pragma once
// What each device gives to a collective operation, and what it has afterwards.

#include <optional>
#include <string_view>

#include "kernels/cuda/cuda_kernel.hpp"

namespace roofcast {

enum class Collective : std::uint8_t { all_reduce, all_gather, reduce_scatter, alltoall, send_recv };

/// Empty if there is no such operation.
std::optional<Collective> find_collective(std::string_view op);

/// All operations in all precisions in which they are measured.
std::vector<SupportedOp> collective_ops();

/// In values of `element`. A part is what one device has of the others' values: bytes that no whole parts
/// fill are left out.
struct CollectiveLayout {
  Collective op = Collective::all_reduce;
  Element element = Element::fp32;
  std::size_t devices = 2;
  std::size_t part = 1;
  std::size_t in = 1;   ///< of each device
  std::size_t out = 1;  ///< of each device
};

/// Needs: `probe.collective`, and an operation that there is.
CollectiveLayout collective_layout(const Probe& probe);

/// What `device` should have at `result`, if input `input` of `inputs` is that of device `input`. Sums are of
/// all devices' values, in any order.
ExpectedResult expected_collective(const CollectiveLayout& layout, std::size_t device,
                                   const InputValues& inputs, std::size_t result);

}  // namespace roofcast
