#include "engine/io/import_config/quantization.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace roofcast {
namespace {

std::optional<std::int64_t> integer(const Config& config, const std::string& path) {
  const nlohmann::json* value = config.find(path);
  if (value == nullptr || !value->is_number_integer()) return std::nullopt;
  return value->get<std::int64_t>();
}

bool flag(const Config& config, const std::string& path) {
  const nlohmann::json* value = config.find(path);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

// Weights that share a scale: of a row, or of a block of rows and columns.
std::optional<std::int64_t> group_size(const Config& config, const std::string& weights) {
  constexpr std::int64_t largest = 1 << 20;
  const auto rows = integer(config, weights + ".weight_block_size[0]");
  const auto columns = integer(config, weights + ".weight_block_size[1]");
  if (rows && columns && *rows > 0 && *columns > 0 && *rows <= largest && *columns <= largest)
    return *rows * *columns;
  const auto group = integer(config, weights + ".group_size");
  return group && *group <= largest ? group : std::nullopt;
}

}  // namespace

std::optional<Quantization> read_quantization(const Config& config) {
  const std::string root = "quantization_config";
  const auto method = config.text(root + ".quant_method");
  if (!method) return std::nullopt;
  Quantization result{.method = *method};
  if (*method == "compressed-tensors") {  // the first group; others differ in the layers that they name
    const std::string group = root + ".config_groups.group_0";
    result.bits = integer(config, group + ".weights.num_bits");
    result.group_size = group_size(config, group + ".weights");
    result.floating = config.text(group + ".weights.type") == "float";
    result.activations = config.find(group + ".input_activations") != nullptr;
    return result;
  }
  result.bits = integer(config, root + ".bits");
  result.group_size = group_size(config, root);
  if (*method == "bitsandbytes") {
    result.bits = flag(config, root + ".load_in_4bit") ? 4 : 8;
    result.double_quantized = flag(config, root + ".bnb_4bit_use_double_quant");
  }
  return result;
}

}  // namespace roofcast
