#pragma once
// A row of a table of measurements: what ran where, and how long it took. Sizes are as their tables give
// them; what they mean is in tests/validation/README.md.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "engine/base/diagnostics.hpp"
#include "engine/base/dtype.hpp"
#include "engine/base/precision.hpp"
#include "engine/base/units.hpp"

namespace roofcast {

/// One kernel, or the few of one operator. Which sizes count depends on `op`.
struct OperatorRow {
  std::string op{};  ///< "gemm", "conv2d", "softmax", "attention_decode", ...
  std::string precision{};

  // Matrix products, and streams over m rows of n columns.
  std::int64_t batch = 1;  ///< also of convolutions and attention
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;

  // Convolutions over square images.
  std::int64_t in_channels = 1;
  std::int64_t out_channels = 1;
  std::int64_t kernel_size = 1;
  std::int64_t input_size = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;

  // Attention.
  std::int64_t query_length = 1;
  std::int64_t key_length = 1;
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t head_size = 1;

  std::optional<double> weight_bytes{};  ///< per element, if unlike what `precision` says
  std::optional<DType> kv_dtype{};       ///< of cached keys and values, if unlike `precision`
};

/// Whether fp32 products went through TF32 Tensor Cores.
enum class Tf32 : std::uint8_t { off, convolutions, on };

/// How attention was written. `unknown`: the runtime's own way.
enum class AttentionKind : std::uint8_t { unknown, written_out, fused };

enum class ImageLayout : std::uint8_t { none, nchw, nhwc };

/// What one figure is the time of. `whole`: one pass, or one step of training.
enum class MeasuredPhase : std::uint8_t {
  whole,
  prefill,
  decode,  ///< one token more
  mixed    ///< a prompt and all tokens after it
};

/// A pass of a network, or a step of its training.
struct NetworkRow {
  std::string model{};          ///< key in models.csv
  std::int64_t image_size = 0;  ///< pixels a side; 0: no images, or the model's own size
  Task task = Task::inference;
  std::int64_t batch = 1;
  std::int64_t input_length = 0;   ///< tokens; 0: the model's own
  std::int64_t output_length = 0;  ///< tokens generated
  DType storage = DType::fp32;
  DType compute = DType::fp32;
  Tf32 tf32 = Tf32::off;
  std::string weight_format{};  ///< "q4_k_m", "nf4", ...; empty: as `storage`
  std::string kv_format{};      ///< of cached keys and values; empty: as `storage`
  std::string optimizer{};      ///< "none", "adamw", "sgd-momentum", ...
  std::string adapter{};        ///< empty: none
  bool recomputes = false;      ///< activations, in the backward pass
  AttentionKind attention = AttentionKind::unknown;
  ImageLayout layout = ImageLayout::none;
  MeasuredPhase phase = MeasuredPhase::whole;
  bool device_only = false;  ///< the inputs were on the card, or its time alone was taken
};

struct MeasuredRow {
  std::string source{};
  std::string hardware{};  ///< as the table spells it
  std::string device{};    ///< our slug; empty: nobody knows this spelling
  std::string group{};     ///< what a fit leaves in or out as one: a weight's shape, or a network's key
  std::string runtime{};   ///< "pytorch-eager"; for operators who ran them: "torch", "vllm"
  Location where{};
  Seconds measured{};
  std::variant<OperatorRow, NetworkRow> what{};
};

/// The kind of kernel: an operator's name, or "network".
std::string_view kernel_kind(const MeasuredRow& row);

/// A policy by the names that people use: "fp32", "amp-fp16", "tf32-convolutions", "fp16", "q4_k_m". For an
/// operator as its table says.
std::string precision_name(const MeasuredRow& row);

/// "inference" or "training"; an operator's tables hold forward passes: "forward".
std::string_view task_name(const MeasuredRow& row);

/// What a network's time holds: "device", or "host" if loading or copying inputs is in it; an operator's is
/// the device's.
std::string_view scope_name(const MeasuredRow& row);

/// A network's key; empty for an operator.
std::string_view model_name(const MeasuredRow& row);

}  // namespace roofcast
