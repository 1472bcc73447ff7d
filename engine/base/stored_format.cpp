#include "engine/base/stored_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace roofcast {
namespace {

constexpr std::int64_t scale_bits = 16;
constexpr std::int64_t usual_group = 128;  // of GPTQ and AWQ checkpoints, and of our presets

PrecisionPolicy preset(std::string_view name) {
  PrecisionPolicy policy = *find_precision(name);
  policy.quantized_layers = QuantizedLayers::inner;
  return policy;
}

// A whole row has one scale: a few per mille of its weights, left out.
std::int64_t group_of(const Quantization& quantization, std::int64_t fallback) {
  const std::int64_t group = quantization.group_size.value_or(fallback);
  return group > 0 ? group : 0;
}

// Integer weights with a 16-bit scale and a zero point as wide as a weight for each group, multiplied in 16
// bits.
Result<PrecisionPolicy> integer_weights(const Quantization& quantization, const Location& where) {
  const std::int64_t bits = quantization.bits.value_or(4);
  if (bits != 4 && bits != 8) {
    return fail(fmt::format("{}: weights of {} bits are not known here", quantization.method, bits), where,
                "4 and 8 are");
  }
  PrecisionPolicy policy = preset(bits == 4 ? "w4a16" : "w8a16");
  const std::int64_t group = group_of(quantization, usual_group);
  policy.weight_scales = {.group = group, .bits = group > 0 ? scale_bits + bits : 0};
  if (group == 0) policy.name += "-row";
  if (group > 0 && group != usual_group) policy.name += fmt::format("-g{}", group);
  return policy;
}

// Blocks of 128 x 128 weights share an fp32 scale. Source: DeepSeek-AI, "DeepSeek-V3 Technical Report", 2024,
// section 3.3.2. Without a group there is one for a tensor or a row.
PrecisionPolicy fp8_weights(const Quantization& quantization) {
  PrecisionPolicy policy = preset("fp8");
  constexpr std::int64_t fp32_bits = 32;
  const std::int64_t group = group_of(quantization, 0);
  if (group > 0) policy.weight_scales = {.group = group, .bits = fp32_bits};
  return policy;
}

// Blocks of 64 have an fp32 scale, or with double quantisation an 8-bit one.
PrecisionPolicy nf4_weights(const Quantization& quantization) {
  PrecisionPolicy policy = preset("nf4");
  if (!quantization.double_quantized) {
    policy.name = "nf4-single";
    policy.weight_scales = {.group = policy.weight_scales.group, .bits = 32};
  }
  return policy;
}

Result<PrecisionPolicy> compressed_tensors(const Quantization& quantization, const Location& where) {
  const std::int64_t bits = quantization.bits.value_or(8);
  if (!quantization.floating) {
    if (!quantization.activations) return integer_weights(quantization, where);
    if (bits == 8) return preset("int8");
  } else if (bits == 8) {
    const PrecisionPolicy policy = fp8_weights(quantization);
    return quantization.activations ? policy : weights_only(policy);
  } else if (bits == 4) {  // NVFP4: groups of 16 with an fp8 scale
    PrecisionPolicy policy = preset("mxfp4");
    policy.name = "nvfp4";
    policy.weight_scales = {.group = group_of(quantization, 16), .bits = 8};
    return policy;
  }
  return fail(fmt::format("{}: {} {}-bit weights{} are not known here", quantization.method,
                          quantization.floating ? "floating" : "integer", bits,
                          quantization.activations ? " and activations" : ""),
              where);
}

}  // namespace

std::optional<StoredFormat> block_format(std::string_view type, std::int64_t block, std::int64_t bytes) {
  const std::int64_t bits = 8 * bytes;
  const std::int64_t weight_bits = bits >= 8 * block ? 8 : 4;
  if (block <= 1 || bits < weight_bits * block) return std::nullopt;
  PrecisionPolicy policy = preset(weight_bits == 8 ? "w8a16" : "w4a16");
  policy.name = type;
  std::ranges::transform(policy.name, policy.name.begin(),
                         [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  policy.weight_scales = {.group = block, .bits = bits - weight_bits * block};
  return StoredFormat{policy, std::string(type)};
}

PrecisionPolicy weights_only(const PrecisionPolicy& policy) {
  PrecisionPolicy result = policy;
  if (!policy.quantize_activations) return result;
  result.name += "-weights";
  result.storage = DType::fp16;  // which every card has
  result.compute = DType::fp16;
  result.accumulate = DType::fp32;
  result.quantize_activations = false;
  return result;
}

Result<StoredFormat> stored_format(const Quantization& quantization, const Location& where) {
  const std::string& method = quantization.method;
  const auto stored = [&](const Result<PrecisionPolicy>& policy) -> Result<StoredFormat> {
    if (!policy) return tl::unexpected(policy.error());
    return StoredFormat{*policy, method};
  };
  if (method == "gptq" || method == "awq") return stored(integer_weights(quantization, where));
  if (method == "fp8" || method == "fbgemm_fp8") return stored(fp8_weights(quantization));
  if (method == "bitsandbytes") {
    return stored(quantization.bits.value_or(8) == 4 ? nf4_weights(quantization) : preset("int8"));
  }
  if (method == "mxfp4") {
    PrecisionPolicy policy = preset("mxfp4");
    policy.quantized_layers = QuantizedLayers::experts;
    return stored(policy);
  }
  if (method == "compressed-tensors") return stored(compressed_tensors(quantization, where));
  for (const std::string_view name : {"w8a16", "w4a16"}) {
    if (method != name) continue;
    Quantization weights = quantization;
    weights.bits = find_precision(name)->weight_format == DType::int4 ? 4 : 8;
    return stored(integer_weights(weights, where));
  }
  if (method == "nf4" || method == "int8") return stored(preset(method));
  const std::vector<std::string> known = {
      "awq",   "bitsandbytes", "compressed-tensors", "fbgemm_fp8", "fp8", "gptq", "int8", "mxfp4", "nf4",
      "w4a16", "w8a16"};
  return fail(fmt::format("unknown format of weights '{}'", method), where,
              did_you_mean(method, known, fmt::format("known: {}", fmt::join(known, ", "))));
}

}  // namespace roofcast
