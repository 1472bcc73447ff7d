#pragma once
// Random models as model files, small enough to evaluate by the hundred. They hold what real ones do:
// residuals, attention, norms, convolutions, pooling, concatenation, blocks that repeat, blocks within
// blocks, tied weights.

#include <random>
#include <string>
#include <vector>

#include "tests/toy_model.hpp"

namespace roofcast {

class RandomModel {
 public:
  explicit RandomModel(std::mt19937_64& random) : random_(random) {}

  /// Tokens to logits, with a loss in training.
  std::string sequence_model() {
    hidden_ = 8 * pick(2, 8);
    std::string nodes =
        node("table", "embedding", "\"tokens\"", "num_embeddings = 100\nembedding_dim = \"hidden\"");
    last_ = "table";
    for (std::int64_t i = 0, count = pick(1, 4); i < count; ++i)
      nodes += stage([&](Place& place) { sequence_layer(place); });
    const bool tied = chance();
    nodes += node("logits", "linear", quoted(last_),
                  tied ? "out_features = 100\nbias = false\nweights_of = \"table\"" : "out_features = 100");
    return head() + input("tokens", "\"batch\", \"seq\"", "int64") + nodes + loss("\"batch\", \"seq\"") +
           blocks_;
  }

  /// Images to classes, with a loss in training.
  std::string image_model() {
    hidden_ = 8 * pick(1, 4);
    std::string nodes =
        node("stem", "conv", "\"image\"", "out_channels = \"hidden\"\nkernel = 3\npadding = 1\nbias = false");
    last_ = "stem";
    for (std::int64_t i = 0, count = pick(1, 4); i < count; ++i) {
      nodes += stage([&](Place& place) { image_layer(place); });
      if (i == 0 && chance()) {
        nodes += node("pool", "max_pool", quoted(last_), "kernel = 2");
        last_ = "pool";
      }
    }
    nodes += node("pooled", "adaptive_avg_pool", quoted(last_)) + node("flat", "flatten") +
             node("logits", "linear", {}, "out_features = 10");
    return head() + input("image", "\"batch\", 3, 16, 16") + nodes + loss("\"batch\"") + blocks_;
  }

  std::string any() { return chance() ? sequence_model() : image_model(); }

  /// No block repeats and none ends in a type other than that it starts with.
  RandomModel& without_repeats() {
    repeats_ = false;
    return *this;
  }

 private:
  /// Where nodes are written: at the top or in a block.
  struct Place {
    std::string table{};
    std::string prefix{};
    std::string last{};  // what the next node continues from
    std::string text{};
    int count = 0;

    std::string add(std::string_view op, const std::string& inputs = {}, std::string_view attributes = {}) {
      const std::string name = prefix + std::to_string(count++);
      text += node(name, op, inputs.empty() ? quoted(last) : inputs, attributes, table);
      last = name;
      return name;
    }
  };

  static std::string quoted(std::string_view name) { return fmt::format("\"{}\"", name); }
  static std::string both(std::string_view one, std::string_view other) {
    return fmt::format("\"{}\", \"{}\"", one, other);
  }

  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>{low, high}(random_);
  }
  bool chance() { return pick(0, 1) == 0; }

  std::string head() {
    return model_head(fmt::format("batch = {}\nseq = {}\nhidden = {}\nlayers = {}", pick(1, 4), pick(4, 40),
                                  hidden_, pick(2, 5)));
  }

  std::string loss(std::string_view target) {
    return fmt::format(
               "[training]\nloss = \"loss\"\n[[training.input]]\nname = \"target\"\nshape = [{}]\ndtype = "
               "\"int64\"\n",
               target) +
           node("loss", "cross_entropy", "\"logits\", \"target\"", {}, "training.node");
  }

