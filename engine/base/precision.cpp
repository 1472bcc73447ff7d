#include "engine/base/precision.hpp"

#include <algorithm>
#include <array>

namespace roofcast {
namespace {

constexpr std::array<std::string_view, arithmetics> names = {"fp64",
                                                             "fp32",
                                                             "packed fp16",
                                                             "dp4a int8",
                                                             "fp64 Tensor Core",
                                                             "tf32 Tensor Core",
                                                             "fp16 Tensor Core (fp16 accumulate)",
                                                             "fp16 Tensor Core",
                                                             "bf16 Tensor Core",
                                                             "fp8 Tensor Core (fp16 accumulate)",
                                                             "fp8 Tensor Core",
                                                             "int8 Tensor Core",
                                                             "int4 Tensor Core",
                                                             "fp4 Tensor Core"};

const std::array<PrecisionPolicy, 12>& presets() {
  // For fp32 and tf32 both switches move together; a framework that treats convolutions apart (PyTorch's
  // default is TF32 for convolutions only) is a policy of its own.
  static const std::array<PrecisionPolicy, 12> all = {{
      {.name = "fp32", .training = true},
      {.name = "tf32", .tf32_matmul = true, .tf32_convolution = true, .training = true},
      {.name = "fp16", .storage = DType::fp16, .compute = DType::fp16},
      {.name = "bf16", .storage = DType::bf16, .compute = DType::bf16},
      {.name = "fp8",
       .storage = DType::bf16,
       .compute = DType::fp8,
       .weight_format = DType::fp8,
       .quantize_activations = true},
      {.name = "int8",
       .storage = DType::fp16,
       .compute = DType::int8,
       .accumulate = DType::int32,
       .weight_format = DType::int8,
       .quantize_activations = true},
      // Formats of weights alone. In fp16, which every card has; bf16 takes as much of everything.
      // GPTQ and AWQ: groups of 128 with a 16-bit scale and a zero point as wide as a weight.
      {.name = "w8a16",
       .storage = DType::fp16,
       .compute = DType::fp16,
       .weight_format = DType::int8,
       .weight_scales = {.group = 128, .bits = 16 + 8},
       .quantized_layers = QuantizedLayers::inner,
       .listed = false},
      {.name = "w4a16",
       .storage = DType::fp16,
       .compute = DType::fp16,
       .weight_format = DType::int4,
       .weight_scales = {.group = 128, .bits = 16 + 4},
       .quantized_layers = QuantizedLayers::inner,
       .listed = false},
      // Source: Dettmers et al., "QLoRA", 2023, section 3: blocks of 64, their scales in 8 bits, an fp32
      // scale for 256 of those.
      {.name = "nf4",
       .storage = DType::fp16,
       .compute = DType::fp16,
       .weight_format = DType::int4,
       .weight_scales = {.group = 64, .bits = 8, .outer_group = 256, .outer_bits = 32},
       .quantized_layers = QuantizedLayers::inner,
       .listed = false},
      // Source: Open Compute Project, "OCP Microscaling Formats (MX) Specification", 2023: blocks of 32 with
      // an 8-bit exponent.
      {.name = "mxfp4",
       .storage = DType::fp16,
       .compute = DType::fp16,
       .weight_format = DType::fp4,
       .weight_scales = {.group = 32, .bits = 8},
       .quantized_layers = QuantizedLayers::inner,
       .listed = false},
      {.name = "amp-fp16", .compute = DType::fp16, .autocast = true, .inference = false, .training = true},
      {.name = "amp-bf16", .compute = DType::bf16, .autocast = true, .inference = false, .training = true},
  }};
  return all;
}

}  // namespace

std::string_view to_string(Arithmetic arithmetic) {
  return names[static_cast<std::size_t>(arithmetic)];
}

std::span<const PrecisionPolicy> precision_presets() {
  return presets();
}

const PrecisionPolicy* find_precision(std::string_view name) {
  const auto found = std::ranges::find(presets(), name, &PrecisionPolicy::name);
  return found == presets().end() ? nullptr : &*found;
}

Arithmetic matrix_arithmetic(const PrecisionPolicy& policy, DType operands, bool convolution) {
  const bool low_accumulate = policy.accumulate == DType::fp16;
  switch (operands) {
    case DType::fp64: return Arithmetic::tensor_fp64;
    case DType::fp16:
      return low_accumulate ? Arithmetic::tensor_fp16_fp16_accumulate : Arithmetic::tensor_fp16;
    case DType::bf16: return Arithmetic::tensor_bf16;
    case DType::fp8: return low_accumulate ? Arithmetic::tensor_fp8_fp16_accumulate : Arithmetic::tensor_fp8;
    case DType::fp4: return Arithmetic::tensor_fp4;
    case DType::int8: return Arithmetic::tensor_int8;
    case DType::int4: return Arithmetic::tensor_int4;
    default: break;
  }
  const bool tf32 = convolution ? policy.tf32_convolution : policy.tf32_matmul;
  return tf32 ? Arithmetic::tensor_tf32 : Arithmetic::vector_fp32;
}

}  // namespace roofcast
