// Fused attention over whole sequences, causal or not, where all queries are there at once.

#include <fmt/format.h>

#include <array>

#include "kernels/probes/families.hpp"

namespace roofcast {
namespace {

constexpr std::array ops = {"attention_prefill", "attention_bidirectional"};

/// Pairs of a query and a key that it sees: s (s + 1) / 2 of s causal queries, s^2 otherwise.
double pairs_of(const char* op, int length) {
  const double all = static_cast<double>(length) * length;
  return op == ops[0] ? (all + length) / 2 : all;
}

/// For each pair a multiply-add by the query and one by the weight for each number of the head, and five
/// operations of the softmax, as engine/ops counts them.
Probe attention_probe(const char* op, std::string_view precision, const AttentionSizes& sizes) {
  const double tokens = static_cast<double>(sizes.batch) * sizes.query_length;
  const double bytes = tokens * sizes.head_size * value_bytes(precision);  // of one head
  return {.op = op,
          .precision = std::string(precision),
          .m = static_cast<std::int64_t>(tokens) * sizes.heads,
          .n = sizes.head_size,
          .attention = sizes,
          .residency = Residency::cold,
          .group = fmt::format("attention:h{}kv{}d{}", sizes.heads, sizes.kv_heads, sizes.head_size),
          .operations = Flops{pairs_of(op, sizes.query_length) * sizes.batch * sizes.heads *
                              (4.0 * sizes.head_size + 5)},
          .read = Bytes{bytes * (sizes.heads + 2 * sizes.kv_heads)},
          .written = Bytes{bytes * sizes.heads}};
}

struct Heads {
  int queries = 1;
  int keys = 1;
  int size = 64;
};

// BERT and GPT-2, BERT large, Llama 2, Llama 3, one head of each size.
std::vector<Heads> heads_of(Extent extent) {
  if (extent == Extent::quick) return {{12, 12, 64}, {32, 8, 128}};
  return {{12, 12, 64}, {16, 16, 64}, {32, 32, 128}, {32, 8, 128}, {1, 1, 64}, {1, 1, 128}};
}

}  // namespace

std::vector<Probe> attention_probes(Extent extent, const ProbeLimits& limits) {
  if (limits.supported.empty()) return {};
  // One length is no multiple of a tile.
  const std::vector<int> lengths =
      extent == Extent::quick ? std::vector{512, 2048} : std::vector{64, 128, 197, 512, 1024, 2048, 4096};
  const std::vector<int> batches = extent == Extent::quick ? std::vector{4} : std::vector{1, 8};
  std::vector<Probe> probes;
  for (const char* op : ops) {
    for (const std::string_view precision : precisions_of(op, limits)) {
      for (const Heads& heads : heads_of(extent)) {
        for (const int length : lengths) {
          for (const int batch : batches) {
            probes.push_back(attention_probe(op, precision,
                                             {batch, length, length, heads.queries, heads.keys, heads.size}));
          }
        }
      }
    }
  }
  return probes;
}

}  // namespace roofcast
