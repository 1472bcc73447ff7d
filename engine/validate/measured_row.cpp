#include "engine/validate/measured_row.hpp"

#include <fmt/format.h>

namespace roofcast {
namespace {

std::string policy_name(const NetworkRow& row) {
  if (!row.weight_format.empty()) return row.weight_format;
  if (row.storage == DType::fp32 && row.compute == DType::fp32) {
    switch (row.tf32) {
      case Tf32::off: return "fp32";
      case Tf32::convolutions: return "tf32-convolutions";
      case Tf32::on: return "tf32";
    }
  }
  if (row.storage == row.compute) return std::string(to_string(row.storage));
  if (row.storage == DType::fp32) return fmt::format("amp-{}", to_string(row.compute));
  return fmt::format("{}-in-{}", to_string(row.storage), to_string(row.compute));
}

}  // namespace

std::string_view kernel_kind(const MeasuredRow& row) {
  const auto* op = std::get_if<OperatorRow>(&row.what);
  return op != nullptr ? std::string_view(op->op) : "network";
}

std::string precision_name(const MeasuredRow& row) {
  if (const auto* op = std::get_if<OperatorRow>(&row.what)) return op->precision;
  return policy_name(std::get<NetworkRow>(row.what));
}

std::string_view task_name(const MeasuredRow& row) {
  const auto* network = std::get_if<NetworkRow>(&row.what);
  if (network == nullptr) return "forward";
  return network->task == Task::training ? "training" : "inference";
}

std::string_view scope_name(const MeasuredRow& row) {
  const auto* network = std::get_if<NetworkRow>(&row.what);
  return network == nullptr || network->device_only ? "device" : "host";
}

std::string_view model_name(const MeasuredRow& row) {
  const auto* network = std::get_if<NetworkRow>(&row.what);
  return network != nullptr ? std::string_view(network->model) : std::string_view{};
}

}  // namespace roofcast
