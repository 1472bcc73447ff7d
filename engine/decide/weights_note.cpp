#include "engine/decide/weights_note.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "engine/base/checked_arithmetic.hpp"

namespace roofcast {
namespace {

struct Kind {
  std::string_view what{};
  std::vector<std::string_view> endings{};  // of tensors' names
};

// What files hold besides parameters.
const std::array<Kind, 5>& kinds() {
  static const std::array<Kind, 5> all = {{
      {"tables of rotary frequencies",
       {"rotary_emb.inv_freq", "rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight"}},
      {"position indices", {"position_ids"}},
      {"causal masks", {".attn.bias", ".attn.masked_bias", ".attention.bias", ".attention.masked_bias"}},
      {"counters of batch normalisation", {"num_batches_tracked"}},
      {"scales and zero points of quantised weights",
       {".scales", ".qzeros", ".g_idx", ".weight_scale", ".weight_scale_inv", ".input_scale", ".absmax",
        ".quant_map"}},
  }};
  return all;
}

bool is_head(const StoredTensor& tensor) {
  return tensor.name == "lm_head.weight" || tensor.name == "output.weight";
}

bool is_packed(std::string_view dtype) {
  constexpr std::array<std::string_view, 4> integers = {"U8", "I8", "U32", "I32"};
  return std::ranges::find(integers, dtype) != integers.end();
}

std::string why_more(const StoredWeights& weights, std::int64_t more) {
  std::vector<std::string> reasons;
  std::int64_t unexplained = more;
  const auto explain = [&](std::string_view what, std::int64_t elements) {
    if (elements == 0 || elements > unexplained) return;
    reasons.push_back(fmt::format("{} ({})", what, elements));
    unexplained -= elements;
  };
  for (const Kind& kind : kinds()) {
    std::int64_t elements = 0;
    for (const StoredTensor& tensor : weights.tensors) {
      const bool matches = std::ranges::any_of(
          kind.endings, [&](std::string_view ending) { return tensor.name.ends_with(ending); });
      if (matches) elements += tensor.elements;
    }
    explain(kind.what, elements);
  }
  for (const StoredTensor& tensor : weights.tensors) {
    if (is_head(tensor))
      explain("the output matrix, which the model may share with its embedding", tensor.elements);
  }
  if (unexplained > 0) {
    reasons.push_back(fmt::format("{}{} of heads or parts that the model leaves out",
                                  reasons.empty() ? "perhaps " : "the other ",
                                  reasons.empty() ? more : unexplained));
  }
  return fmt::format("{}", fmt::join(reasons, ", "));
}

std::string why_fewer(const StoredWeights& weights) {
  for (const auto& [dtype, bytes] : weights.bytes_by_dtype) {
    if (is_packed(dtype)) return fmt::format("an element of {} may hold several quantised weights", dtype);
  }
  return "the files may lack a head, or belong to another model";
}

}  // namespace

std::string weights_note(const StoredWeights& weights, std::int64_t parameters, std::int64_t statistics) {
  if (!weights.elements) return {};
  const std::int64_t expected =
      checked_add(parameters, statistics).value_or(std::numeric_limits<std::int64_t>::max());
  const std::int64_t more = *weights.elements - expected;
  if (more == 0) return {};
  const std::string values = statistics == 0
                                 ? fmt::format("{} parameters", parameters)
                                 : fmt::format("{} parameters and {} statistics", parameters, statistics);
  return fmt::format("the weight files hold {} elements, {} {} than the model's {}: {}", *weights.elements,
                     more > 0 ? more : -more, more > 0 ? "more" : "fewer", values,
                     more > 0 ? why_more(weights, more) : why_fewer(weights));
}

}  // namespace roofcast
