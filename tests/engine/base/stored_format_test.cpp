#include "engine/base/stored_format.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

PrecisionPolicy precision(const Quantization& quantization) {
  const auto format = stored_format(quantization);
  INFO("complaint: ", format ? std::string("none") : to_string(format.error()));
  REQUIRE(format.has_value());
  return format->precision;
}

std::string complaint(const Quantization& quantization) {
  const auto format = stored_format(quantization, {"config.json", 3, 1});
  return format ? "no mistakes" : to_string(format.error());
}

TEST_CASE("stored_format: gptq and awq are integer weights with scales for groups") {
  for (const char* method : {"gptq", "awq"}) {
    const PrecisionPolicy policy = precision({.method = method, .bits = 4, .group_size = 128});

    CHECK(policy.name == "w4a16");
    CHECK((policy.weight_format == DType::int4));
    CHECK((policy.weight_scales == WeightScales{.group = 128, .bits = 16 + 4}));
    CHECK((policy.compute == DType::fp16));
    CHECK_FALSE(policy.quantize_activations);
    CHECK((policy.quantized_layers == QuantizedLayers::inner));
  }
}

TEST_CASE("stored_format: the name says what is unusual") {
  CHECK(precision({.method = "gptq", .bits = 4, .group_size = 32}).name == "w4a16-g32");
  CHECK(precision({.method = "gptq", .bits = 8, .group_size = -1}).name == "w8a16-row");
  CHECK(precision({.method = "gptq", .bits = 8, .group_size = -1}).weight_scales.group == 0);
}

TEST_CASE("stored_format: fp8 has a scale for each block and multiplies in fp8") {
  const PrecisionPolicy blocks = precision({.method = "fp8", .group_size = 128 * 128});

  CHECK((blocks.weight_scales == WeightScales{.group = 128 * 128, .bits = 32}));
  CHECK((blocks.compute == DType::fp8));
  CHECK(blocks.quantize_activations);
  CHECK(precision({.method = "fp8"}).weight_scales.group == 0);
}

TEST_CASE("stored_format: bitsandbytes, 8 and 4 bits") {
  CHECK(precision({.method = "bitsandbytes", .bits = 8}).name == "int8");
  CHECK(precision({.method = "bitsandbytes", .bits = 4, .double_quantized = true}).name == "nf4");
  const PrecisionPolicy single = precision({.method = "bitsandbytes", .bits = 4});
  CHECK(single.name == "nf4-single");
  CHECK((single.weight_scales == WeightScales{.group = 64, .bits = 32}));
}

TEST_CASE("stored_format: mxfp4 is of experts only") {
  const PrecisionPolicy policy = precision({.method = "mxfp4"});

  CHECK((policy.quantized_layers == QuantizedLayers::experts));
  CHECK((policy.weight_format == DType::fp4));
  CHECK((policy.weight_scales == WeightScales{.group = 32, .bits = 8}));
}

TEST_CASE("stored_format: compressed-tensors by type, width and activations") {
  const std::string method = "compressed-tensors";

  CHECK(precision({.method = method, .bits = 4, .group_size = 128}).name == "w4a16");
  CHECK(precision({.method = method, .bits = 8, .activations = true}).name == "int8");
  CHECK(precision({.method = method, .bits = 8, .floating = true, .activations = true}).name == "fp8");
  CHECK(precision({.method = method, .bits = 8, .floating = true}).name == "fp8-weights");
  CHECK(precision({.method = method, .bits = 4, .floating = true}).name == "nvfp4");
  CHECK(complaint({.method = method, .bits = 4, .activations = true}) ==
        "config.json:3:1: error: compressed-tensors: integer 4-bit weights and activations are not known "
        "here\n");
}

TEST_CASE("stored_format: unknown methods and widths are errors") {
  CHECK(complaint({.method = "gtpq"}) ==
        "config.json:3:1: error: unknown format of weights 'gtpq'\n  hint: did you mean 'gptq'?\n");
  CHECK(complaint({.method = "gptq", .bits = 3}) ==
        "config.json:3:1: error: gptq: weights of 3 bits are not known here\n  hint: 4 and 8 are\n");
}

TEST_CASE("weights_only: the same weights, multiplied in the type of the rest") {
  const PrecisionPolicy fp8 = precision({.method = "fp8", .group_size = 128 * 128});
  const PrecisionPolicy weights = weights_only(fp8);

  CHECK(weights.name == "fp8-weights");
  CHECK((weights.compute == DType::fp16));
  CHECK((weights.weight_format == DType::fp8));
  CHECK((weights.weight_scales == fp8.weight_scales));
  CHECK_FALSE(weights.quantize_activations);
  CHECK(weights_only(*find_precision("w4a16")).name == "w4a16");
}

}  // namespace
}  // namespace roofcast
