#include "kernels/cuda/collective_layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace roofcast {
namespace {

struct NamedCollective {
  std::string_view name{};
  Collective op = Collective::all_reduce;
};

constexpr std::array operations = {NamedCollective{"all_reduce", Collective::all_reduce},
                                   NamedCollective{"all_gather", Collective::all_gather},
                                   NamedCollective{"reduce_scatter", Collective::reduce_scatter},
                                   NamedCollective{"alltoall", Collective::alltoall},
                                   NamedCollective{"send_recv", Collective::send_recv}};
constexpr std::array<std::string_view, 2> precisions = {"bf16", "fp32"};

/// Of the values that all devices have at `place`.
ExpectedResult sum(const CollectiveLayout& layout, const InputValues& inputs, std::size_t place) {
  ExpectedResult total;
  for (std::size_t device = 0; device < layout.devices; ++device) {
    const double value = inputs(device, place);
    total.value += value;
    total.magnitude += std::abs(value);
  }
  return total;
}

}  // namespace

std::optional<Collective> find_collective(std::string_view op) {
  const auto* found = std::ranges::find(operations, op, &NamedCollective::name);
  return found == operations.end() ? std::nullopt : std::optional(found->op);
}

std::vector<SupportedOp> collective_ops() {
  std::vector<SupportedOp> all;
  for (const NamedCollective& each : operations) {
    for (const std::string_view precision : precisions) all.push_back({each.name, precision});
  }
  return all;
}

CollectiveLayout collective_layout(const Probe& probe) {
  CollectiveLayout layout{.op = find_collective(probe.op).value(),
                          .element = element_of(probe.precision),
                          .devices = static_cast<std::size_t>(probe.collective->devices)};
  const std::size_t all = static_cast<std::size_t>(probe.collective->bytes) / size_of(layout.element);
  layout.part = std::max<std::size_t>(1, all / layout.devices);
  const std::size_t parts = layout.part * layout.devices;
  const bool whole = layout.op == Collective::all_reduce || layout.op == Collective::send_recv;
  layout.in = whole ? all : layout.op == Collective::all_gather ? layout.part : parts;
  layout.out = whole ? all : layout.op == Collective::reduce_scatter ? layout.part : parts;
  return layout;
}

ExpectedResult expected_collective(const CollectiveLayout& layout, std::size_t device,
                                   const InputValues& inputs, std::size_t result) {
  const std::size_t sender = result / layout.part;
  const std::size_t place = result % layout.part;
  switch (layout.op) {
    case Collective::all_reduce: return sum(layout, inputs, result);
    case Collective::reduce_scatter: return sum(layout, inputs, device * layout.part + result);
    case Collective::all_gather: return {inputs(sender, place), 0};
    case Collective::alltoall: return {inputs(sender, device * layout.part + place), 0};
    case Collective::send_recv: break;
  }
  return {inputs((device + layout.devices - 1) % layout.devices, result), 0};
}

}  // namespace roofcast
