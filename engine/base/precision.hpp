#pragma once
// Precision as a record: what is stored, what is multiplied, what is accumulated. The usual names are presets
// of it.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/dtype.hpp"
#include "engine/base/weight_format.hpp"

namespace roofcast {

enum class Task : std::uint8_t { inference, training };

/// The arithmetic that a kernel's multiply-adds run in; devices have a rate for each that they support.
enum class Arithmetic : std::uint8_t {
  vector_fp64,
  vector_fp32,
  vector_fp16,
  vector_int8,
  tensor_fp64,
  tensor_tf32,
  tensor_fp16_fp16_accumulate,
  tensor_fp16,
  tensor_bf16,
  tensor_fp8_fp16_accumulate,
  tensor_fp8,
  tensor_int8,
  tensor_int4,
  tensor_fp4
};
inline constexpr std::size_t arithmetics = 14;

std::string_view to_string(Arithmetic arithmetic);

/// Which layers of a model have quantised weights.
enum class QuantizedLayers : std::uint8_t {
  all,     ///< linear layers, of int8 convolutions too
  inner,   ///< linear layers but those that make an output of the model, such as a language model's head
  experts  ///< linear layers of experts only
};

/// How a model's numbers are stored and multiplied.
struct PrecisionPolicy {
  std::string name = "fp32";
  DType storage = DType::fp32;  ///< parameters and activations
  DType compute = DType::fp32;  ///< operands of matrix products and convolutions
  DType accumulate = DType::fp32;
  bool autocast = false;                 ///< storage stays; matrix products cast their operands to `compute`
  bool tf32_matmul = false;              ///< fp32 matrix products through TF32 Tensor Cores
  bool tf32_convolution = false;         ///< the same for convolutions
  std::optional<DType> weight_format{};  ///< weights of matrix products and convolutions, if unlike `storage`
  bool quantize_activations = false;     ///< operands are quantised to `compute` on the way in
  WeightScales weight_scales{};          ///< stored beside quantised weights
  QuantizedLayers quantized_layers = QuantizedLayers::all;
  std::optional<DType> kv_cache{};  ///< keys and values that stay from token to token, if unlike `storage`
  bool listed = true;               ///< in the grid unless precisions are asked for by name
  bool inference = true;            ///< for inference
  bool training = false;            ///< for training

  /// The weights have been quantised: whether the model stays good enough must be measured.
  bool quantized() const { return weight_format.has_value(); }
};

/// `fp32`, `tf32`, `fp16`, `bf16`, `fp8`, `int8` for inference; `fp32`, `tf32`, `amp-fp16`, `amp-bf16` for
/// training. Only weights are quantised in `w8a16`, `w4a16`, `nf4` and `mxfp4`: the product's kernel turns
/// them into 16 bits on the way in.
std::span<const PrecisionPolicy> precision_presets();
const PrecisionPolicy* find_precision(std::string_view name);

/// The arithmetic of matrix products (or convolutions) whose operands have this type.
Arithmetic matrix_arithmetic(const PrecisionPolicy& policy, DType operands, bool convolution);

}  // namespace roofcast