  // Layers in line, in a block, in a block that repeats, or in a block within a block.
  template <class Layer>
  std::string stage(const Layer& layer) {
    const std::int64_t way = pick(0, 3);
    const std::string number = std::to_string(stages_++);
    if (way == 0) {
      Place place{.table = "node", .prefix = "inline" + number + "_", .last = last_};
      layer(place);
      last_ = place.last;
      return place.text;
    }
    Place place{.table = "block.node", .prefix = "n", .last = "x"};
    for (std::int64_t i = 0, count = pick(1, 2); i < count; ++i) layer(place);
    std::string name = "layer" + number;
    blocks_ += block(name) + place.text;
    if (way == 3) {
      blocks_ += block("outer" + number) + node("inner", name, "\"x\"", repeat(), "block.node") +
                 (chance() ? node("act", "relu", {}, {}, "block.node") : std::string{});
      name = "outer" + number;
    }
    const std::string text = node("stage" + number, name, quoted(last_), repeat());
    last_ = "stage" + number;
    return text;
  }

  std::string repeat() {
    if (!repeats_) return {};
    return chance() ? std::string("repeat = \"layers\"") : fmt::format("repeat = {}", pick(1, 4));
  }

  void sequence_layer(Place& place) {
    const std::string before = place.last;
    switch (pick(0, 4)) {
      case 0:
        place.add("linear", {}, fmt::format("out_features = \"{} * hidden\"", pick(1, 4)));
        place.add(
            std::vector<const char*>{"gelu", "relu", "silu", "tanh"}[static_cast<std::size_t>(pick(0, 3))]);
        place.add("dropout");
        place.add("linear", {}, fmt::format("out_features = \"hidden\"\nbias = {}", chance()));
        break;
      case 1: {
        const std::int64_t kv_heads =
            std::vector<std::int64_t>{1, 2, 4}[static_cast<std::size_t>(pick(0, 2))];
        const std::string size = "out_features = \"hidden\"";
        const std::string kv_size = fmt::format("out_features = \"hidden * {} / 4\"", kv_heads);
        const std::string q = place.add("linear", quoted(before), size);
        const std::string k = place.add("linear", quoted(before), kv_size);
        const std::string v = place.add("linear", quoted(before), kv_size);
        place.add("attention", fmt::format("\"{}\", \"{}\", \"{}\"", q, k, v),
                  fmt::format("heads = 4\nkv_heads = {}\ncausal = {}", kv_heads, chance()));
        place.add("linear", {}, size);
        break;
      }
      case 2: {  // SwiGLU
        const std::string gate = place.add("linear", {}, "out_features = \"2 * hidden\"\nbias = false");
        const std::string act = place.add("silu");
        const std::string up =
            place.add("linear", quoted(before), "out_features = \"2 * hidden\"\nbias = false");
        place.add("mul", both(act, up));
        place.add("linear", {}, "out_features = \"hidden\"\nbias = false");
        break;
      }
      case 3: {
        const std::string other = place.add("linear", {}, "out_features = \"hidden\"");
        place.add("concat", both(before, other));
        place.add("linear", {}, "out_features = \"hidden\"");
        break;
      }
      default: place.add(chance() ? "layer_norm" : "rms_norm"); return;
    }
    if (chance()) place.add("add", both(place.last, before));
    if (chance()) place.add(chance() ? "layer_norm" : "rms_norm");
  }

  void image_layer(Place& place) {
    const std::string before = place.last;
    if (pick(0, 3) == 0) {
      place.add("conv", {}, "out_channels = \"hidden\"\nkernel = 3\npadding = 1\ngroups = \"hidden\"");
    } else {
      place.add("conv", {},
                fmt::format("out_channels = \"hidden\"\nkernel = 3\npadding = 1\nbias = {}", chance()));
    }
    if (chance()) place.add("batch_norm");
    place.add("relu", {}, chance() ? "inplace = true" : "");
    if (chance()) {
      const std::string one = place.last;
      place.add("concat", both(before, one), "axis = 1");
      place.add("conv", {}, "out_channels = \"hidden\"\nkernel = 1");
    }
    if (chance()) place.add("add", both(place.last, before));
  }

  std::mt19937_64& random_;
  std::int64_t hidden_ = 8;
  int stages_ = 0;
  bool repeats_ = true;
  std::string last_{};
  std::string blocks_{};
};

}  // namespace roofcast
