#include <algorithm>

#include "engine/ops/families.hpp"

namespace roofcast {
namespace {

const std::vector<const Operator*>& table() {
  static const std::vector<const Operator*> all = [] {
    std::vector<const Operator*> rows;
    for (const OperatorRows family :
         {linear_operators(),    convolution_operators(),   attention_operators(),  kv_cache_operators(),
          expert_operators(),    normalization_operators(), activation_operators(), arithmetic_operators(),
          softmax_operators(),   pooling_operators(),       resize_operators(),     shape_operators(),
          reduction_operators(), embedding_operators(),     indexing_operators(),   recurrent_operators(),
          source_operators(),    dropout_operators(),       conversion_operators(), optimizer_operators()}) {
      for (const Operator& row : family) rows.push_back(&row);
    }
    return rows;
  }();
  return all;
}

}  // namespace

std::span<const Operator* const> operator_table() {
  return table();
}

const Operator* find_operator(std::string_view name) {
  const auto found = std::ranges::find(table(), name, &Operator::name);
  return found == table().end() ? nullptr : *found;
}

}  // namespace roofcast
