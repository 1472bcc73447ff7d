// Families of config.json against exact parameter counts. The reference data is no part of the project:
// without the folder ../shared these tests only say that they were skipped.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/decide/estimate.hpp"
#include "engine/io/import_config/import_config.hpp"
#include "engine/io/read_file.hpp"
#include "tests/corpus/csv_rows.hpp"

namespace roofcast {
namespace {

const std::string root = ROOFCAST_SOURCE_DIR;
const std::filesystem::path families = root + "/models/families";
const std::string configs = root + "/../shared/cases/model_configs";
const std::string corpus = root + "/../shared/corpus";

// What the families covered when this was written: fewer means that one is no longer found.
constexpr int least_configurations = 70;
constexpr int least_executed = 13;

Result<Graph> import(const std::string& path, const Bindings& symbols = {}) {
  const auto text = read_text(path);
  REQUIRE_MESSAGE(text, path);
  return import_config(*text, path, families, symbols);
}

// A model without a family, or that says in a note what it leaves out, is not compared.
bool supported(const Result<Graph>& graph) {
  if (graph) return graph->notes.empty();
  const std::string complaint = to_string(graph.error());
  return complaint.find("error: unknown model_type '") == std::string::npos &&
         complaint.find("error: unknown _class_name '") == std::string::npos;
}

TEST_CASE("families: parameters equal the exact counts of public configurations") {
  if (!std::filesystem::exists(configs)) {
    MESSAGE("skipped: there is no folder ../shared/cases/model_configs with configurations");
    return;
  }
  int compared = 0;
  int left_out = 0;
  for (const CsvRecord& row : csv_records(configs + "/index.csv")) {
    const std::string& file = row.at("file");
    CAPTURE(file);
    if (!file.ends_with(".json") || row.at("params_total").empty()) continue;
    const auto graph = import(configs + "/" + file);
    if (!supported(graph)) {
      ++left_out;
      continue;
    }
    INFO("complaint: ", graph ? std::string("none") : to_string(graph.error()));
    REQUIRE(graph.has_value());

    const auto summary = summarize(*graph);

    INFO("complaint: ", summary ? std::string("none") : to_string(summary.error()));
    REQUIRE(summary.has_value());
    CHECK(summary->parameters == std::stoll(row.at("params_total")));
    const std::string& active = row.at("params_active");
    if (!active.empty()) CHECK(summary->parameters_active == std::stoll(active));
    ++compared;
  }
  MESSAGE("compared ", compared, " configurations, ", left_out, " have no family or leave something out");
  CHECK(compared >= least_configurations);
}

TEST_CASE("families: parameters equal the totals of model cards") {
  // The keys of published configurations that decide shapes; counts as Hugging Face shows them for the
  // weights.
  const std::vector<std::pair<std::string, std::int64_t>> published = {
      {R"("bloom", "n_embed": 4096, "n_layer": 30, "num_attention_heads": 32, "vocab_size": 250880)",
       7'069'016'064},  // bigscience/bloom-7b1
      {R"("gptj", "n_embd": 4096, "n_layer": 28, "n_head": 16, "rotary_dim": 64, "vocab_size": 50400)",
       6'050'882'784},  // EleutherAI/gpt-j-6b
      {R"("falcon", "hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 32, "alibi": true,
        "bias": true, "multi_query": false, "parallel_attn": false, "vocab_size": 50304)",
       1'311'625'216},  // tiiuae/falcon-rw-1b
      {R"("opt", "hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "ffn_dim": 4096,
        "vocab_size": 50272, "word_embed_proj_dim": 512, "do_layer_norm_before": false)",
       331'196'416},  // facebook/opt-350m
      {R"("qwen2_moe", "hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 16,
        "num_key_value_heads": 16, "intermediate_size": 5632, "moe_intermediate_size": 1408,
        "shared_expert_intermediate_size": 5632, "num_experts": 60, "vocab_size": 151936)",
       14'315'784'192},  // Qwen/Qwen1.5-MoE-A2.7B
      {R"("stablelm", "hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 32,
        "intermediate_size": 5632, "vocab_size": 100352, "use_qkv_bias": true)",
       1'644'515'328},  // stabilityai/stablelm-2-1_6b
      {R"("starcoder2", "hidden_size": 3072, "num_hidden_layers": 30, "num_attention_heads": 24,
        "num_key_value_heads": 2, "intermediate_size": 12288, "vocab_size": 49152)",
       3'030'371'328},  // bigcode/starcoder2-3b
      {R"("gpt_bigcode", "n_embd": 6144, "n_layer": 40, "n_head": 48, "n_inner": 24576, "vocab_size": 49152,
        "n_positions": 8192)",
       15'517'456'384},  // bigcode/starcoder
      {R"("olmo2", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
        "intermediate_size": 11008, "vocab_size": 100352)",
       7'298'617'344},  // allenai/OLMo-2-1124-7B
      {R"("granite", "hidden_size": 2048, "num_hidden_layers": 40, "num_attention_heads": 32,
        "num_key_value_heads": 8, "intermediate_size": 8192, "vocab_size": 49155, "tie_word_embeddings": true)",
       2'533'531'648},  // ibm-granite/granite-3.0-2b-base
      {R"("dbrx", "d_model": 6144, "n_heads": 48, "n_layers": 40, "vocab_size": 100352,
        "attn_config": {"kv_n_heads": 8, "clip_qkv": 8}, "ffn_config": {"ffn_act_fn": {"name": "silu"},
        "ffn_hidden_size": 10752, "moe_num_experts": 16, "moe_top_k": 4})",
       131'596'523'520},  // databricks/dbrx-base
      {R"("olmo", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
        "intermediate_size": 11008, "vocab_size": 50304)",
       6'888'095'744},                                                              // allenai/OLMo-7B-hf
      {R"("mt5", "architectures": ["MT5ForConditionalGeneration"])", 300'176'768},  // google/mt5-small
      {R"("bart")", 406'291'456},                                                   // facebook/bart-large
      {R"("mbart", "vocab_size": 250054)", 610'879'488},                            // facebook/mbart-large-50
      {R"("pegasus", "vocab_size": 96103, "encoder_layers": 16, "decoder_layers": 16,
        "max_position_embeddings": 512)",
       569'748'480},  // google/pegasus-xsum
      {R"("marian", "vocab_size": 58101, "d_model": 512, "encoder_layers": 6, "decoder_layers": 6,
        "encoder_ffn_dim": 2048, "decoder_ffn_dim": 2048, "encoder_attention_heads": 8,
        "decoder_attention_heads": 8, "max_position_embeddings": 512, "activation_function": "swish")",
       74'410'496},  // Helsinki-NLP/opus-mt-en-de
      {R"("wav2vec2", "hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16,
        "intermediate_size": 4096, "do_stable_layer_norm": true, "feat_extract_norm": "layer",
        "conv_bias": true)",
       315'438'720},  // facebook/wav2vec2-large-960h-lv60, without its head
      {R"("vit", "architectures": ["ViTModel"])", 86'389'248},  // google/vit-base-patch16-224-in21k
      {R"("deit", "architectures": ["DeiTForImageClassificationWithTeacher"])",
       87'338'192},               // facebook/deit-base-distilled-patch16-224
      {R"("swin")", 28'288'354},  // microsoft/swin-tiny-patch4-window7-224
      {R"("swin", "embed_dim": 128, "depths": [2, 2, 18, 2], "num_heads": [4, 8, 16, 32])",
       87'768'224},                     // microsoft/swin-base-patch4-window7-224
      {R"("convnextv2")", 28'635'496},  // facebook/convnextv2-tiny-1k-224
  };
  for (const auto& entry : published) {
    const std::string& config = entry.first;
    CAPTURE(config);
    const auto graph = import_config("{\"model_type\": " + config + "}", "config.json", families);
    INFO("complaint: ", graph ? std::string("none") : to_string(graph.error()));
    REQUIRE(graph.has_value());
    CHECK(summarize(*graph)->parameters == entry.second);
  }
}

