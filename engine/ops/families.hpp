#pragma once
// The operators of each family; `operator_table` puts them together. One family, one file.

#include "engine/ops/operator.hpp"

namespace roofcast {

using OperatorRows = std::span<const Operator>;

OperatorRows linear_operators();         // linear, matmul
OperatorRows convolution_operators();    // conv, conv_transpose
OperatorRows attention_operators();      // attention, rotary
OperatorRows kv_cache_operators();       // kv_cache
OperatorRows expert_operators();         // router, expert_linear, combine
OperatorRows normalization_operators();  // layer_norm, rms_norm, batch_norm, group_norm
OperatorRows activation_operators();     // relu, gelu, silu, ...
OperatorRows arithmetic_operators();     // add, sub, mul, div, scale
OperatorRows softmax_operators();        // softmax, losses
OperatorRows pooling_operators();        // max_pool, avg_pool, adaptive_avg_pool
OperatorRows resize_operators();         // resize
OperatorRows shape_operators();          // reshape, permute, split, slice, concat, ...
OperatorRows reduction_operators();      // sum, mean
OperatorRows embedding_operators();      // embedding, embedding_bag
OperatorRows indexing_operators();       // gather, scatter, rearrange, sort, ...
OperatorRows recurrent_operators();      // lstm
OperatorRows source_operators();         // parameter, arange, ...
OperatorRows dropout_operators();        // dropout
OperatorRows conversion_operators();     // cast, quantize, accumulate: what passes insert
OperatorRows optimizer_operators();      // sgd, momentum, adam, adamw

}  // namespace roofcast
