#pragma once
// What attention is measured over.

namespace roofcast {

/// Queries and results are [batch, query_length, heads, head_size], keys and values [batch, key_length,
/// kv_heads, head_size], all in rows. `heads` is a multiple of `kv_heads`: neighbouring heads share keys and
/// values.
struct AttentionSizes {
  int batch = 1;
  int query_length = 1;
  int key_length = 1;
  int heads = 1;
  int kv_heads = 1;
  int head_size = 64;
};

}  // namespace roofcast