/// Heads that transformers puts onto the encoder, by the class that a configuration names.
Bindings head_of(const std::string& source) {
  if (source.find("ForMaskedLM") != std::string::npos) return {{"masked_lm", 1}, {"pooler", 0}};
  if (source.find("ForSequenceClassification") != std::string::npos) return {{"labels", 2}};
  if (source.find("ForPreTraining") != std::string::npos) return {{"discriminator", 1}};
  return {};
}

TEST_CASE("families: parameters and multiply-adds equal those of executed models") {
  if (!std::filesystem::exists(corpus)) {
    MESSAGE("skipped: there is no folder ../shared/corpus with reference counts");
    return;
  }
  int compared = 0;
  for (const CsvRecord& row : csv_records(corpus + "/references.csv")) {
    const std::string path = fmt::format("{}/hf_configs/{}.json", corpus, row.at("model"));
    if (!std::filesystem::exists(path)) continue;
    CAPTURE(path);
    const Bindings head = head_of(row.at("source"));
    const auto graph = import(path, head);
    if (!supported(graph)) continue;
    INFO("complaint: ", graph ? std::string("none") : to_string(graph.error()));
    REQUIRE(graph.has_value());
    const std::string& shapes = row.at("input_shapes");  // "1x64:int64|1x64:int64|1x32:int64"
    const std::int64_t first = std::stoll(shapes.substr(shapes.find('x') + 1));
    const std::int64_t last = std::stoll(shapes.substr(shapes.find('x', shapes.rfind('|') + 1) + 1));
    Bindings symbols = {{"batch", 1}};
    Bindings sizes = {{"seq", first}, {"samples", first}, {"target_length", last}};
    sizes.insert(head.begin(), head.end());
    for (const auto& [name, value] : sizes) {  // not every family has every size and head
      if (std::ranges::find(graph->symbols, name, &Symbol::name) != graph->symbols.end())
        symbols[name] = value;
    }

    const auto summary = summarize(*graph, symbols);

    INFO("complaint: ", summary ? std::string("none") : to_string(summary.error()));
    REQUIRE(summary.has_value());
    CHECK(summary->parameters == std::stoll(row.at("params")));
    CHECK(static_cast<double>(summary->macs) == std::stod(row.at("macs_per_sample")));
    ++compared;
  }
  MESSAGE("compared ", compared, " executed models");
  CHECK(compared >= least_executed);
}

}  // namespace
}  // namespace roofcast
