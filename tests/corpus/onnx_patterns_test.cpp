// What is recognised in exported graphs, against what their architectures have. The graphs are no part of the
// project: without the folder ../shared this test only says that it was skipped.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/io/import_onnx/import_onnx.hpp"

namespace roofcast {
namespace {

struct Expected {
  std::string_view file{};
  int attention = 0;
  int layer_norm = 0;
  int rms_norm = 0;
  int group_norm = 0;
  int gelu = 0;
  int silu = 0;
};

// Layers times what a layer has, plus what comes before and after. Quick GELU counts as SiLU.
constexpr Expected models[] = {
    {"corpus/onnx/hf_bert_base.onnx", 12, 2 * 12 + 1 + 1, 0, 0, 12 + 1,
     0},  // and the head of its language model
    {"corpus/onnx/hf_bert_large.onnx", 24, 2 * 24 + 1, 0, 0, 24, 0},
    {"corpus/onnx/hf_albert_base_v2.onnx", 12, 2 * 12 + 1, 0, 0, 12, 0},
    {"corpus/onnx/hf_electra_small.onnx", 12, 2 * 12 + 1, 0, 0, 12 + 1, 0},
    {"corpus/onnx/hf_mobilebert.onnx", 6, 0, 0, 0, 0, 0},  // scales and offsets without a norm
    {"corpus/onnx/hf_squeezebert.onnx", 4, 2 * 4 + 1, 0, 0, 4, 0},
    {"corpus/onnx/hf_gpt2.onnx", 12, 2 * 12 + 1, 0, 0, 12, 0},
    {"corpus/onnx/hf_openai_gpt.onnx", 4, 2 * 4, 0, 0, 4, 0},
    {"corpus/onnx/hf_t5_small.onnx", 6 + 2 * 6, 0, 2 * 6 + 1 + 3 * 6 + 1, 0, 0, 0},
    {"corpus/onnx/hf_t5_v1_1_base_3layers.onnx", 3 + 2 * 3, 0, 2 * 3 + 1 + 3 * 3 + 1, 0, 3 + 3, 0},
    {"corpus/onnx/hf_clip_vit_b32.onnx", 12 + 12, 2 * 24 + 1 + 2, 0, 0, 0, 12 + 12},
    {"corpus/onnx/hf_wav2vec2_base.onnx", 12, 2 * 12 + 2, 0, 1, 12 + 7 + 1, 0},
    {"corpus/onnx/lit_llama3_2_1b_2layers.onnx", 2, 0, 2 * 2 + 1, 0, 0, 2},
    {"corpus/onnx/lit_tinyllama_1_1b_4layers.onnx", 4, 0, 2 * 4 + 1, 0, 0, 4},
    {"corpus/onnx/llama2c_110M.onnx", 12, 0, 2 * 12 + 1, 0, 0, 12},
    {"corpus/onnx/llama2c_gqa.onnx", 8, 0, 2 * 8 + 1, 0, 0, 8},
    {"corpus/onnx/nanogpt_shakespeare_char.onnx", 6, 2 * 6 + 1, 0, 0, 6, 0},
    {"corpus/onnx/timm_vit_base_patch16_224.onnx", 12, 2 * 12 + 1, 0, 0, 12, 0},
    {"corpus/onnx/tv_vit_b_16.onnx", 12, 2 * 12 + 1, 0, 0, 12, 0},
    {"corpus/onnx/timm_deit3_small_patch16_224.onnx", 12, 2 * 12 + 1, 0, 0, 12, 0},
    // Only the last two blocks, over the class token; the others mix scores across heads.
    {"corpus/onnx/timm_cait_xxs24_224.onnx", 2, 2 * 24 + 2 * 2 + 1, 0, 0, 24 + 2, 0},
    // The same; the others attend over channels, with a learned temperature.
    {"corpus/onnx/timm_xcit_tiny_12_p16_224.onnx", 2, 3 * 12 + 2 * 2 + 1, 0, 0, 3 + 2 * 12 + 2, 0},
    {"corpus/onnx/timm_pit_xs_224.onnx", 2 + 6 + 4, 2 * 12 + 1, 0, 0, 12, 0},
    {"corpus/onnx/timm_pvt_v2_b0.onnx", 8, 2 * 8 + 4 + 4 + 6, 0, 0, 8, 0},
    {"corpus/onnx/timm_levit_128s.onnx", 2 + 3 + 4 + 2, 0, 0, 0, 0, 0},
    {"corpus/onnx/timm_visformer_small.onnx", 4 + 4, 0, 0, 0, 2 * 7 + 8, 0},
    {"corpus/onnx/timm_poolformer_s12.onnx", 0, 1, 0, 2 * 12, 12, 0},
    {"corpus/onnx/openai_clip_rn50.onnx", 12 + 1, 2 * 12 + 1, 0, 0, 0, 12},
    {"corpus/onnx/lucid_simple_vit.onnx", 6, 2 * 6 + 2 + 1, 0, 0, 6, 0},
    {"corpus/onnx/ldm_unet_sd_small.onnx", 2 * 16, 3 * 16, 0, 2 * 22 + 16 + 1, 16, 2 * 22 + 3},
    {"timm_graphs/beit_base_patch16_224@224.onnx", 12, 2 * 12 + 1, 0, 0, 12, 0},
    {"timm_graphs/convit_base@224.onnx", 2, 2 * 12 + 1, 0, 0, 12, 0},  // ten layers mix two kinds of weights
    {"timm_graphs/nest_base@224.onnx", 2 + 2 + 20, 2 * 24 + 1 + 2, 0, 0, 24, 0},
    {"timm_graphs/twins_svt_small@224.onnx", 18, 2 * 18 + 4 + 1 + 7, 0, 0, 18, 0},
    {"timm_graphs/resnet50_gn@224.onnx", 0, 0, 0, 53, 0, 0},
    {"timm_graphs/vit_small_patch16_36x1_224@224.onnx", 36, 2 * 36 + 1, 0, 0, 36, 0},
    {"cases/model_configs/onnx/TFBertForQuestionAnswering.onnx", 24, 2 * 24 + 1, 0, 0, 24, 0},
};

TEST_CASE("ONNX: attention, norms and activations of exported models are recognised") {
  const std::string shared = ROOFCAST_SOURCE_DIR "/../shared/";
  for (const Expected& expected : models) {
    const std::string file = shared + std::string(expected.file);
    if (!std::filesystem::exists(file)) {
      MESSAGE("skipped: there is no file ", file);
      return;
    }
    CAPTURE(expected.file);

    const auto graph = import_onnx(file);

    REQUIRE(graph.has_value());
    const auto count = [&](std::string_view op) {
      return std::ranges::count_if(graph->nodes, [&](const Node& node) { return node.op->name == op; });
    };
    CHECK(count("attention") == expected.attention);
    CHECK(count("layer_norm") == expected.layer_norm);
    CHECK(count("rms_norm") == expected.rms_norm);
    CHECK(count("group_norm") == expected.group_norm);
    CHECK(count("gelu") == expected.gelu);
    CHECK(count("silu") == expected.silu);
  }
}

}  // namespace
}  // namespace roofcast
