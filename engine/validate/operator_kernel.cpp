#include "engine/validate/operator_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace roofcast {
namespace {

using Dim = std::int64_t;

/// What a precision of an operator's table means.
struct OperandTypes {
  std::string_view name{};
  DType operand = DType::fp32;  ///< that are multiplied
  DType weight = DType::fp32;   ///< as stored; a row may say otherwise
  DType result = DType::fp32;
  bool tf32 = false;
};

// Quantised products read 8-bit operands and write 16 bits; block scales are not counted: below 2% of the
// bytes. Weight-only formats multiply in 16 bits.
constexpr std::array precisions = {
    OperandTypes{"fp32"},
    OperandTypes{.name = "tf32", .tf32 = true},
    OperandTypes{"fp16", DType::fp16, DType::fp16, DType::fp16},
    OperandTypes{"bf16", DType::bf16, DType::bf16, DType::bf16},
    OperandTypes{"fp8", DType::fp8, DType::fp8, DType::bf16},
    OperandTypes{"fp8-block", DType::fp8, DType::fp8, DType::bf16},
    OperandTypes{"int8", DType::int8, DType::int8, DType::fp16},
    OperandTypes{"int8-smoothquant", DType::int8, DType::int8, DType::fp16},
    OperandTypes{"w8a16", DType::fp16, DType::int8, DType::fp16},
    OperandTypes{"w4a16", DType::fp16, DType::int4, DType::fp16},
};

double bytes_each(DType dtype) {
  return static_cast<double>(bits(dtype)) / 8.0;
}

double product(std::initializer_list<Dim> sizes) {
  double all = 1;
  for (const Dim size : sizes) all *= static_cast<double>(size);
  return all;
}

Arithmetic arithmetic_of(const OperandTypes& types, bool convolution) {
  const PrecisionPolicy policy{.tf32_matmul = types.tf32, .tf32_convolution = types.tf32};
  return matrix_arithmetic(policy, types.operand, convolution);
}

BoundKernel gemm(const OperatorRow& row, const OperandTypes& types) {
  const double weight = row.weight_bytes.value_or(bytes_each(types.weight));
  return {.form = Gemm<Dim>{row.batch, row.m, row.n, row.k},
          .arithmetic = arithmetic_of(types, false),
          .macs = product({row.batch, row.m, row.n, row.k}),
          .read = Bytes{product({row.batch, row.m, row.k}) * bytes_each(types.operand) +
                        product({row.batch, row.k, row.n}) * weight},
          .written = Bytes{product({row.batch, row.m, row.n}) * bytes_each(types.result)}};
}

/// Output size s' = floor((s + 2 p - k) / d) + 1: size s, padding p, kernel k, stride d.
Predicted<BoundKernel> convolution(const OperatorRow& row, const OperandTypes& types) {
  const Dim space = row.input_size + 2 * row.padding - row.kernel_size;
  if (space < 0) return no_prediction("sizes", "the kernel is larger than the padded input");
  const Dim output = space / row.stride + 1;
  const double weight = row.weight_bytes.value_or(bytes_each(types.weight));
  const double results = product({row.batch, row.out_channels, output, output});
  const double taps = product({row.in_channels, row.kernel_size, row.kernel_size});
  return BoundKernel{.form = Convolution<Dim>{.batch = row.batch,
                                              .in_channels = row.in_channels,
                                              .out_channels = row.out_channels,
                                              .input = {1, row.input_size, row.input_size},
                                              .output = {1, output, output},
                                              .kernel = {1, row.kernel_size, row.kernel_size},
                                              .stride = {1, row.stride, row.stride}},
                     .arithmetic = arithmetic_of(types, true),
                     .macs = results * taps,
                     .read = Bytes{product({row.batch, row.in_channels, row.input_size, row.input_size}) *
                                       bytes_each(types.operand) +
                                   static_cast<double>(row.out_channels) * taps * weight},
                     .written = Bytes{results * bytes_each(types.result)}};
}

// As engine/ops/attention.cpp: per score five operations of the softmax.
BoundKernel attention(const OperatorRow& row, const OperandTypes& types, bool causal) {
  const double scores = product({row.batch, row.heads, row.query_length, row.key_length});
  const double queries = product({row.batch, row.heads, row.query_length, row.head_size});
  const double keys = product({row.batch, row.kv_heads, row.key_length, row.head_size});
  const DType cached = row.kv_dtype.value_or(types.operand);
  return {.form = Attention<Dim>{.batch = row.batch,
                                 .heads = row.heads,
                                 .kv_heads = row.kv_heads,
                                 .query_length = row.query_length,
                                 .key_length = row.key_length,
                                 .head_size = row.head_size,
                                 .causal = causal},
          .arithmetic = arithmetic_of(types, false),
          .macs = 2 * scores * static_cast<double>(row.head_size),
          .operations = 5 * scores,
          .read = Bytes{queries * bytes_each(types.operand) + 2 * keys * bytes_each(cached)},
          .written = Bytes{queries * bytes_each(types.result)}};
}

/// An operator that reads and writes each element a fixed number of times.
struct StreamOperator {
  std::string_view name{};
  StreamKind kind = StreamKind::elementwise;
  int reads = 1;       ///< values read for each one written
  int operations = 1;  ///< per value written, as in engine/ops
  int learned = 0;     ///< values for each column
  int statistics = 0;  ///< fp32 values written for each row, which a backward pass would need
};

constexpr std::array streams = {
    StreamOperator{"add_tensor", StreamKind::elementwise, 2},
    StreamOperator{"sub_tensor", StreamKind::elementwise, 2},
    StreamOperator{"mul_tensor", StreamKind::elementwise, 2},
    StreamOperator{"div_tensor", StreamKind::elementwise, 2},
    StreamOperator{"pow_tensor", StreamKind::elementwise, 2, 10},
    StreamOperator{"add_scalar", StreamKind::elementwise},
    StreamOperator{"sub_scalar", StreamKind::elementwise},
    StreamOperator{"mul_scalar", StreamKind::elementwise},
    StreamOperator{"div_scalar", StreamKind::elementwise},
    StreamOperator{"pow_scalar", StreamKind::elementwise, 1, 10},
    StreamOperator{"relu", StreamKind::elementwise},
    StreamOperator{"gelu", StreamKind::elementwise, 1, 14},
    StreamOperator{"silu", StreamKind::elementwise, 1, 12},
    StreamOperator{"silu_and_mul", StreamKind::gated_activation, 2, 13},
    StreamOperator{"softmax", StreamKind::softmax, 1, 14},
    StreamOperator{"layernorm", StreamKind::normalization, 1, 8, 2, 2},
    StreamOperator{"rmsnorm", StreamKind::rms_normalization, 1, 8, 1, 1},
};

BoundKernel stream(const OperatorRow& row, const StreamOperator& op, const OperandTypes& types) {
  const double elements = product({row.m, row.n});
  const double size = bytes_each(types.result);
  const bool reduces = op.kind == StreamKind::softmax || op.kind == StreamKind::normalization ||
                       op.kind == StreamKind::rms_normalization;
  return {.form = Stream<Dim>{op.kind, row.m * row.n, reduces ? row.n : 0},
          .operations = op.operations * elements,
          .read = Bytes{(op.reads * elements + op.learned * static_cast<double>(row.n)) * size},
          .written =
              Bytes{elements * size + op.statistics * static_cast<double>(row.m) * bytes_each(DType::fp32)}};
}

constexpr std::array<std::string_view, 6> products = {
    "gemm", "bmm", "conv2d", "attention_prefill", "attention_decode", "attention_bidirectional"};

}  // namespace

Predicted<std::vector<BoundKernel>> operator_kernels(const OperatorRow& row) {
  const auto types = std::ranges::find(precisions, row.precision, &OperandTypes::name);
  if (types == precisions.end()) return no_prediction("precision:" + row.precision);
  if (row.op == "gemm" || row.op == "bmm") return std::vector{gemm(row, *types)};
  if (row.op == "conv2d") {
    auto kernel = convolution(row, *types);
    if (!kernel) return tl::make_unexpected(kernel.error());
    return std::vector{*std::move(kernel)};
  }
  if (row.op == "attention_prefill") return std::vector{attention(row, *types, true)};
  // The one query of a generated token sees all keys.
  if (row.op == "attention_decode" || row.op == "attention_bidirectional")
    return std::vector{attention(row, *types, false)};
  const auto op = std::ranges::find(streams, row.op, &StreamOperator::name);
  if (op == streams.end()) return no_prediction("operator:" + row.op);
  return std::vector{stream(row, *op, *types)};
}

std::vector<std::string> known_operators() {
  std::vector<std::string> names(products.begin(), products.end());
  for (const StreamOperator& op : streams) names.emplace_back(op.name);
  return names;
}

}  // namespace roofcast
