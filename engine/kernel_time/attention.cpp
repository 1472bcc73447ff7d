#include "engine/kernel_time/attention.hpp"

#include <algorithm>
#include <cmath>

namespace roofcast {
namespace {

constexpr double tile = 128;

// Short sequences use tiles of 64.
double padded(double length) {
  return length < tile ? 64 * std::ceil(length / 64) : tile * std::ceil(length / tile);
}

double padded_head(double size) {
  return 32 * std::ceil(size / 32);
}

// The longest row of tiles over the mean one. Under a causal mask row t = 1..n sees b + t tiles, b of them
// before the first query (executed.hpp): (b + n) / (b + (n + 1) / 2). A window makes rows alike.
double longest_row(const Attention<std::int64_t>& form) {
  const bool windowed = form.window > 0 && form.window < form.key_length;
  if (!form.causal || windowed || form.query_length > form.key_length) return 1;
  const double rows = std::ceil(static_cast<double>(form.query_length) / tile);
  const double before = static_cast<double>(form.key_length - form.query_length) / tile;
  return (before + rows) / (before + (rows + 1) / 2);
}

AttentionTime over_cache(const AttentionWork& work, const Machine& machine,
                         const AttentionParameters& fitted) {
  const auto& form = work.form;
  const double heads = static_cast<double>(form.batch * form.kv_heads);
  AttentionTime time{.launch = microseconds(fitted.decode_launch_us)};
  time.blocks = heads * std::ceil(static_cast<double>(form.key_length) / tile);
  const double share = time.blocks / (time.blocks + fitted.few_blocks * machine.sms);
  time.memory = (work.read + work.written) / (machine.bandwidth * (fitted.bandwidth_share * share)) +
                microseconds(fitted.decode_head_us) * (heads / machine.sms);
  const FlopsPerSecond peak = machine.matrix[static_cast<std::size_t>(work.arithmetic)];
  time.compute = Flops{2 * work.executed_macs} / (peak * fitted.forward_share);
  time.total = time.launch + std::max(time.compute, time.memory);
  return time;
}

}  // namespace

AttentionTime attention_time(const AttentionWork& work, const Machine& machine,
                             const AttentionParameters& fitted) {
  const auto& form = work.form;
  const auto queries = static_cast<double>(form.query_length);
  constexpr double few_queries = 8;
  if (form.pass == Pass::forward && queries <= few_queries) return over_cache(work, machine, fitted);
  AttentionTime time{.launch = microseconds(fitted.launch_us)};
  const double rows = std::ceil(queries / tile);
  time.blocks = static_cast<double>(form.batch * form.heads) * rows;
  const auto head_size = static_cast<double>(form.head_size);
  const double padding = padded(queries) / queries * padded(static_cast<double>(form.key_length)) /
                         static_cast<double>(form.key_length);
  const double macs = work.executed_macs * padding * padded_head(head_size) / head_size;
  // Two products of a score with a head's values in the forward pass, five in the backward pass.
  const double products = form.pass == Pass::forward ? 2 : 5;
  const double scores = work.executed_macs * padding / (products * head_size);
  const double share = form.pass == Pass::forward ? fitted.forward_share : fitted.backward_share;
  const double peak = machine.matrix[static_cast<std::size_t>(work.arithmetic)].value;
  const double all = 2 * macs / (peak * share) + fitted.score_operations * scores / machine.vector.value;
  const double longest = all / time.blocks * longest_row(form);
  const double waited = time.blocks > machine.sms ? fitted.imbalance * longest * (machine.sms - 1) : 0;
  time.compute = Seconds{std::max(all + waited, longest * machine.sms)};
  time.memory = (work.read + work.written) / (machine.bandwidth * fitted.bandwidth_share);
  time.total = time.launch + std::max(time.compute, time.memory);
  return time;
}

}  // namespace roofcast
