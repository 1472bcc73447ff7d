// Our model files against counts that were obtained by executing the same models. The reference data is no
// part of the project: without the folder ../shared/corpus these tests only say that they were skipped.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/decide/estimate.hpp"
#include "engine/io/open_model.hpp"
#include "engine/predict.hpp"
#include "tests/corpus/csv_rows.hpp"

namespace roofcast {
namespace {

const std::string root = ROOFCAST_SOURCE_DIR;
const std::string corpus = root + "/../shared/corpus";

/// One of our models at the sizes of a reference row. Where the reference counts parameters or layers of a
/// variant that differs in things without products, they are not compared.
struct Case {
  std::string model{};
  std::string reference{};
  Bindings symbols{};
  bool same_parameters = true;
  bool same_layers = true;
};

const Bindings image_224 = {{"image_size", 224}};
const Bindings t5_small = {{"source_length", 64}, {"target_length", 32}, {"encoder_layers", 6},
                           {"decoder_layers", 6}, {"hidden", 512},       {"heads", 8},
                           {"ffn", 2048}};
const Bindings tiny_llama = {{"seq", 64},     {"hidden", 2048}, {"layers", 4},   {"heads", 32},
                             {"kv_heads", 4}, {"ffn", 5632},    {"vocab", 32000}};
const Bindings llama_3_2 = {{"seq", 64},     {"hidden", 2048}, {"layers", 2},    {"heads", 32},
                            {"kv_heads", 8}, {"ffn", 8192},    {"vocab", 128256}};
const Bindings stories_110m = {{"seq", 128},     {"hidden", 768}, {"layers", 12},  {"heads", 12},
                               {"kv_heads", 12}, {"ffn", 2048},   {"vocab", 32000}};
const Bindings efficientnet_b3 = {{"image_size", 300}, {"stem_width", 40}, {"width_1", 24},  {"width_2", 32},
                                  {"width_3", 48},     {"width_4", 96},    {"width_5", 136}, {"width_6", 232},
                                  {"width_7", 384},    {"depth_1", 2},     {"depth_2", 3},   {"depth_3", 3},
                                  {"depth_4", 5},      {"depth_5", 5},     {"depth_6", 6},   {"depth_7", 2}};
const Bindings vgg11 = {{"image_size", 224}, {"depth_1", 1}, {"depth_2", 1},
                        {"depth_3", 2},      {"depth_4", 2}, {"depth_5", 2}};
const Bindings resnet50_depths = {{"image_size", 224}, {"depth_2", 4}, {"depth_3", 6}};

const std::vector<Case> cases = {
    {"resnet18", "tv_resnet18", image_224},
    {"resnet50", "tv_resnet50", image_224},
    {"resnet152", "tv_resnet50", resnet50_depths},
    {"mobilenet-v2", "tv_mobilenet_v2", image_224},
    {"efficientnet-b0", "tv_efficientnet_b0", image_224},
    // Its attention projections are no layers of their own there.
    {"vit-b-16", "tv_vit_b_16", image_224, true, false},
    {"vit-b-16", "timm_vit_base_patch16_224", image_224},
    {"efficientnet-b0", "tv_efficientnet_b3", efficientnet_b3},
    {"mnasnet1_0", "tv_mnasnet1_0", image_224},
    {"resnet50", "tv_resnext50_32x4d", {{"image_size", 224}, {"groups", 32}, {"group_width", 4}}},
    {"resnet50", "tv_wide_resnet50_2", {{"image_size", 224}, {"group_width", 128}}},
    {"resnet50", "timm_seresnet50", {{"image_size", 224}, {"squeeze", 16}}},
    {"vgg16", "tv_vgg16_bn", {{"image_size", 224}, {"norm", 1}}},
    {"vgg16", "tv_vgg11", vgg11},
    {"unet", "unet_milesial", {{"image_size", 192}}},
    {"dlrm", "dlrm_small", {}},
    {"lstm-lm", "rnn_lstm_lm", {{"seq", 35}}},
    {"gpt2", "hf_gpt2", {{"seq", 128}}, true, false},  // its linear layers are a class of their own there
    {"bert-large", "hf_bert_large", {{"seq", 128}}},
    {"t5-base", "hf_t5_small", t5_small},
    {"llama-2-7b", "lit_tinyllama_1_1b_4layers", tiny_llama},
    {"llama-3-8b", "lit_llama3_2_1b_2layers", llama_3_2},
    {"llama-2-7b", "llama2c_110M", stories_110m, false},  // ties its head
};

Graph model(const std::string& name, const Bindings& symbols = {}) {
  const auto data = DataFolder::open(root);
  REQUIRE(data);
  auto graph = open_model(*data, data->root() / "models" / (name + ".toml"), {.symbols = symbols});
  REQUIRE_MESSAGE(graph, (graph ? std::string{} : to_string(graph.error())));
  return *std::move(graph);
}

std::int64_t number(const CsvRecord& record, const std::string& column) {
  return static_cast<std::int64_t>(std::stod(record.at(column)));
}

bool corpus_is_here() {
  if (std::filesystem::exists(corpus)) return true;
  MESSAGE("skipped: there is no folder ../shared/corpus with reference counts");
  return false;
}

TEST_CASE("models: parameters, multiply-adds and layer outputs equal those of executed models") {
  if (!corpus_is_here()) return;
  const auto references = csv_records(corpus + "/references.csv");
  int compared = 0;
  for (const Case& test : cases) {
    CAPTURE(test.model);
    CAPTURE(test.reference);
    const auto row =
        std::ranges::find_if(references, [&](const CsvRecord& r) { return r.at("model") == test.reference; });
    REQUIRE(row != references.end());
    Bindings symbols = test.symbols;
    symbols["batch"] = number(*row, "batch_infer");

    const auto summary = summarize(model(test.model, symbols), symbols);

    REQUIRE(summary);
    if (test.same_parameters) CHECK(summary->parameters == number(*row, "params"));
    CHECK(summary->macs == number(*row, "conv_macs") + number(*row, "matmul_macs"));
    if (test.same_layers) CHECK(summary->activation_elements == number(*row, "convlinear_out_elems"));
    ++compared;
  }
  MESSAGE("compared ", compared, " models");
  CHECK(compared == static_cast<int>(cases.size()));
}

TEST_CASE("models: multiply-adds of a training step equal those of executed models, forward and backward") {
  if (!corpus_is_here()) return;
  const auto references = csv_records(corpus + "/references.csv");
  int compared = 0;
  for (const Case& test : cases) {
    CAPTURE(test.model);
    CAPTURE(test.reference);
    const auto row =
        std::ranges::find_if(references, [&](const CsvRecord& r) { return r.at("model") == test.reference; });
    REQUIRE(row != references.end());
    if (row->at("batch_train").empty()) continue;
    Bindings symbols = test.symbols;
    symbols["batch"] = number(*row, "batch_train");

    const auto compiled =
        compile(model(test.model, symbols), {.task = Task::training, .overridden = symbols});

    REQUIRE(compiled);
    const auto slots = slot_values(*compiled, symbols);
    REQUIRE(slots);
    const std::int64_t forward = (*slots)[static_cast<std::size_t>(compiled->forward_macs)];
    const std::int64_t all = (*slots)[static_cast<std::size_t>(compiled->macs)];
    CHECK(forward == number(*row, "train_fwd_conv_macs") + number(*row, "train_fwd_matmul_macs"));
    CHECK(all - forward == number(*row, "train_bwd_conv_macs") + number(*row, "train_bwd_matmul_macs"));
    ++compared;
  }
  MESSAGE("compared ", compared, " training steps");
  CHECK(compared > 10);
}

TEST_CASE("models: parameters equal the published totals") {
  // Counts as printed by the models' publishers (Hugging Face model cards, torchvision documentation).
  const std::vector<std::pair<std::string, std::int64_t>> published = {
      {"bert", 109'482'240},
      {"bert-large", 335'141'888},
      {"gpt2", 124'439'808},
      {"gpt2-xl", 1'557'611'200},
      {"llama-2-7b", 6'738'415'616},
      {"llama-3-8b", 8'030'261'248},
      {"vit-b-16", 86'567'656},
      {"resnet18", 11'689'512},
      {"resnet50", 25'557'032},
      {"resnet152", 60'192'808},
      {"vgg16", 138'357'544},
      {"mobilenet-v2", 3'504'872},
      {"efficientnet-b0", 5'288'548},
      {"unet", 31'037'698},
      {"t5-base", 222'903'552},
      {"dlrm", 940'481},
      {"lstm-lm", 2'648'200},
      // Variants and configurations; torchvision, timm and Hugging Face print these.
      {"convnext_large", 197'767'336},
      {"efficientnet_b4", 19'341'616},
      {"focalnet_base_lrf", 88'749'768},
      {"mnasnet0_5", 2'218'512},
      {"mnasnet0_75", 3'170'208},
      {"mnasnet1_0", 4'383'312},
      {"mnasnet1_3", 6'282'256},
      {"opt-1.3b", 1'315'758'080},
      {"powerlm-3b", 3'510'819'072},
      {"qwen3-1.7b", 1'720'574'976},
      {"regnet_y_128gf", 644'812'894},
      {"resnext101-32x4d", 44'177'704},
      {"resnext101_32x8d", 88'791'336},
      {"santacoder", 1'124'886'528},
      {"se-resnext101-32x4d", 48'955'416},
      {"shufflenet_v2_x0_5", 1'366'792},
      {"shufflenet_v2_x1_0", 2'278'604},
      {"shufflenet_v2_x1_5", 3'503'624},
      {"shufflenet_v2_x2_0", 7'393'996},
      {"tiny-llama", 1'100'048'384},
      {"vgg11_bn", 132'868'840},
      {"vgg13", 133'047'848},
      {"vgg13_bn", 133'053'736},
      {"vgg19", 143'667'240},
      {"vgg19_bn", 143'678'248},
      {"vit-b16-384", 86'859'496},
      {"vit-l16-224", 304'326'632},
      {"vit-l16-384", 304'715'752},
      {"wide_resnet101_2", 126'886'696}};
  for (const auto& entry : published) {
    const std::string& name = entry.first;
    const std::int64_t parameters = entry.second;
    CAPTURE(name);
    const auto summary = summarize(model(name));
    REQUIRE(summary);
    CHECK(summary->parameters == parameters);
  }
}

}  // namespace
}  // namespace roofcast
