// TypedGraph -> Program: operators become kernels, tensors become bytes.

#include <set>

#include "engine/lower/program.hpp"

namespace roofcast {
namespace {

const TensorId* operand_of(const TypedNode& node, const Operand& operand) {
  const auto index = static_cast<std::size_t>(operand.index);
  const auto& ids = operand.from == Operand::From::parameter ? node.parameters
                    : operand.from == Operand::From::output  ? node.outputs
                                                             : node.inputs;
  return index < ids.size() ? &ids[index] : nullptr;
}

std::vector<KernelAccess> accesses_of(const TypedGraph& graph, const TypedNode& node,
                                      const std::vector<Access>& accesses) {
  std::vector<KernelAccess> result;
  for (const Access& access : accesses) {
    const TensorId* id = operand_of(node, access.operand);
    if (id == nullptr) continue;
    const TensorType& type = graph.tensor(*id).type;
    const Expr count = access.elements.value_or(elements(type.shape));
    const Expr bytes =
        storage_bytes(count, type.dtype.value_or(DType::fp32)) + scale_bytes(count, graph.tensor(*id).scales);
    result.push_back({.tensor = *id, .elements = count, .bytes = bytes});
  }
  return result;
}

Expr bytes_of(const std::vector<KernelAccess>& accesses) {
  Expr total{0};
  for (const KernelAccess& access : accesses) total += access.bytes;
  return total;
}

// The type that a matrix product's operands are in: that of its first floating input.
DType operand_dtype(const TypedGraph& graph, const TypedNode& node) {
  for (const TensorId id : node.inputs) {
    const DType dtype = graph.tensor(id).type.dtype.value_or(DType::fp32);
    if (is_floating(dtype) || dtype == DType::int8 || dtype == DType::int4) return dtype;
  }
  return DType::fp32;
}

bool multiplies_matrices(const KernelForm<Expr>& form) {
  return std::holds_alternative<Gemm<Expr>>(form) || std::holds_alternative<Convolution<Expr>>(form) ||
         std::holds_alternative<Attention<Expr>>(form);
}

Kernel lower_kernel(const TypedGraph& graph, const TypedNode& node, const KernelSpec& spec,
                    const PrecisionPolicy& policy, bool channels_last) {
  Kernel kernel{.name = std::string(spec.name),
                .form = spec.form,
                .macs = spec.macs,
                .recomputed_macs = spec.recomputed_macs,
                .operations = spec.operations,
                .reads = accesses_of(graph, node, spec.reads),
                .writes = accesses_of(graph, node, spec.writes),
                .workspace_bytes = spec.workspace_bytes,
                .count = spec.count};
  kernel.bytes_read = bytes_of(kernel.reads) + spec.further_bytes_read;
  kernel.bytes_written = bytes_of(kernel.writes) + spec.further_bytes_written;
  if (auto* convolution = std::get_if<Convolution<Expr>>(&kernel.form))
    convolution->channels_last = channels_last;
  if (multiplies_matrices(spec.form)) {
    const bool convolution = std::holds_alternative<Convolution<Expr>>(spec.form);
    kernel.arithmetic = matrix_arithmetic(policy, operand_dtype(graph, node), convolution);
  }
  return kernel;
}

}  // namespace

Expr Program::multiplicity(RegionId region) const {
  Expr count{1};
  for (; region != no_region; region = regions[static_cast<std::size_t>(region)].parent) {
    count *= regions[static_cast<std::size_t>(region)].repeat;
  }
  return count;
}

Program lower(const TypedGraph& graph, const PrecisionPolicy& policy, bool channels_last) {
  Program program{.model = graph.name,
                  .task = graph.task,
                  .precision = policy,
                  .symbols = graph.symbols,
                  .regions = graph.regions,
                  .inputs = graph.inputs,
                  .outputs = graph.outputs,
                  .constraints = graph.constraints,
                  .tokens = graph.tokens,
                  .notes = graph.notes};
  for (const Tensor& tensor : graph.tensors) {
    const DType dtype = tensor.type.dtype.value_or(policy.storage);
    program.tensors.push_back({.name = tensor.name,
                               .shape = tensor.type.shape,
                               .dtype = dtype,
                               .bytes = storage_bytes(elements(tensor.type.shape), dtype) +
                                        scale_bytes(elements(tensor.type.shape), tensor.scales),
                               .role = tensor.role,
                               .region = tensor.region,
                               .storage = tensor.storage,
                               .used_per_token = tensor.used_per_token});
  }
  std::set<TensorId> seen;
  for (const TypedNode& node : graph.nodes) {
    Step step{.name = node.name,
              .op = node.op->name,
              .phase = node.phase,
              .region = node.region,
              .inputs = node.inputs,
              .outputs = node.outputs};
    step.inputs.insert(step.inputs.end(), node.parameters.begin(), node.parameters.end());
    for (const TensorId id : step.inputs) {
      if (graph.tensor(id).role == TensorRole::parameter && seen.insert(id).second) {
        step.parameters += elements(graph.tensor(id).type.shape);
      }
    }
    if (node.op->layer && node.phase == Phase::forward) {
      step.layer_elements = elements(graph.tensor(node.outputs.front()).type.shape);
    }
    for (const KernelSpec& spec : node.op->kernels(view(graph, node))) {
      step.kernels.push_back(lower_kernel(graph, node, spec, policy, channels_last));
    }
    program.steps.push_back(std::move(step));
  }
  return program;
}

}  // namespace roofcast
