// Optimizer steps over all parameters at once (multi-tensor kernels), in fp32.

#include "engine/ops/families.hpp"
#include "engine/ops/rules.hpp"

namespace roofcast {
namespace {

using namespace rules;

constexpr std::int64_t fp32_bytes = 4;

Result<Inference> infer_step(const NodeView& /*node*/) {
  return Inference{};
}

// One multi-tensor pass over all parameters; reads and writes are fp32 values per parameter.
KernelSpec pass(const NodeView& node, std::string_view name, std::int64_t reads, std::int64_t writes) {
  const Expr count = node.attributes.size("elements");
  KernelSpec kernel = stream(name, StreamKind::optimizer, count, reads + writes, {}, {});
  kernel.further_bytes_read = count * Expr{reads * fp32_bytes};
  kernel.further_bytes_written = count * Expr{writes * fp32_bytes};
  return kernel;
}

// p -= lr g
std::vector<KernelSpec> kernels_sgd(const NodeView& node) {
  return {pass(node, "update parameters", 2, 1)};
}

// v = mu v + g; p -= lr v
std::vector<KernelSpec> kernels_momentum(const NodeView& node) {
  return {pass(node, "decay velocity", 1, 1), pass(node, "add gradient", 2, 1),
          pass(node, "update parameters", 2, 1)};
}

// m and s are running means of g and g^2; p -= lr m / (sqrt(s) + eps). As PyTorch runs it by default
// (foreach): one pass an operation, the denominators of all parameters in a temporary of their size. Source:
// Kingma, Ba, "Adam", 2015, algorithm 1; the list of passes after PyTorch 2's multi-tensor Adam (recalled).
std::vector<KernelSpec> kernels_adam(const NodeView& node) {
  std::vector<KernelSpec> passes = {pass(node, "update mean", 2, 1),         pass(node, "decay square", 1, 1),
                                    pass(node, "update square", 2, 1),       pass(node, "square root", 1, 1),
                                    pass(node, "correct denominator", 1, 1), pass(node, "add epsilon", 1, 1),
                                    pass(node, "update parameters", 3, 1)};
  for (KernelSpec& kernel : passes)
    kernel.workspace_bytes = node.attributes.size("elements") * Expr{fp32_bytes};
  return passes;
}

// Weight decay first: p *= 1 - lr lambda. Source: Loshchilov, Hutter, "Decoupled weight decay", 2019.
std::vector<KernelSpec> kernels_adamw(const NodeView& node) {
  std::vector<KernelSpec> passes = kernels_adam(node);
  passes.insert(passes.begin(), pass(node, "decay weights", 1, 1));
  return passes;
}

Operator row(std::string_view name, std::vector<KernelSpec> (*kernels)(const NodeView&)) {
  return {.name = name,
          .least_inputs = 0,
          .most_inputs = 0,
          .in_model_files = false,
          .infer = infer_step,
          .kernels = kernels};
}

}  // namespace

OperatorRows optimizer_operators() {
  static const Operator rows[] = {row("sgd", kernels_sgd), row("momentum", kernels_momentum),
                                  row("adam", kernels_adam), row("adamw", kernels_adamw)};
  return rows;
}

}  // namespace roofcast
