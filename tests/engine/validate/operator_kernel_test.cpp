#include "engine/validate/operator_kernel.hpp"

#include <doctest/doctest.h>

#include "engine/predict.hpp"
#include "tests/close_to.hpp"
#include "tests/toy_model.hpp"

namespace roofcast {
namespace {

BoundKernel only_kernel(const OperatorRow& row) {
  const auto kernels = operator_kernels(row);
  INFO("reason: ", kernels ? std::string("none") : kernels.error().reason);
  REQUIRE(kernels.has_value());
  REQUIRE(kernels->size() == 1);
  return kernels->front();
}

std::string reason(const OperatorRow& row) {
  const auto kernels = operator_kernels(row);
  return kernels ? std::string{} : kernels.error().reason;
}

TEST_CASE("operator_kernels: fp32 products are true fp32, tf32 ones run on Tensor Cores") {
  const OperatorRow row{.op = "bmm", .precision = "fp32", .batch = 2, .m = 3, .n = 5, .k = 7};
  OperatorRow tf32 = row;
  tf32.precision = "tf32";

  const BoundKernel kernel = only_kernel(row);

  CHECK(kernel.arithmetic == Arithmetic::vector_fp32);
  CHECK(only_kernel(tf32).arithmetic == Arithmetic::tensor_tf32);
  CHECK(kernel.macs == 2.0 * 3 * 5 * 7);
  CHECK(kernel.read.value == 4.0 * 2 * (3 * 7 + 7 * 5));
  CHECK(kernel.written.value == 4.0 * 2 * 3 * 5);
}

TEST_CASE("operator_kernels: quantised weights take what the row says, or what the format does") {
  OperatorRow row{.op = "gemm", .precision = "w4a16", .m = 8, .n = 16, .k = 32};

  CHECK(only_kernel(row).read.value == 2.0 * 8 * 32 + 0.5 * 32 * 16);
  CHECK(only_kernel(row).arithmetic == Arithmetic::tensor_fp16);
  row.weight_bytes = 0.625;
  CHECK(only_kernel(row).read.value == 2.0 * 8 * 32 + 0.625 * 32 * 16);
  row = {.op = "gemm", .precision = "fp8-block", .m = 8, .n = 16, .k = 32};
  CHECK(only_kernel(row).arithmetic == Arithmetic::tensor_fp8);
  CHECK(only_kernel(row).read.value == 1.0 * 8 * 32 + 1.0 * 32 * 16);
  CHECK(only_kernel(row).written.value == 2.0 * 8 * 16);
}

TEST_CASE("operator_kernels: attention reads the cache in its own type") {
  const OperatorRow row{.op = "attention_decode",
                        .precision = "bf16",
                        .batch = 2,
                        .query_length = 1,
                        .key_length = 100,
                        .heads = 8,
                        .kv_heads = 4,
                        .head_size = 16,
                        .kv_dtype = DType::fp8};

  const BoundKernel kernel = only_kernel(row);

  CHECK(kernel.macs == 2.0 * 2 * 8 * 1 * 100 * 16);
  CHECK(kernel.read.value == 2.0 * 2 * 8 * 16 + 2 * 1.0 * 2 * 4 * 100 * 16);
  CHECK(kernel.written.value == 2.0 * 2 * 8 * 16);
  CHECK_FALSE(std::get<Attention<std::int64_t>>(kernel.form).causal);
}

TEST_CASE("operator_kernels: only the attention of a prompt is causal") {
  const auto causal = [](const char* op) {
    const OperatorRow row{.op = op, .precision = "bf16", .query_length = 4, .key_length = 4};
    return std::get<Attention<std::int64_t>>(only_kernel(row).form).causal;
  };

  CHECK(causal("attention_prefill"));
  CHECK_FALSE(causal("attention_bidirectional"));
}

TEST_CASE("operator_kernels: reads and writes of streams") {
  const auto bytes = [](const char* op) {
    const BoundKernel kernel = only_kernel({.op = op, .precision = "fp16", .m = 3, .n = 5});
    return std::pair{kernel.read.value, kernel.written.value};
  };
  const double all = 2.0 * 3 * 5;

  CHECK(bytes("add_tensor") == std::pair{2 * all, all});
  CHECK(bytes("pow_scalar") == std::pair{all, all});
  CHECK(bytes("silu_and_mul") == std::pair{2 * all, all});
  CHECK(bytes("layernorm") == std::pair{all + 2.0 * 2 * 5, all + 4.0 * 2 * 3});
  CHECK(bytes("rmsnorm") == std::pair{all + 2.0 * 5, all + 4.0 * 3});
}

TEST_CASE("operator_kernels: what is not known has a reason") {
  CHECK(reason({.op = "sort", .precision = "fp32"}) == "operator:sort");
  CHECK(reason({.op = "gemm", .precision = "fp12"}) == "precision:fp12");
  CHECK(reason({.op = "conv2d", .precision = "fp32", .kernel_size = 5, .input_size = 3}) == "sizes");
  CHECK(
      reason({.op = "conv2d", .precision = "fp32", .kernel_size = 5, .input_size = 3, .padding = 1}).empty());
}

// The same operator in a model, lowered by the engine.
void check_as_lowered(const OperatorRow& row, const std::string& model) {
  CAPTURE(row.op);
  const auto compiled = compile(load(model), {.precision = *find_precision(row.precision)});
  REQUIRE(compiled.has_value());
  REQUIRE(compiled->kernels.size() == 1);
  const auto slots = slot_values(*compiled, {});
  REQUIRE(slots.has_value());
  const BoundKernel lowered = bound(compiled->kernels.front(), *slots);

  const BoundKernel kernel = only_kernel(row);

  CHECK(family(kernel.form) == family(lowered.form));
  CHECK(kernel.arithmetic == lowered.arithmetic);
  CHECK(kernel.macs == lowered.macs);
  CHECK(kernel.operations == lowered.operations);
  CHECK(kernel.read.value == lowered.read.value);
  CHECK(kernel.written.value == lowered.written.value);
}

TEST_CASE("operator_kernels: the same counts as the engine lowers a model's operator to") {
  const std::string rows = model_head("batch = 64") + input("x", "\"batch\", 256");
  check_as_lowered({.op = "gemm", .precision = "fp16", .m = 64, .n = 512, .k = 256},
                   rows + node("op", "linear", "\"x\"", "out_features = 512\nbias = false"));
  check_as_lowered({.op = "softmax", .precision = "fp16", .m = 64, .n = 256},
                   rows + node("op", "softmax", "\"x\""));
  check_as_lowered({.op = "gelu", .precision = "fp16", .m = 64, .n = 256},
                   rows + node("op", "gelu", "\"x\""));
  check_as_lowered({.op = "relu", .precision = "fp32", .m = 64, .n = 256},
                   rows + node("op", "relu", "\"x\""));
  check_as_lowered({.op = "add_tensor", .precision = "bf16", .m = 64, .n = 256},
                   rows + input("y", "\"batch\", 256") + node("op", "add", "\"x\", \"y\""));
  check_as_lowered({.op = "rmsnorm", .precision = "fp16", .m = 64, .n = 256},
                   rows + node("op", "rms_norm", "\"x\""));
  check_as_lowered({.op = "layernorm", .precision = "fp16", .m = 64, .n = 256},
                   rows + node("op", "layer_norm", "\"x\""));
  check_as_lowered({.op = "conv2d",
                    .precision = "tf32",
                    .batch = 4,
                    .in_channels = 16,
                    .out_channels = 32,
                    .kernel_size = 3,
                    .input_size = 29,
                    .stride = 2,
                    .padding = 1},
                   model_head("batch = 4") + input("x", "\"batch\", 16, 29, 29") +
                       node("op", "conv", "\"x\"",
                            "out_channels = 32\nkernel = 3\nstride = 2\npadding = 1\nbias = false"));
}

}  // namespace
}  // namespace roofcast
