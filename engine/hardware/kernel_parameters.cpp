#include "engine/hardware/kernel_parameters.hpp"

namespace roofcast {
namespace {

// A parameter of one structure: its key, where it is, its physical bounds, how uncertain its start is.
template <class Parameters>
struct Field {
  std::string_view key{};
  double Parameters::*value = nullptr;
  double low = 0;
  double high = 0;
  double spread = 0;
};

constexpr Field<GemmParameters> gemm_fields[] = {
    {"peak_share", &GemmParameters::peak_share, 0.2, 1.0, 0.1},
    {"half_perimeter", &GemmParameters::half_perimeter, 1, 80, 0.5},
    {"small_tile", &GemmParameters::small_tile, 0.1, 1.0, 0.4},
    {"launch_us", &GemmParameters::launch_us, 0.3, 4, 0.4},
    {"wave_us", &GemmParameters::wave_us, 0.1, 10, 0.4},
    {"slab_us", &GemmParameters::slab_us, 0.005, 2, 0.6},
    {"bandwidth_share", &GemmParameters::bandwidth_share, 0.5, 1.0, 0.06},
    {"l2_bytes_per_clock", &GemmParameters::l2_bytes_per_clock, 5, 128, 0.5},
    {"latency_us", &GemmParameters::latency_us, 0.02, 3, 0.6},
    {"overlap", &GemmParameters::overlap, 1.2, 12, 0.4},
    {"split_us", &GemmParameters::split_us, 0.2, 8, 0.4},
    {"ramp_us", &GemmParameters::ramp_us, 0.05, 6, 0.5},
    {"write_weight", &GemmParameters::write_weight, 0.8, 3, 0.3},
    {"store_bytes_per_clock", &GemmParameters::store_bytes_per_clock, 2, 500, 0.7},
    {"unaligned", &GemmParameters::unaligned, 0.2, 1, 0.3},
    {"pack_bytes_per_clock", &GemmParameters::pack_bytes_per_clock, 0, 128, 0.5}};

constexpr Field<ConvolutionParameters> convolution_fields[] = {
    {"implicit_share", &ConvolutionParameters::implicit_share, 0.1, 1.0, 0.1},
    {"winograd_share", &ConvolutionParameters::winograd_share, 0, 1.2, 0.3},
    {"fused_winograd_share", &ConvolutionParameters::fused_winograd_share, 0, 1, 0.4},
    {"transform_share", &ConvolutionParameters::transform_share, 0.2, 1, 0.2},
    {"launch_us", &ConvolutionParameters::launch_us, 0.5, 8, 0.5},
    {"copied_share", &ConvolutionParameters::copied_share, 0.05, 1, 0.4},
    {"weight_gradient_share", &ConvolutionParameters::weight_gradient_share, 0.1, 1.1, 0.3},
    {"grouped_share", &ConvolutionParameters::grouped_share, 0.05, 1.1, 0.5},
    {"grouped_last_share", &ConvolutionParameters::grouped_last_share, 0.01, 1.1, 0.7},
    {"depthwise_share", &ConvolutionParameters::depthwise_share, 0.05, 1, 0.5},
    {"depthwise_taps", &ConvolutionParameters::depthwise_taps, 1, 128, 0.7},
    {"depthwise_weight_share", &ConvolutionParameters::depthwise_weight_share, 0.01, 1, 0.7}};

constexpr Field<AttentionParameters> attention_fields[] = {
    {"forward_share", &AttentionParameters::forward_share, 0.05, 0.95, 0.3},
    {"backward_share", &AttentionParameters::backward_share, 0.05, 0.95, 0.3},
    {"score_operations", &AttentionParameters::score_operations, 2, 100, 0.4},
    {"launch_us", &AttentionParameters::launch_us, 1, 20, 0.5},
    {"imbalance", &AttentionParameters::imbalance, 0.02, 3, 0.7},
    {"bandwidth_share", &AttentionParameters::bandwidth_share, 0.3, 1, 0.2},
    {"few_blocks", &AttentionParameters::few_blocks, 0.01, 4, 0.7},
    {"decode_launch_us", &AttentionParameters::decode_launch_us, 1, 20, 0.5},
    {"decode_head_us", &AttentionParameters::decode_head_us, 0.01, 20, 0.7}};

constexpr Field<StreamParameters> stream_fields[] = {
    {"bandwidth_share", &StreamParameters::bandwidth_share, 0.1, 1, 0.15},
    {"launch_us", &StreamParameters::launch_us, 0.5, 3, 0.3},
    {"operations_share", &StreamParameters::operations_share, 0.02, 1, 0.5},
    {"short_row", &StreamParameters::short_row, 0, 8192, 0},
    {"further_reads", &StreamParameters::further_reads, 0, 4, 0.7},
    {"long_row_kib", &StreamParameters::long_row_kib, 0.25, 1024, 0.7},
    {"long_row_reads", &StreamParameters::long_row_reads, 0, 6, 0.5},
    {"row_us", &StreamParameters::row_us, 0, 5, 0.8}};

constexpr Field<GatherParameters> gather_fields[] = {
    {"bandwidth_share", &GatherParameters::bandwidth_share, 0.1, 1, 0.3},
    {"launch_us", &GatherParameters::launch_us, 0.5, 6, 0.3},
    {"sector_bytes", &GatherParameters::sector_bytes, 16, 256, 0.3}};

constexpr Field<PowerParameters> power_fields[] = {
    {"watts_per_tera", &PowerParameters::watts_per_tera, 0.05, 80, 0.5},
    {"clock_exponent", &PowerParameters::clock_exponent, 0.2, 0.6, 0.1}};

constexpr Field<CacheParameters> cache_fields[] = {
    {"resident_share", &CacheParameters::resident_share, 0.1, 1, 0.3},
    {"l2_bytes_per_clock", &CacheParameters::l2_bytes_per_clock, 5, 128, 0.4}};

template <class Parameters, std::size_t count>
void append(std::vector<NamedParameter>& all, const std::string& table, Parameters& parameters,
            const Field<Parameters> (&fields)[count]) {
  for (const Field<Parameters>& field : fields) {
    all.push_back({table, field.key, &(parameters.*field.value), field.low, field.high, field.spread});
  }
}

}  // namespace

std::string_view to_string(MatrixUnit unit) {
  switch (unit) {
    case MatrixUnit::vector: return "vector";
    case MatrixUnit::tensor32: return "tensor32";
    case MatrixUnit::tensor16: return "tensor16";
    case MatrixUnit::tensor8: return "tensor8";
  }
  return "";
}

std::vector<NamedParameter> named_parameters(KernelParameters& parameters) {
  std::vector<NamedParameter> all;
  const auto unit_name = [](std::size_t unit) {
    return std::string(to_string(static_cast<MatrixUnit>(unit)));
  };
  for (std::size_t unit = 0; unit < matrix_units; ++unit) {
    append(all, "gemm." + unit_name(unit), parameters.gemm[unit], gemm_fields);
  }
  for (std::size_t unit = 0; unit < matrix_units; ++unit) {
    append(all, "convolution." + unit_name(unit), parameters.convolution[unit], convolution_fields);
    append(all, "convolution." + unit_name(unit) + ".product", parameters.convolution[unit].product,
           gemm_fields);
  }
  append(all, "attention", parameters.attention, attention_fields);
  for (std::size_t kind = 0; kind < stream_kinds; ++kind) {
    append(all, "stream." + std::string(to_string(static_cast<StreamKind>(kind))), parameters.stream[kind],
           stream_fields);
  }
  append(all, "gather", parameters.gather, gather_fields);
  for (std::size_t unit = 0; unit < matrix_units; ++unit) {
    append(all, "power." + unit_name(unit), parameters.power[unit], power_fields);
  }
  append(all, "cache", parameters.cache, cache_fields);
  return all;
}

}  // namespace roofcast
