#include "engine/base/precision.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace roofcast {
namespace {

std::vector<std::string> names_for(bool PrecisionPolicy::*task) {
  std::vector<std::string> names;
  for (const PrecisionPolicy& policy : precision_presets()) {
    if (policy.*task) names.push_back(policy.name);
  }
  return names;
}

TEST_CASE("precision_presets: those of each task") {
  CHECK(names_for(&PrecisionPolicy::inference) ==
        std::vector<std::string>{"fp32", "tf32", "fp16", "bf16", "fp8", "int8"});
  CHECK(names_for(&PrecisionPolicy::training) ==
        std::vector<std::string>{"fp32", "tf32", "amp-fp16", "amp-bf16"});
}

TEST_CASE("find_precision: by exact name") {
  CHECK(find_precision("bf16")->storage == DType::bf16);
  CHECK(find_precision("BF16") == nullptr);
  CHECK(find_precision("") == nullptr);
}

TEST_CASE("precision: amp keeps parameters in fp32 and multiplies in 16 bits") {
  const PrecisionPolicy& amp = *find_precision("amp-fp16");

  CHECK(amp.storage == DType::fp32);
  CHECK(amp.compute == DType::fp16);
  CHECK(amp.autocast);
}

TEST_CASE("precision: only fp8 and int8 quantise weights") {
  for (const PrecisionPolicy& policy : precision_presets()) {
    CAPTURE(policy.name);
    CHECK(policy.quantized() == (policy.name == "fp8" || policy.name == "int8"));
  }
}

TEST_CASE("matrix_arithmetic: fp32 never uses Tensor Cores unless TF32 is asked for") {
  CHECK(matrix_arithmetic(*find_precision("fp32"), DType::fp32, false) == Arithmetic::vector_fp32);
  CHECK(matrix_arithmetic(*find_precision("fp32"), DType::fp32, true) == Arithmetic::vector_fp32);
  CHECK(matrix_arithmetic(*find_precision("tf32"), DType::fp32, false) == Arithmetic::tensor_tf32);
  CHECK(matrix_arithmetic(*find_precision("tf32"), DType::fp32, true) == Arithmetic::tensor_tf32);
}

TEST_CASE("matrix_arithmetic: the two TF32 switches are apart") {
  const PrecisionPolicy convolutions_only{.tf32_convolution = true};

  CHECK(matrix_arithmetic(convolutions_only, DType::fp32, false) == Arithmetic::vector_fp32);
  CHECK(matrix_arithmetic(convolutions_only, DType::fp32, true) == Arithmetic::tensor_tf32);
}

TEST_CASE("matrix_arithmetic: other operands have Tensor Cores of their own, accumulating in fp32 or int32") {
  const PrecisionPolicy any{};

  CHECK(matrix_arithmetic(any, DType::fp16, false) == Arithmetic::tensor_fp16);
  CHECK(matrix_arithmetic(any, DType::bf16, true) == Arithmetic::tensor_bf16);
  CHECK(matrix_arithmetic(any, DType::fp8, false) == Arithmetic::tensor_fp8);
  CHECK(matrix_arithmetic(any, DType::int8, false) == Arithmetic::tensor_int8);
}

}  // namespace
}  // namespace roofcast
