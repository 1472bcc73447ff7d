#include "engine/decide/weights_note.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

StoredWeights stored(std::vector<StoredTensor> tensors) {
  StoredWeights weights{.format = "safetensors", .tensors = std::move(tensors), .elements = 0};
  for (const StoredTensor& tensor : weights.tensors) {
    *weights.elements += tensor.elements;
    weights.bytes_by_dtype.emplace_back(tensor.dtype, tensor.bytes);
  }
  return weights;
}

TEST_CASE("weights_note: nothing to say when the counts agree, or are not known") {
  CHECK(weights_note(stored({{.name = "a", .elements = 7}}), 5, 2).empty());
  CHECK(weights_note({.format = "safetensors", .bytes = 14}, 5, 0).empty());
}

TEST_CASE("weights_note: a second copy of a tied head, buffers, and what is left") {
  const StoredTensor body{.name = "embed_tokens.weight", .elements = 100};
  const StoredTensor head{.name = "lm_head.weight", .elements = 80};
  const StoredTensor rotary{.name = "layers.0.rotary_emb.inv_freq", .elements = 4};

  CHECK(
      weights_note(stored({body, head}), 100, 0) ==
      "the weight files hold 180 elements, 80 more than the model's 100 parameters: the output matrix, which "
      "the model may share with its embedding (80)");
  CHECK(weights_note(stored({body, rotary}), 98, 0) ==
        "the weight files hold 104 elements, 6 more than the model's 98 parameters: tables of rotary "
        "frequencies "
        "(4), the other 2 of heads or parts that the model leaves out");
  CHECK(
      weights_note(stored({body}), 90, 3) ==
      "the weight files hold 100 elements, 7 more than the model's 90 parameters and 3 statistics: perhaps 7 "
      "of heads or parts that the model leaves out");
}

TEST_CASE("weights_note: fewer elements are packed, or missing") {
  CHECK(weights_note(stored({{.name = "w", .dtype = "I32", .elements = 10}}), 80, 0) ==
        "the weight files hold 10 elements, 70 fewer than the model's 80 parameters: an element of I32 may "
        "hold "
        "several quantised weights");
  CHECK(weights_note(stored({{.name = "w", .dtype = "F32", .elements = 10}}), 80, 0) ==
        "the weight files hold 10 elements, 70 fewer than the model's 80 parameters: the files may lack a "
        "head, "
        "or belong to another model");
}

}  // namespace
}  // namespace roofcast
