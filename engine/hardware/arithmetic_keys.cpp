#include "engine/hardware/arithmetic_keys.hpp"

#include <array>

namespace roofcast {

std::span<const ArithmeticKey> arithmetic_keys() {
  static constexpr std::array<ArithmeticKey, arithmetics> keys = {{
      {Arithmetic::vector_fp64, false, "fp64", "fp64_tflops"},
      {Arithmetic::vector_fp32, false, "fp32", "fp32_tflops"},
      {Arithmetic::vector_fp16, false, "fp16", "fp16_tflops"},
      {Arithmetic::vector_int8, false, "int8", "int8_tops"},
      {Arithmetic::tensor_fp64, true, "fp64", "fp64_tensor_tflops"},
      {Arithmetic::tensor_tf32, true, "tf32", "tf32_tensor_tflops"},
      {Arithmetic::tensor_fp16_fp16_accumulate, true, "fp16_fp16_accumulate",
       "fp16_tensor_fp16_accumulate_tflops"},
      {Arithmetic::tensor_fp16, true, "fp16_fp32_accumulate", "fp16_tensor_fp32_accumulate_tflops"},
      {Arithmetic::tensor_bf16, true, "bf16_fp32_accumulate", "bf16_tensor_tflops"},
      {Arithmetic::tensor_fp8_fp16_accumulate, true, "fp8_fp16_accumulate",
       "fp8_tensor_fp16_accumulate_tflops"},
      {Arithmetic::tensor_fp8, true, "fp8_fp32_accumulate", "fp8_tensor_fp32_accumulate_tflops"},
      {Arithmetic::tensor_int8, true, "int8", "int8_tensor_tops"},
      {Arithmetic::tensor_int4, true, "int4", "int4_tensor_tops"},
      {Arithmetic::tensor_fp4, true, "fp4", "fp4_tensor_tflops"},
  }};
  return keys;
}

}  // namespace roofcast
