#include "engine/validate/network_options.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace roofcast {
namespace {

std::optional<Optimizer> optimizer_of(std::string_view name) {
  if (name.empty()) return Optimizer::none;
  if (name == "sgd-momentum") return Optimizer::momentum;
  return parse_optimizer(name);
}

}  // namespace

Predicted<PrecisionPolicy> network_precision(const NetworkRow& row) {
  PrecisionPolicy policy{.storage = row.storage,
                         .compute = row.compute,
                         .autocast = row.storage == DType::fp32 && bits(row.compute) == 16,
                         .tf32_matmul = row.tf32 == Tf32::on,
                         .tf32_convolution = row.tf32 != Tf32::off};
  if (row.compute == DType::int8 || row.compute == DType::fp8) {
    policy = *find_precision(to_string(row.compute));
  }
  if (!row.weight_format.empty()) {
    const PrecisionPolicy* weights = find_precision(row.weight_format);
    if (weights == nullptr || !weights->weight_format) return no_prediction("weights:" + row.weight_format);
    policy.weight_format = weights->weight_format;
    policy.weight_scales = weights->weight_scales;
    policy.quantized_layers = weights->quantized_layers;
  }
  if (!row.kv_format.empty()) {
    policy.kv_cache = parse_dtype(row.kv_format);
    if (!policy.kv_cache) return no_prediction("kv_cache:" + row.kv_format);
  }
  const MeasuredRow named{.what = row};
  policy.name = precision_name(named);
  return policy;
}

Predicted<CompileOptions> network_options(const NetworkRow& row, const Runtime& runtime) {
  if (!row.adapter.empty()) return no_prediction("adapter", row.adapter);
  if (row.recomputes && row.task == Task::training) return no_prediction("recomputation");
  const auto optimizer = optimizer_of(row.optimizer);
  if (!optimizer) return no_prediction("optimizer:" + row.optimizer);
  auto policy = network_precision(row);
  if (!policy) return tl::make_unexpected(policy.error());
  CompileOptions options{
      .task = row.task, .precision = *std::move(policy), .runtime = runtime, .optimizer = *optimizer};
  options.channels_last = row.layout == ImageLayout::nhwc;
  if (row.attention != AttentionKind::unknown) {
    options.runtime.fused_attention = row.attention == AttentionKind::fused;
  }
  return options;
}

}  // namespace roofcast
