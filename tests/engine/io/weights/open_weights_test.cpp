#include "engine/io/weights/open_weights.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "engine/decide/estimate.hpp"
#include "tests/engine/io/toy_files.hpp"
#include "tests/engine/io/weights/toy_weights.hpp"
#include "tests/toy_platform.hpp"

namespace roofcast {
namespace {

// Sizes of the toy models: 2 layers, 4 heads of 64, 2 of them for keys, width 256, ffn 512, vocabulary 1000.
constexpr std::uint64_t hidden = 256;
constexpr std::uint64_t head = 64;
constexpr std::uint64_t key = 2 * head;
constexpr std::uint64_t ffn = 512;
constexpr std::uint64_t vocab = 1000;
constexpr std::uint64_t positions = 128;
constexpr std::uint64_t experts = 8;
constexpr std::uint64_t expert_ffn = 96;

struct Tensor {
  std::string name{};
  std::vector<std::uint64_t> shape{};
};
using Tensors = std::vector<Tensor>;

Tensors operator+(Tensors left, const Tensors& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

// With a bias as long as the rows are many, or as the vector is long.
Tensors biased(const Tensor& weight) {
  return {{weight.name + ".weight", weight.shape}, {weight.name + ".bias", {weight.shape.back()}}};
}

const Tensors query_key_value = {{"attn_q.weight", {hidden, hidden}},
                                 {"attn_k.weight", {hidden, key}},
                                 {"attn_v.weight", {hidden, key}},
                                 {"attn_output.weight", {hidden, hidden}}};
const Tensors gated = {
    {"ffn_gate.weight", {hidden, ffn}}, {"ffn_up.weight", {hidden, ffn}}, {"ffn_down.weight", {ffn, hidden}}};
const Tensors norms = {{"attn_norm.weight", {hidden}}, {"ffn_norm.weight", {hidden}}};
const Tensors post_norms = {{"post_attention_norm.weight", {hidden}}, {"post_ffw_norm.weight", {hidden}}};
const Tensors head_norms = {{"attn_q_norm.weight", {head}}, {"attn_k_norm.weight", {head}}};
Tensors gpt_layer_of(std::uint64_t width) {
  return biased({"attn_norm", {hidden}}) + biased({"ffn_norm", {hidden}}) +
         biased({"attn_qkv", {hidden, 3 * hidden}}) + biased({"attn_output", {hidden, hidden}}) +
         biased({"ffn_up", {hidden, width}}) + biased({"ffn_down", {width, hidden}});
}
const Tensors gpt_layer = gpt_layer_of(ffn);
const Tensors sparse = {{"ffn_gate_inp.weight", {hidden, experts}},
                        {"ffn_gate_exps.weight", {hidden, expert_ffn, experts}},
                        {"ffn_up_exps.weight", {hidden, expert_ffn, experts}},
                        {"ffn_down_exps.weight", {expert_ffn, hidden, experts}}};
const Tensors embedding = {{"token_embd.weight", {hidden, vocab}}};
const Tensors output = {{"output.weight", {hidden, vocab}}};
const Tensors norm = {{"output_norm.weight", {hidden}}};
const Tensors biased_norm = biased({"output_norm", {hidden}});

struct Model {
  std::string architecture{};
  Tensors once{};
  Tensors layer{};
};

// What llama.cpp's converter writes for each architecture.
const std::vector<Model> models = {
    {"llama", embedding + norm + output, norms + query_key_value + gated},
    {"llama", embedding + norm, norms + query_key_value + gated},
    {"qwen2", embedding + norm + output,
     norms + query_key_value + gated +
         Tensors{{"attn_q.bias", {hidden}}, {"attn_k.bias", {key}}, {"attn_v.bias", {key}}}},
    {"qwen3", embedding + norm, norms + query_key_value + gated + head_norms},
    {"gemma", embedding + norm, norms + query_key_value + gated},
    {"gemma2", embedding + norm, norms + query_key_value + gated + post_norms},
    {"gemma3", embedding + norm, norms + query_key_value + gated + post_norms + head_norms},
    {"phi3", embedding + norm + output,
     norms + Tensors{{"attn_qkv.weight", {hidden, hidden + 2 * key}},
                     {"attn_output.weight", {hidden, hidden}},
                     {"ffn_up.weight", {hidden, 2 * ffn}},
                     {"ffn_down.weight", {ffn, hidden}}}},
    {"phi2", embedding + biased_norm + biased({"output", {hidden, vocab}}),
     biased({"attn_norm", {hidden}}) + biased({"attn_qkv", {hidden, hidden + 2 * key}}) +
         biased({"attn_output", {hidden, hidden}}) + biased({"ffn_up", {hidden, ffn}}) +
         biased({"ffn_down", {ffn, hidden}})},
    {"gpt2", embedding + biased_norm + Tensors{{"position_embd.weight", {hidden, positions}}}, gpt_layer},
    {"gptneox", embedding + biased_norm + output, gpt_layer},
    {"falcon", embedding + biased_norm + output,
     biased({"attn_norm", {hidden}}) + Tensors{{"attn_qkv.weight", {hidden, hidden + 2 * head}},
                                               {"attn_output.weight", {hidden, hidden}},
                                               {"ffn_up.weight", {hidden, ffn}},
                                               {"ffn_down.weight", {ffn, hidden}}}},
    {"stablelm", embedding + biased_norm + output,
     biased({"attn_norm", {hidden}}) + biased({"ffn_norm", {hidden}}) + query_key_value + gated},
    {"bloom", embedding + biased({"token_embd_norm", {hidden}}) + biased_norm, gpt_layer_of(4 * hidden)},
    {"starcoder2", embedding + biased_norm,
     biased({"attn_norm", {hidden}}) + biased({"ffn_norm", {hidden}}) + biased({"attn_q", {hidden, hidden}}) +
         biased({"attn_k", {hidden, key}}) + biased({"attn_v", {hidden, key}}) +
         biased({"attn_output", {hidden, hidden}}) + biased({"ffn_up", {hidden, ffn}}) +
         biased({"ffn_down", {ffn, hidden}})},
    {"olmo2", embedding + norm + output,
     query_key_value + gated + post_norms +
         Tensors{{"attn_q_norm.weight", {hidden}}, {"attn_k_norm.weight", {key}}}},
    {"mistral3", embedding + norm + output, norms + query_key_value + gated},
    {"granite", embedding + norm, norms + query_key_value + gated},
    {"llama", embedding + norm + output,  // Mixtral
     norms + query_key_value +
         Tensors{{"ffn_gate_inp.weight", {hidden, experts}},
                 {"ffn_gate_exps.weight", {hidden, ffn, experts}},
                 {"ffn_up_exps.weight", {hidden, ffn, experts}},
                 {"ffn_down_exps.weight", {ffn, hidden, experts}}}},
    {"qwen2moe", embedding + norm + output,
     norms + query_key_value + sparse +
         Tensors{{"attn_q.bias", {hidden}},
                 {"attn_k.bias", {key}},
                 {"attn_v.bias", {key}},
                 {"ffn_gate_inp_shexp.weight", {hidden}},
                 {"ffn_gate_shexp.weight", {hidden, ffn}},
                 {"ffn_up_shexp.weight", {hidden, ffn}},
                 {"ffn_down_shexp.weight", {ffn, hidden}}}},
    {"qwen3moe", embedding + norm + output, norms + query_key_value + head_norms + sparse},
    {"gpt-oss", embedding + norm + output,
     sparse + biased({"attn_q", {hidden, hidden}}) + biased({"attn_k", {hidden, key}}) +
         biased({"attn_v", {hidden, key}}) + biased({"attn_output", {hidden, hidden}}) +
         Tensors{{"attn_norm.weight", {hidden}},
                 {"post_attention_norm.weight", {hidden}},
                 {"attn_sinks.weight", {4}},
                 {"ffn_gate_inp.bias", {experts}},
                 {"ffn_gate_exps.bias", {expert_ffn, experts}},
                 {"ffn_up_exps.bias", {expert_ffn, experts}},
                 {"ffn_down_exps.bias", {hidden, experts}}}},
    {"command-r", embedding + norm, Tensors{{"attn_norm.weight", {hidden}}} + query_key_value + gated}};

ToyGguf toy_gguf(const Model& model) {
  const std::string& name = model.architecture;
  ToyGguf gguf;
  gguf.text("general.architecture", name)
      .integer(name + ".embedding_length", hidden)
      .integer(name + ".block_count", 2)
      .integer(name + ".feed_forward_length", ffn)
      .integer(name + ".attention.head_count", 4)
      .integer(name + ".context_length", positions)
      .texts("tokenizer.ggml.tokens", vocab);
  const bool is_sparse = std::ranges::any_of(
      model.layer, [](const Tensor& tensor) { return tensor.name == "ffn_gate_inp.weight"; });
  if (is_sparse) {
    gguf.integer(name + ".expert_count", experts)
        .integer(name + ".expert_used_count", 2)
        .integer(name + ".expert_feed_forward_length", expert_ffn)
        .integer(name + ".expert_shared_feed_forward_length", ffn);
  }
  if (name == "falcon") gguf.integer(name + ".attention.head_count_kv", 1);
  if (name != "falcon" && name != "bloom" && name != "gpt2" && name != "gptneox")
    gguf.integer(name + ".attention.head_count_kv", 2);
  const auto add = [&](const Tensor& tensor) {
    const bool vector = tensor.shape.size() == 1;  // in F32; matrices in F16
    std::uint64_t bytes = vector ? 4 : 2;
    for (const std::uint64_t dimension : tensor.shape) bytes *= dimension;
    gguf.tensor({.name = tensor.name, .shape = tensor.shape, .type = vector ? 0U : 1U, .bytes = bytes});
  };
  for (const Tensor& tensor : model.once) add(tensor);
  for (int layer = 0; layer < 2; ++layer) {
    for (const Tensor& tensor : model.layer)
      add({fmt::format("blk.{}.{}", layer, tensor.name), tensor.shape});
  }
  return gguf;
}

Graph open(const std::filesystem::path& path) {
  const auto data = DataFolder::open(ROOFCAST_SOURCE_DIR);
  REQUIRE(data.has_value());
  auto graph = open_model(*data, path);
  INFO("complaint: ", graph ? std::string("none") : to_string(graph.error()));
  REQUIRE(graph.has_value());
  return *std::move(graph);
}

std::string refusal(const std::filesystem::path& path) {
  const auto data = DataFolder::open(ROOFCAST_SOURCE_DIR);
  REQUIRE(data.has_value());
  const auto graph = open_model(*data, path);
  return graph ? "none" : to_string(graph.error());
}

TEST_CASE("open_model: a GGUF file's model has as many parameters as its tensors have elements") {
  for (const Model& model : models) {
    CAPTURE(model.architecture);
    const ScratchFolder folder;
    folder.write("m.gguf", toy_gguf(model).header());

    const auto summary = summarize(open(folder.path() / "m.gguf"));

    REQUIRE(summary.has_value());
    REQUIRE(summary->weights.has_value());
    CHECK(summary->parameters == summary->weights->elements);
    CHECK(summary->weights->format == "gguf");
  }
}

TEST_CASE("open_model: a quantised GGUF file has the exact bytes of its blocks") {
  const ScratchFolder folder;
  ToyGguf gguf;
  gguf.text("general.architecture", "llama")
      .text("general.name", "Toy")
      .integer("llama.embedding_length", 256)
      .integer("llama.block_count", 1)
      .integer("llama.feed_forward_length", 256)
      .integer("llama.attention.head_count", 4);
  constexpr std::uint64_t q4_k = 256 * 144;  // of 256 rows with a block each
  constexpr std::uint64_t q6_k = 256 * 210;
  gguf.tensor({"token_embd.weight", {256, 256}, 12, q4_k}).tensor({"output.weight", {256, 256}, 14, q6_k});
  for (const char* name : {"attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"})
    gguf.tensor({fmt::format("blk.0.{}.weight", name), {256, 256}, 12, q4_k});
  for (const char* name : {"blk.0.attn_norm.weight", "blk.0.ffn_norm.weight", "output_norm.weight"})
    gguf.tensor({name, {256}, 0, 1024});
  gguf.tensor({"rope_freqs.weight", {32}, 0, 128});
  folder.write("toy.gguf", gguf.file());

  const Graph graph = open(folder.path() / "toy.gguf");
  const auto summary = summarize(graph);

  REQUIRE(
      graph.stored.has_value());  // most of it: 144 bytes for 256 weights are 4 bits and 128 bits of scales
  CHECK(graph.stored->precision.name == "q4_k");
  CHECK(graph.stored->precision.weight_format == DType::int4);
  CHECK(graph.stored->precision.weight_scales.group == 256);
  CHECK(graph.stored->precision.weight_scales.bits == 128);
  const auto answer = estimate(graph, toy_platform(), {.batches = {1}});
  REQUIRE(answer.has_value());
  REQUIRE(answer->rows.front().precision == "q4_k");
  const double stored = 8.0 * q4_k + q6_k + 3 * 1024 + 128;
  const double parameters = 9.0 * 256 * 256 + 3 * 256;  // the file has 32 values more
  CHECK(answer->rows.front().memory.by_category[static_cast<std::size_t>(MemoryCategory::weights)].value ==
        doctest::Approx(stored * parameters / (parameters + 32)));
  REQUIRE(summary.has_value());
  CHECK(summary->name == "Toy");
  CHECK(summary->parameters == 9 * 256 * 256 + 3 * 256);
  REQUIRE(summary->weights.has_value());
  CHECK(summary->weights->bytes == 8 * q4_k + q6_k + 3 * 1024 + 128);
  CHECK(summary->weights->bytes_by_dtype == std::vector<std::pair<std::string, std::int64_t>>{
                                                {"Q4_K", 8 * q4_k}, {"Q6_K", q6_k}, {"F32", 3 * 1024 + 128}});
  REQUIRE(summary->notes.size() == 1);
  CHECK(summary->notes[0].ends_with("parameters: tables of rotary frequencies (32)"));
}

TEST_CASE("open_model: a GGUF file that describes no model we know") {
  const ScratchFolder folder;
  const std::string file = (folder.path() / "m.gguf").string();
  const auto complaint = [&](const ToyGguf& gguf) {
    folder.write("m.gguf", gguf.file());
    return refusal(file);
  };

  CHECK(complaint(ToyGguf()) ==
        file + ": error: has no metadata key 'general.architecture': it describes no model\n");
  CHECK(complaint(ToyGguf().text("general.architecture", "rwkv6"))
            .starts_with(file + ": error: unknown architecture 'rwkv6'\n  hint: known: llama, "));
  CHECK(complaint(ToyGguf().text("general.architecture", "llama").integer("llama.block_count", 2)) ==
        file + ": error: has no metadata key 'llama.embedding_length'\n" + file +
            ": error: has no metadata key 'llama.attention.head_count'\n");
  CHECK(complaint(ToyGguf()
                      .text("general.architecture", "llama")
                      .integer("llama.embedding_length", 256)
                      .integer("llama.block_count", 2)
                      .integers("llama.attention.head_count", {4, 8})) ==
        file + ": error: 'llama.attention.head_count' differs from layer to layer, which is not supported\n");
}

// A Llama of width 8: two matrices of 8 x 10, one layer of four 8 x 8 and three 8 x 16, three norms.
const std::string toy_config = R"({"model_type":"llama","hidden_size":8,"num_hidden_layers":1,
  "num_attention_heads":2,"intermediate_size":16,"vocab_size":10})";
constexpr std::int64_t toy_parameters = 2 * 8 * 10 + 4 * 8 * 8 + 3 * 8 * 16 + 3 * 8;

std::string bf16_file(std::int64_t elements, std::string_view name = "w") {
  return safetensors_file(fmt::format(R"({{"{}":{{"dtype":"BF16","shape":[{}],"data_offsets":[0,{}]}}}})",
                                      name, elements, 2 * elements),
                          static_cast<std::size_t>(2 * elements));
}

TEST_CASE("open_model: a config.json has the weights that lie beside it") {
  const ScratchFolder folder;
  folder.write("config.json", toy_config);
  CHECK_FALSE(open(folder.path() / "config.json").stored_weights.has_value());
  folder.write("model.safetensors", bf16_file(toy_parameters));

  const Graph graph = open(folder.path() / "config.json");

  REQUIRE(graph.stored_weights.has_value());
  CHECK(graph.stored_weights->bytes == 2 * toy_parameters);
  CHECK(summarize(graph)->parameters == toy_parameters);
  CHECK(summarize(graph)->notes.empty());
}

TEST_CASE("open_model: a configuration of another name may be one of many in its folder") {
  const ScratchFolder folder;
  folder.write("llama.json", toy_config);
  folder.write("model.safetensors", bf16_file(toy_parameters));

  CHECK_FALSE(open(folder.path() / "llama.json").stored_weights.has_value());
}

TEST_CASE("open_model: weights beside a config.json that cannot be read are a note") {
  const ScratchFolder folder;
  folder.write("config.json", toy_config);
  folder.write("model.safetensors", "short");

  const Graph graph = open(folder.path() / "config.json");

  CHECK_FALSE(graph.stored_weights.has_value());
  CHECK(graph.notes ==
        std::vector<std::string>{fmt::format("the weights beside the configuration cannot be read: '{}' has "
                                             "5 bytes: too short for a safetensors "
                                             "file",
                                             (folder.path() / "model.safetensors").string())});
}

TEST_CASE("open_model: a safetensors file finds its config.json") {
  const ScratchFolder folder;
  folder.write("config.json", toy_config);
  folder.write("model.safetensors", bf16_file(toy_parameters + 80));

  const auto summary = summarize(open(folder.path() / "model.safetensors"));

  REQUIRE(summary.has_value());
  CHECK(summary->parameters == toy_parameters);
  CHECK(summary->weights->elements == toy_parameters + 80);
  REQUIRE(summary->notes.size() == 1);
  CHECK(
      summary->notes[0] ==
      fmt::format("the weight files hold {} elements, 80 more than the model's {} parameters: perhaps 80 of "
                  "heads or parts that the model leaves out",
                  toy_parameters + 80, toy_parameters));
}

TEST_CASE("open_model: one part of several stands for all of them") {
  const ScratchFolder folder;
  folder.write(
      "model.safetensors.index.json",
      R"({"weight_map":{"a":"model-00001-of-00002.safetensors","b":"model-00002-of-00002.safetensors"}})");
  folder.write("model-00001-of-00002.safetensors", bf16_file(3, "a"));
  folder.write("model-00002-of-00002.safetensors", bf16_file(4, "b"));

  CHECK(open(folder.path() / "model-00002-of-00002.safetensors").stored_weights->elements == 3 + 4);
}

TEST_CASE("open_model: weights alone can be shown, not predicted") {
  const ScratchFolder folder;
  folder.write("toy.safetensors", bf16_file(7));
  const std::string file = (folder.path() / "toy.safetensors").string();

  const Graph graph = open(file);

  const auto summary = summarize(graph);
  REQUIRE(summary.has_value());
  CHECK(summary->name == "toy");
  CHECK(summary->weights_only);
  CHECK(summary->weights->bytes == 7 * 2);
  const auto answer = estimate(graph, toy_platform(), {.precisions = {"fp16"}});
  REQUIRE_FALSE(answer.has_value());
  CHECK(to_string(answer.error()) ==
        file +
            ": error: holds weights, not the operators of a model\n"
            "  hint: the model's config.json must lie beside it; `simulate show model` prints the weights\n");
}

}  // namespace
}  // namespace roofcast
