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
  CHECK(names_for(&PrecisionPolicy::inference) == std::vector<std::string>{"fp32", "tf32", "fp16", "bf16",
                                                                           "fp8", "int8", "w8a16", "w4a16",
                                                                           "nf4", "mxfp4"});
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

TEST_CASE("precision: fp8 and int8 quantise what is multiplied, formats of weights only the weights") {
  for (const PrecisionPolicy& policy : precision_presets()) {
    CAPTURE(policy.name);
    const bool operands = policy.name == "fp8" || policy.name == "int8";
    const bool weights =
        policy.name == "w8a16" || policy.name == "w4a16" || policy.name == "nf4" || policy.name == "mxfp4";
    CHECK(policy.quantized() == (operands || weights));
    CHECK(policy.quantize_activations == operands);
    CHECK(policy.listed == !weights);  // these are for who asks for them
  }
}

TEST_CASE("precision: bits of a weight with its scales") {
  const auto bits_of = [](std::string_view name) {
    const PrecisionPolicy& policy = *find_precision(name);
    constexpr std::int64_t weights = 1 << 20;
    const auto scales = static_cast<double>(scale_bytes(Expr{weights}, policy.weight_scales).constant());
    return static_cast<double>(bits(*policy.weight_format)) + 8 * scales / weights;
  };

  CHECK(bits_of("w8a16") == 8 + 24.0 / 128);
  CHECK(bits_of("w4a16") == 4 + 20.0 / 128);
  CHECK(bits_of("nf4") == 4 + 8.0 / 64 + 32.0 / (64 * 256));
  CHECK(bits_of("mxfp4") == 4 + 8.0 / 32);
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
