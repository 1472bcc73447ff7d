#include <doctest/doctest.h>

#include "tests/engine/graph/show_graph.hpp"
#include "tests/toy_model.hpp"

namespace roofcast {
namespace {

using Operands = std::vector<std::string>;

const std::string head = model_head() + input("x", "\"batch\", 8");

TypedGraph in(std::string_view precision, const std::string& nodes, Task task = Task::inference) {
  const auto graph = infer_shapes(load(head + nodes), task);
  REQUIRE(graph.has_value());
  return apply_precision(*graph, *find_precision(precision));
}

const std::string linear = node("fc", "linear", "\"x\"", "out_features = 4");

TEST_CASE("apply_precision: every tensor gets a type") {
  for (const PrecisionPolicy& policy : precision_presets()) {
    CAPTURE(policy.name);
    const TypedGraph graph = in(policy.name, linear + node("norm", "layer_norm") + node("act", "gelu") +
                                                 node("view", "reshape", {}, "shape = [-1]"));
    for (const Tensor& tensor : graph.tensors) {
      CAPTURE(tensor.name);
      CHECK(tensor.type.dtype.has_value());
    }
  }
}

TEST_CASE("apply_precision: fp16 stores and multiplies in fp16 without a cast") {
  const TypedGraph graph = in("fp16", linear);

  CHECK(operands(graph, "fc", "linear") ==
        Operands{"x [batch, 8] fp16", "fc.weight [4, 8] fp16", "fc.bias [4] fp16"});
  CHECK(dtype_of(graph, "fc") == "fp16");
  CHECK(count_of(graph, "cast") == 0);
}

TEST_CASE("apply_precision: autocast casts operands of a product, once for each consumer") {
  const TypedGraph graph =
      in("amp-fp16", linear + node("other", "linear", "\"x\"", "out_features = 4\nbias = false"));

  CHECK(operands(graph, "fc", "linear") ==
        Operands{"x.fp16 [batch, 8] fp16", "fc.weight.fp16 [4, 8] fp16", "fc.bias.fp16 [4] fp16"});
  CHECK(count_of(graph, "cast") == 3 + 2);
  CHECK(dtype_of(graph, "fc.weight") == "fp32");
  CHECK(dtype_of(graph, "fc") == "fp16");
}

TEST_CASE("apply_precision: what is in 16 bits already is not cast again") {
  const TypedGraph graph = in("amp-fp16", linear + node("act", "relu") +
                                              node("next", "linear", {}, "out_features = 4\nbias = false"));

  CHECK(operands(graph, "next", "linear") == Operands{"act [batch, 4] fp16", "next.weight.fp16 [4, 4] fp16"});
}

TEST_CASE("apply_precision: autocast normalises in fp32") {
  const TypedGraph graph = in("amp-bf16", linear + node("norm", "layer_norm"));

  CHECK(operands(graph, "norm", "layer_norm") ==
        Operands{"fc.fp32 [batch, 4] fp32", "norm.weight [4] fp32", "norm.bias [4] fp32"});
  CHECK(dtype_of(graph, "norm") == "fp32");
}

TEST_CASE("apply_precision: without autocast a norm stays in 16 bits") {
  CHECK(operands(in("bf16", linear + node("norm", "layer_norm")), "norm", "layer_norm").front() ==
        "fc [batch, 4] bf16");
}

TEST_CASE("apply_precision: a sum takes the wider of its operands") {
  const TypedGraph graph =
      in("amp-fp16", node("fc", "linear", "\"x\"", "out_features = 8") + node("sum", "add", "\"fc\", \"x\""));

  CHECK(operands(graph, "sum", "add") == Operands{"fc [batch, 8] fp16", "x [batch, 8] fp32"});
  CHECK(dtype_of(graph, "sum") == "fp32");
}

TEST_CASE("apply_precision: fp8 and int8 quantise weights and what is multiplied with them") {
  const TypedGraph fp8 = in("fp8", linear);
  const TypedGraph int8 = in("int8", linear);

  CHECK(operands(fp8, "fc", "linear") ==
        Operands{"x.fp8 [batch, 8] fp8", "fc.weight [4, 8] fp8", "fc.bias [4] bf16"});
  CHECK(operands(int8, "fc", "linear") ==
        Operands{"x.int8 [batch, 8] int8", "fc.weight [4, 8] int8", "fc.bias [4] fp16"});
  CHECK(count_of(fp8, "quantize") == 1);
  CHECK(dtype_of(fp8, "fc") == "bf16");
  CHECK(dtype_of(int8, "fc") == "fp16");
}

TEST_CASE("apply_precision: int8 quantises convolutions, fp8 does not") {
  const std::string conv = node("image", "reshape", "\"x\"", "shape = [\"batch\", 2, 4]") +
                           node("conv", "conv", {}, "out_channels = 2\nkernel = 1\nbias = false");

  CHECK(operands(in("int8", conv), "conv", "conv") ==
        Operands{"image.int8 [batch, 2, 4] int8", "conv.weight [2, 2, 1] int8"});
  CHECK(operands(in("fp8", conv), "conv", "conv") ==
        Operands{"image [batch, 2, 4] bf16", "conv.weight [2, 2, 1] bf16"});
}

TEST_CASE("apply_precision: products of two activations are not quantised") {
  CHECK(count_of(in("int8", node("product", "matmul", "\"x\", \"x\"", "transpose_b = true")), "quantize") ==
        0);
}

TEST_CASE("apply_precision: a table that is also a head's weight stays as the table needs it") {
  const std::string tied =
      model_head() + input("tokens", "\"batch\", 4", "int64") +
      node("table", "embedding", "\"tokens\"", "num_embeddings = 10\nembedding_dim = 8") +
      node("head", "linear", {}, "out_features = 10\nbias = false\nweights_of = \"table\"");
  const auto graph = infer_shapes(load(tied), Task::inference);

  CHECK(dtype_of(apply_precision(*graph, *find_precision("int8")), "table.weight") == "fp16");
}

TEST_CASE("apply_precision: views have the type of what they view, indices keep theirs") {
  const TypedGraph graph = in("amp-fp16", linear + node("view", "reshape", {}, "shape = [-1]") +
                                              node("ids", "arange", {}, "shape = [3]"));

  CHECK(dtype_of(graph, "view") == "fp16");
  CHECK(dtype_of(graph, "ids") == "int64");
}

TEST_CASE("apply_precision: running statistics stay fp32 in every precision") {
  const std::string conv =
      node("image", "reshape", "\"x\"", "shape = [\"batch\", 2, 4]") + node("norm", "batch_norm");

  for (const char* precision : {"fp16", "int8", "amp-bf16"}) {
    CAPTURE(precision);
    CHECK(dtype_of(in(precision, conv), "norm.running_mean") == "fp32");
  }
}

TEST_CASE("apply_precision: a block hands on the type of what it computes") {
  const TypedGraph graph = in("fp16", node("deep", "layer", "\"x\"", "repeat = 3") + block("layer") +
                                          block_node("fc", "linear", "\"x\"", "out_features = 8"));

  CHECK(dtype_of(graph, "deep.x") == "fp16");
  CHECK(graph.tensor(graph.regions[0].carries[0].result).type.dtype == DType::fp16);
}

TEST_CASE("apply_precision: a format of weights leaves activations, biases and the head as they are") {
  const TypedGraph graph =
      in("w4a16", linear + node("act", "relu") + node("head", "linear", {}, "out_features = 9") +
                      node("capped", "tanh"));

  CHECK(operands(graph, "fc", "linear") ==
        Operands{"x [batch, 8] fp16", "fc.weight [4, 8] int4", "fc.bias [4] fp16"});
  CHECK(dtype_of(graph, "fc") == "fp16");
  CHECK(dtype_of(graph, "head.weight") == "fp16");
  CHECK((tensor_named(graph, "fc.weight").scales == WeightScales{.group = 128, .bits = 16 + 4}));
  CHECK((tensor_named(graph, "head.weight").scales == WeightScales{}));
  CHECK(count_of(graph, "quantize") == 0);
}

TEST_CASE("apply_precision: only experts, if the format says so") {
  PrecisionPolicy policy = *find_precision("mxfp4");
  policy.quantized_layers = QuantizedLayers::experts;
  const std::string sizes = "experts = 4\ntop_k = 2\n";
  const auto typed = infer_shapes(load(head + linear + node("router", "router", {}, sizes) +
                                       node("up", "expert_linear", "\"fc\", \"router\"",
                                            sizes + "out_features = 8\nspread = true\nbias = true") +
                                       node("out", "combine", "\"up\", \"router\"")),
                                  Task::inference);
  REQUIRE(typed.has_value());
  const TypedGraph graph = apply_precision(*typed, policy);

  CHECK(dtype_of(graph, "up.weight") == "fp4");
  CHECK(dtype_of(graph, "up.bias") == "fp16");
  CHECK(dtype_of(graph, "fc.weight") == "fp16");
  CHECK(dtype_of(graph, "router.weight") == "fp16");
}

TEST_CASE("apply_precision: fp8 multiplies experts in fp8, their router in 16 bits") {
  const std::string sizes = "experts = 4\ntop_k = 2\n";
  const TypedGraph graph =
      in("fp8", node("router", "router", "\"x\"", sizes) + node("up", "expert_linear", "\"x\", \"router\"",
                                                                sizes + "out_features = 8\nspread = true"));

  CHECK(operands(graph, "up", "expert_linear") ==
        Operands{"x.fp8 [batch, 8] fp8", "router [batch, 2] bf16", "up.weight [4, 8, 8] fp8"});
  CHECK(dtype_of(graph, "router.weight") == "bf16");
}

TEST_CASE("apply_precision: keys and values are kept in a type of their own, if the precision has one") {
  const std::string text =
      model_head() + input("k", "\"batch\", 3, 8") + node("keys", "kv_cache", "\"k\"", "past = 5");
  const auto typed = infer_shapes(load(text), Task::inference);
  REQUIRE(typed.has_value());
  PrecisionPolicy policy = *find_precision("bf16");

  CHECK(dtype_of(apply_precision(*typed, policy), "keys.cache") == "bf16");
  policy.kv_cache = DType::fp8;
  CHECK(dtype_of(apply_precision(*typed, policy), "keys.cache") == "fp8");
  CHECK(dtype_of(apply_precision(*typed, policy), "keys") == "fp8");
}

}  // namespace
}  // namespace roofcast
