#pragma once
// The format in which a published model stores its weights.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/diagnostics.hpp"
#include "engine/base/precision.hpp"

namespace roofcast {

/// What a file says of its weights, in the words of `quantization_config` of Hugging Face transformers.
struct Quantization {
  std::string method{};                ///< `quant_method`: "gptq", "awq", "fp8", "mxfp4", ...
  std::optional<std::int64_t> bits{};  ///< of a weight; 8 or 4
  std::optional<std::int64_t>
      group_size{};               ///< weights that share a scale; -1: a whole row; of blocks the product
  bool floating = false;          ///< compressed-tensors: `type` is "float", not "int"
  bool activations = false;       ///< compressed-tensors: `input_activations` are quantised too
  bool double_quantized = false;  ///< bitsandbytes: `bnb_4bit_use_double_quant`
};

/// A precision that a model comes in.
struct StoredFormat {
  PrecisionPolicy precision{};  ///< its name says what is unusual: "w4a16-g32"
  std::string method{};
};

/// The precision that follows from a `quantization_config`. Methods: fp8 and fbgemm_fp8, gptq, awq,
/// bitsandbytes (8 bits: LLM.int8(); 4: nf4), mxfp4 (expert weights only, as gpt-oss has it),
/// compressed-tensors; and our own presets with quantised weights by their names (w8a16, w4a16, nf4, int8).
/// Errors: an unknown method, a width that has no type here.
Result<StoredFormat> stored_format(const Quantization& quantization, const Location& where = {});

/// Weights in blocks with scales of their own, as GGUF files have them: `block` weights take `bytes`. What is
/// beyond 4 or 8 bits for each of them counts as scales, so the bytes are exact: Q4_K, 144 bytes for 256, has
/// 128 bits of them. Nothing for real types, and for those below 4 bits, which no type here holds.
std::optional<StoredFormat> block_format(std::string_view type, std::int64_t block, std::int64_t bytes);

/// The same weights for a card without the arithmetic: only stored so, multiplied in 16 bits.
PrecisionPolicy weights_only(const PrecisionPolicy& policy);

}  // namespace roofcast
