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

// Reads and writes are values per parameter.
KernelSpec step(const NodeView& node, std::int64_t reads, std::int64_t writes, std::int64_t operations,
                std::int64_t temporaries) {
  const Expr count = node.attributes.size("elements");
  KernelSpec kernel = stream("optimizer step", StreamKind::optimizer, count, operations, {}, {});
  kernel.further_bytes_read = count * Expr{reads * fp32_bytes};
  kernel.further_bytes_written = count * Expr{writes * fp32_bytes};
  kernel.workspace_bytes = count * Expr{temporaries * fp32_bytes};
  return kernel;
}

// p -= lr g: reads p, g; writes p.
std::vector<KernelSpec> kernels_sgd(const NodeView& node) {
  return {step(node, 2, 1, 2, 0)};
}

// v = mu v + g; p -= lr v: reads p, g, v; writes p, v.
std::vector<KernelSpec> kernels_momentum(const NodeView& node) {
  return {step(node, 3, 2, 4, 0)};
}

// m, v: running means of g and g^2; p -= lr m / (sqrt(v) + eps): reads p, g, m, v; writes p, m, v. PyTorch's
// default multi-tensor form holds the denominators of all parameters at once. Source: Kingma, Ba, "Adam",
// 2015, algorithm 1.
std::vector<KernelSpec> kernels_adam(const NodeView& node) {
  return {step(node, 4, 3, 14, 1)};
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
                                  row("adam", kernels_adam), row("adamw", kernels_adam)};
  return rows;
}

}  // namespace roofcast
