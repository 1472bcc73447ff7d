#include <fmt/format.h>

#include <algorithm>

#include "engine/decide/estimate.hpp"
#include "engine/hardware/calibration.hpp"

namespace roofcast {
namespace {

// Formats that only weights are stored in, unless everybody knows what is asked for.
bool stores_weights_only(const Graph& model, const Request& request) {
  const auto is_so = [](const PrecisionPolicy& policy) {
    return policy.quantized() && !policy.quantize_activations;
  };
  if (request.precisions.empty()) return model.stored && is_so(model.stored->precision);
  return std::ranges::any_of(request.precisions, [&](const std::string& name) {
    const PrecisionPolicy* policy = find_precision(name);
    return policy == nullptr || is_so(*policy);
  });
}

// What the priors have seen, and whether this card was among it.
std::string fitted_on(const Platform& platform) {
  std::int64_t rows = 0;
  std::int64_t own = 0;
  for (const FittedOn& entry : platform.priors.fitted_on) {
    rows += entry.rows;
    if (entry.device == platform.device.slug) own += entry.rows;
  }
  if (rows == 0) return "which were not fitted to measurements";
  return fmt::format("which were fitted to {} measured kernels, {} of them on this very card", rows, own);
}

// What is included of the way of the inputs to the card.
std::string supply_of(const InputSupply& input, const Device& device) {
  const std::string copy = fmt::format("copied from pinned memory over PCIe {} x{} before each step",
                                       device.pcie_generation, device.pcie_lanes);
  if (input.copied && input.samples_per_second) {
    return fmt::format("Inputs are {}; the pipeline delivers at most {:.4g} samples/s.", copy,
                       *input.samples_per_second);
  }
  if (input.copied) return fmt::format("Inputs are {}; the pipeline before it is not included.", copy);
  if (input.samples_per_second) {
    return fmt::format(
        "The input pipeline delivers at most {:.4g} samples/s; transfers to the card are not included.",
        *input.samples_per_second);
  }
  return "Input pipeline and transfers to the card are not included.";
}

}  // namespace

std::vector<std::string> assumptions(const Graph& model, const Platform& platform, const Request& request) {
  std::vector<std::string> lines;
  lines.push_back(
      fmt::format("Each kernel's time follows from the card's data sheet and the priors of its architecture "
                  "({}: {}), {}.",
                  platform.priors.name, platform.priors.title, fitted_on(platform)));
  const auto profile = platform.priors.sources.find(profile_source);
  if (profile != platform.priors.sources.end()) lines.push_back(profile->second);
  lines.push_back(fmt::format(
      "Runtime {}: {}; attention is {}{}{}.", platform.runtime.name, platform.runtime.title,
      platform.runtime.fused_attention ? "one fused kernel" : "written out, its scores go through memory",
      platform.runtime.fuses_elementwise ? "; chains of elementwise kernels are one kernel each" : "",
      platform.runtime.folds_into_convolutions
          ? "; batch norm, sums and simple activations after a convolution are part of it"
          : ""));
  if (request.task == Task::training) {
    lines.push_back(
        fmt::format("A step is {}; gradients appear in the backward pass, nothing is "
                    "recomputed. amp keeps "
                    "fp32 weights and casts them for matrix products.",
                    request.optimizer == Optimizer::none
                        ? std::string("forward and backward")
                        : fmt::format("forward, backward and {}", to_string(request.optimizer))));
    if (model.stored) {
      lines.push_back(
          fmt::format("The model's file stores quantised weights ({}); training is of the same model with "
                      "unquantised ones.",
                      model.stored->method));
    }
  } else {
    lines.emplace_back(
        "fp16 and bf16 store weights and activations in 16 bits; fp8 and int8 quantise the weights and "
        "inputs of linear "
        "layers (int8 of convolutions too) and compute the rest in 16 bits; fp32 does not use TF32.");
    if (stores_weights_only(model, request)) {
      lines.emplace_back(
          "Formats for weights alone hold linear layers but not embeddings and the head; the kernel of the "
          "product "
          "turns them into 16 bits at no cost, which is optimistic where much is multiplied.");
    }
    if (!model.phases.empty() && (request.phases.empty() || request.phases.front() != "forward")) {
      lines.emplace_back(
          "Phases are of one batch: all its sequences are as long as the symbols say, nothing else runs "
          "meanwhile. "
          "The cache of keys and values has room for these tokens and no more; sampling is not included.");
    }
  }
  lines.push_back(
      fmt::format("Memory is liveness over the program plus {:.0f} MiB for context and libraries; a "
                  "configuration fits if {:.0f}% on "
                  "top of its own part still fits.",
                  as_mebibytes(platform.runtime.context), 100.0 * platform.priors.memory_spread));
  if (request.channels_last) lines.emplace_back("Images are stored with their channels last (NHWC).");
  lines.push_back(supply_of(request.input, platform.device));
  return lines;
}

}  // namespace roofcast
