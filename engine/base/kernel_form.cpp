#include "engine/base/kernel_form.hpp"

namespace roofcast {

static constexpr std::array<std::string_view, kernel_families> family_names = {
    "gemm",      "convolution", "depthwise_convolution",
    "attention", "elementwise", "normalization",
    "softmax",   "reduction",   "pooling",
    "copy",      "optimizer",   "gather"};

static constexpr std::array<std::string_view, stream_kinds> stream_names = {"elementwise",
                                                                            "gated_activation",
                                                                            "normalization",
                                                                            "rms_normalization",
                                                                            "batch_normalization",
                                                                            "softmax",
                                                                            "reduction",
                                                                            "pooling",
                                                                            "copy",
                                                                            "transpose",
                                                                            "optimizer"};

std::string_view to_string(StreamKind kind) {
  return stream_names[static_cast<std::size_t>(kind)];
}

std::string_view to_string(KernelFamily family) {
  return family_names[static_cast<std::size_t>(family)];
}

KernelFamily family(const KernelForm<std::int64_t>& form) {
  using Dim = std::int64_t;
  if (std::holds_alternative<Gemm<Dim>>(form)) return KernelFamily::gemm;
  if (const auto* conv = std::get_if<Convolution<Dim>>(&form)) {
    return conv->groups > 1 && conv->groups == conv->in_channels ? KernelFamily::depthwise_convolution
                                                                 : KernelFamily::convolution;
  }
  if (std::holds_alternative<Attention<Dim>>(form)) return KernelFamily::attention;
  if (std::holds_alternative<Gather<Dim>>(form)) return KernelFamily::gather;
  switch (std::get<Stream<Dim>>(form).kind) {
    case StreamKind::elementwise:
    case StreamKind::gated_activation: return KernelFamily::elementwise;
    case StreamKind::normalization:
    case StreamKind::rms_normalization:
    case StreamKind::batch_normalization: return KernelFamily::normalization;
    case StreamKind::softmax: return KernelFamily::softmax;
    case StreamKind::reduction: return KernelFamily::reduction;
    case StreamKind::pooling: return KernelFamily::pooling;
    case StreamKind::copy:
    case StreamKind::transpose: return KernelFamily::copy;
    case StreamKind::optimizer: return KernelFamily::optimizer;
  }
  return KernelFamily::elementwise;
}

}  // namespace roofcast
