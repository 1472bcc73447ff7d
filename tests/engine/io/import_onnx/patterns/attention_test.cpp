#include <functional>

#include "engine/predict.hpp"
#include "tests/engine/io/import_onnx/onnx_graph.hpp"

namespace roofcast::onnx {
namespace {

using Names = std::vector<std::string>;

// Four heads of 16 over 10 positions, as most exporters write them.
constexpr std::int64_t length = 10;
constexpr std::int64_t heads = 4;
constexpr std::int64_t size = 16;
constexpr std::int64_t width = heads * size;
constexpr std::int64_t all_macs = 4 * length * width * width + 2 * heads * length * length * size;

std::string projected(OnnxGraph& file, const std::string& x, const std::string& name,
                      std::int64_t out = width) {
  return file.node("MatMul", {x, file.weight(name, {width, out})});
}

// [batch, length, heads * size] -> [batch, heads, length, size], or with `turned` [batch, heads, size,
// length]
std::string by_head(OnnxGraph& file, const std::string& value, bool turned = false,
                    std::int64_t count = heads) {
  const std::string split = file.reshape(value, {0, length, count, size});
  return file.transpose(split, turned ? Sizes{0, 2, 3, 1} : Sizes{0, 2, 1, 3});
}

std::string joined(OnnxGraph& file, const std::string& value) {
  const std::string result = file.reshape(file.transpose(value, {0, 2, 1, 3}), {0, length, width});
  return file.node("MatMul", {result, file.weight("out", {width, width})});
}

using Step = std::function<std::string(OnnxGraph&, const std::string&)>;

std::string unchanged(OnnxGraph& /*file*/, const std::string& value) {
  return value;
}

// `to_scores` and `to_weights` are what happens before and after the softmax.
struct Steps {
  Step to_query = unchanged;
  Step to_key = unchanged;
  Step to_scores = unchanged;
  Step to_weights = unchanged;
  std::int64_t axis = -1;
};

OnnxGraph attending(const Steps& steps, std::int64_t batch = 0) {
  OnnxGraph file;
  const std::string x = file.input("x", {batch, length, width});
  const std::string q = steps.to_query(file, by_head(file, projected(file, x, "q")));
  const std::string k = steps.to_key(file, by_head(file, projected(file, x, "k"), true));
  const std::string v = by_head(file, projected(file, x, "v"));
  const std::string scores = steps.to_scores(file, file.node("MatMul", {q, k}));
  const std::string weights = steps.to_weights(file, file.softmax(scores, steps.axis));
  file.output(joined(file, file.node("MatMul", {weights, v})));
  return file;
}

Step times(float factor) {
  return [factor](OnnxGraph& file, const std::string& value) {
    return file.node("Mul", {value, file.number(factor)});
  };
}

TEST_CASE("attention: products and softmax are one operator on what the layers give") {
  const roofcast::Graph graph = attending({}).imported();

  CHECK(working(graph) == Names{"linear", "linear", "linear", "attention", "linear"});
  const roofcast::Node& node = only(graph, "attention");
  CHECK(node.attributes.size("heads").is(heads));
  CHECK_FALSE(node.attributes.has("kv_heads"));
  CHECK(count_of(graph, "reshape") == 0);  // nor a permutation: the layers' results are as they are needed
  CHECK(count_of(graph, "permute") == 0);
  CHECK(macs(graph) == all_macs);
}

TEST_CASE("attention: a scale before, between or after") {
  Steps split{.to_query = times(0.5F), .to_key = times(0.5F)};
  Steps divided{.to_scores = [](OnnxGraph& file, const std::string& scores) {
    return file.node("Div", {scores, file.number(4)});
  }};
  for (const Steps& steps : {split, divided, Steps{.to_scores = times(0.25F)}}) {
    CHECK(working(attending(steps).imported()) == Names{"linear", "linear", "linear", "attention", "linear"});
  }
}

TEST_CASE("attention: masks and biases that are added, in either order") {
  for (const Sizes& sizes :
       {Sizes{1, heads, length, length}, Sizes{length, length}, Sizes{1, 1, 1, length}}) {
    for (const bool first : {false, true}) {
      const roofcast::Graph graph =
          attending({.to_scores = [&](OnnxGraph& file, const std::string& scores) {
            const std::string bias = file.weight("bias", sizes);
            return file.node("Add", first ? Names{bias, scores} : Names{scores, bias});
          }}).imported();

      CHECK(working(graph) == Names{"linear", "linear", "linear", "attention", "linear"});
      CHECK(only(graph, "attention").inputs.size() == 4);
      CHECK(macs(graph) == all_macs);
    }
  }
}

TEST_CASE("attention: two biases are added up before the scores see them") {
  const roofcast::Graph graph =
      attending({.to_scores = [](OnnxGraph& file, const std::string& scores) {
        const std::string biased = file.node("Add", {scores, file.weight("b", {1, heads, length, length})});
        return file.node("Add", {biased, file.weight("m", {length, length})});
      }}).imported();

  CHECK(working(graph) == Names{"linear", "linear", "linear", "pointwise", "attention", "linear"});
  CHECK(only(graph, "attention").inputs.size() == 4);
}

TEST_CASE("attention: a mask that selects, dropout, and zeros for rows without keys") {
  const Steps steps{.to_scores =
                        [](OnnxGraph& file, const std::string& scores) {
                          const std::string mask = file.node(
                              "Cast", {file.input("mask", {1, 1, length, length})}, {one_int("to", 9)});
                          return file.node("Where", {mask, scores, file.number(-1e9F)});
                        },
                    .to_weights =
                        [](OnnxGraph& file, const std::string& weights) {
                          const std::string bad = file.node("IsNaN", {weights});
                          const std::string good = file.node("Where", {bad, file.number(0), weights});
                          return file.node("Dropout", {good});
                        }};
  const roofcast::Graph graph = attending(steps, 1).imported();

  CHECK(count_of(graph, "attention") == 1);
  CHECK(count_of(graph, "softmax") == 0);
  CHECK(count_of(graph, "dropout") == 0);
  CHECK(only(graph, "attention").inputs.size() == 4);
}

TEST_CASE("attention: a mask that is multiplied and then added, as the first GPT has it") {
  const roofcast::Graph graph =
      attending({.to_scores = [](OnnxGraph& file, const std::string& scores) {
        const std::string mask = file.weight("mask", {1, 1, length, length});
        const std::string outside = file.node("Sub", {file.number(1), mask});
        return file.node("Add", {file.node("Mul", {scores, mask}), times(-1e4F)(file, outside)});
      }}).imported();

  CHECK(count_of(graph, "attention") == 1);
  CHECK(count_of(graph, "mul") == 0);
}

TEST_CASE("attention: with batch and heads in one dimension") {
  OnnxGraph file;
  const std::string x = file.input("x", {0, length, width});
  const auto folded = [&](const std::string& name) {
    return file.reshape(by_head(file, projected(file, x, name)), {-1, length, size});
  };
  const std::string q = folded("q");
  const std::string k = file.transpose(folded("k"), {0, 2, 1});
  const std::string context = file.node("MatMul", {file.softmax(file.node("MatMul", {q, k})), folded("v")});
  file.output(joined(file, file.reshape(context, {-1, heads, length, size})));

  const roofcast::Graph graph = file.imported();

  CHECK(working(graph) == Names{"linear", "linear", "linear", "attention", "linear"});
  CHECK(only(graph, "attention").attributes.size("heads").is(heads));
  CHECK(macs(graph) == all_macs);
}

TEST_CASE("attention: where nothing tells the heads from the batch, each is a sample") {
  OnnxGraph file;
  const std::string q = file.input("q", {12, length, size});
  const std::string k = file.input("k", {12, size, 7});
  const std::string weights = file.softmax(file.node("MatMul", {q, k}));
  file.output(file.node("MatMul", {weights, file.input("v", {12, 7, 5})}));

  const roofcast::Graph graph = file.imported();

  CHECK(only(graph, "attention").attributes.size("heads").is(1));
  CHECK(macs(graph) == 12 * length * 7 * (size + 5));
}

TEST_CASE("attention: in windows, whose mask has a dimension of its own") {
  constexpr std::int64_t windows = 6;
  const roofcast::Graph graph =
      attending({.to_scores =
                     [](OnnxGraph& file, const std::string& scores) {
                       const std::string bias = file.weight("bias", {1, heads, length, length});
                       const std::string split = file.reshape(file.node("Add", {scores, bias}),
                                                              {2, windows, heads, length, length});
                       const std::string mask = file.weight("mask", {1, windows, 1, length, length});
                       return file.reshape(file.node("Add", {split, mask}), {-1, heads, length, length});
                     }},
                2 * windows)
          .imported();

  CHECK(count_of(graph, "attention") == 1);
  CHECK(only(graph, "attention").attributes.size("heads").is(heads));
  CHECK(macs(graph) == 2 * windows * all_macs);
}

TEST_CASE("attention: with blocks besides batch and heads, each is a sample") {
  OnnxGraph file;
  const std::string q = file.input("q", {2, 3, 5, length, size});
  const std::string k = file.input("k", {2, 3, 5, size, length});
  const std::string weights = file.softmax(file.node("MatMul", {q, k}));
  file.output(file.node("MatMul", {weights, file.input("v", {2, 3, 5, length, size})}));

  const roofcast::Graph graph = file.imported();

  CHECK(only(graph, "attention").attributes.size("heads").is(1));
  CHECK(count_of(graph, "contiguous") == 0);
}

TEST_CASE("attention: keys and values that were repeated for groups of heads") {
  for (const bool positions_first : {false, true}) {
    constexpr std::int64_t own = 2;
    OnnxGraph file;
    const std::string x = file.input("x", {1, length, width});
    const auto repeated = [&](const std::string& name) {
      const std::string value = projected(file, x, name, own * size);
      if (positions_first) {
        const std::string split = file.reshape(value, {1, length, own, 1, size});
        const std::string stretched =
            file.node("Expand", {split, file.integers({1, length, own, heads / own, size})});
        return file.transpose(file.reshape(stretched, {1, length, heads, size}), {0, 2, 1, 3});
      }
      const std::string split = file.reshape(by_head(file, value, false, own), {1, own, 1, length, size});
      const std::string stretched =
          file.node("Expand", {split, file.integers({1, own, heads / own, length, size})});
      return file.reshape(stretched, {1, heads, length, size});
    };
    const std::string q = by_head(file, projected(file, x, "q"));
    const std::string k = file.transpose(repeated("k"), {0, 1, 3, 2});
    const std::string weights = file.softmax(file.node("MatMul", {q, k}));
    file.output(joined(file, file.node("MatMul", {weights, repeated("v")})));

    const roofcast::Graph graph = file.imported();

    CHECK(working(graph) == Names{"linear", "linear", "linear", "attention", "linear"});
    CHECK(only(graph, "attention").attributes.size("kv_heads").is(own));
    CHECK(macs(graph) ==
          2 * length * width * width + 2 * length * width * own * size + 2 * heads * length * length * size);
  }
}

TEST_CASE("attention: values in front, as v^T P^T") {
  OnnxGraph file;
  const std::string x = file.input("x", {0, length, width});
  const std::string q = by_head(file, projected(file, x, "q"));
  const std::string k = by_head(file, projected(file, x, "k"), true);
  const std::string v = by_head(file, projected(file, x, "v"), true);
  const std::string weights = file.softmax(file.node("MatMul", {q, k}));
  file.output(file.node("MatMul", {v, file.transpose(weights, {0, 1, 3, 2})}));

  const roofcast::Graph graph = file.imported();

  CHECK(count_of(graph, "attention") == 1);
  CHECK(macs(graph) == 3 * length * width * width + 2 * heads * length * length * size);
}

TEST_CASE("attention: written out again, it multiplies as much as the file did") {
  const roofcast::Graph graph = attending({.to_scores = times(0.25F)}).imported();
  for (const bool fused : {true, false}) {
    CompileOptions options;
    options.runtime.fused_attention = fused;
    const auto program = compile(graph, options);
    REQUIRE(program.has_value());
    const auto slots = slot_values(*program, {{"batch", 1}});
    REQUIRE(slots.has_value());

    CHECK((*slots)[static_cast<std::size_t>(program->forward_macs)] == all_macs);
  }
}

TEST_CASE("attention: other things between the products are none") {
  const Step by_learned = [](OnnxGraph& file, const std::string& scores) {
    return file.node("Mul", {scores, file.weight("temperature", {heads, 1, 1})});
  };
  const Step between_heads = [](OnnxGraph& file, const std::string& scores) {
    const std::string last = file.transpose(scores, {0, 2, 3, 1});
    return file.transpose(file.node("MatMul", {last, file.weight("mix", {heads, heads})}), {0, 3, 1, 2});
  };
  const Step capped = [](OnnxGraph& file, const std::string& scores) { return file.node("Tanh", {scores}); };
  const Step seen = [](OnnxGraph& file, const std::string& value) {
    file.output(value);
    return value;
  };
  for (const Steps& steps : {Steps{.to_scores = by_learned}, Steps{.to_scores = between_heads},
                             Steps{.to_scores = capped}, Steps{.to_weights = between_heads},
                             Steps{.to_scores = seen}, Steps{.to_weights = seen}, Steps{.axis = 2}}) {
    const roofcast::Graph graph = attending(steps).imported();

    CHECK(count_of(graph, "attention") == 0);
    CHECK(count_of(graph, "softmax") == 1);
  }
}

TEST_CASE("attention: weights that sum over queries are none") {
  OnnxGraph file;
  const std::string q = file.input("q", {2, heads, length, size});
  const std::string k = file.input("k", {2, heads, size, length});
  const std::string weights = file.softmax(file.node("MatMul", {q, k}));
  const std::string turned = file.transpose(weights, {0, 1, 3, 2});
  file.output(file.node("MatMul", {turned, file.input("v", {2, heads, length, size})}));

  CHECK(count_of(file.imported(), "attention") == 0);
}

}  // namespace
}  // namespace roofcast::onnx
