#include "engine/io/weights/gguf_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>

namespace roofcast {
namespace {

using Json = nlohmann::ordered_json;

enum class From : std::uint8_t {
  integer,    // the metadata key `{architecture}.{source}`, left out where it is missing
  required,   // the same, and its lack is an error
  number,     // the same as `integer` with a fraction
  tensor,     // whether the tensor `source` is there
  no_tensor,  // whether it is not
  rows,       // the second dimension of the tensor `source`, left out without it
  flag,       // the metadata key `{architecture}.{source}`, true or false, left out where it is missing
  rotated,    // the share of a head that `rope.dimension_count` rotates, left out where it is missing
  is_true,    // always true
  text        // always `source`
};

struct Rule {
  std::string_view key{};  ///< in config.json
  From from = From::integer;
  std::string_view source{};
};

// Names of metadata keys: docs/gguf.md of ggml-org/ggml and gguf-py/gguf/constants.py of ggml-org/llama.cpp;
// names of configurations: transformers' configuration_*.py. Read 2026-12.
constexpr std::array<Rule, 11> decoder = {{
    {"hidden_size", From::required, "embedding_length"},
    {"num_hidden_layers", From::required, "block_count"},
    {"num_attention_heads", From::required, "attention.head_count"},
    {"num_key_value_heads", From::integer, "attention.head_count_kv"},
    {"head_dim", From::integer, "attention.key_length"},
    {"intermediate_size", From::integer, "feed_forward_length"},
    {"max_position_embeddings", From::integer, "context_length"},
    {"sliding_window", From::integer, "attention.sliding_window"},
    {"rope_theta", From::number, "rope.freq_base"},
    {"vocab_size", From::rows, "token_embd.weight"},
    {"tie_word_embeddings", From::no_tensor, "output.weight"},
}};

constexpr std::array<Rule, 3> llama = {{
    {"hidden_act", From::text, "silu"},
    {"attention_bias", From::tensor, "blk.0.attn_q.bias"},
    {"mlp_bias", From::tensor, "blk.0.ffn_up.bias"},
}};
constexpr std::array<Rule, 3> mixtral = {{
    {"hidden_act", From::text, "silu"},
    {"num_local_experts", From::required, "expert_count"},
    {"num_experts_per_tok", From::required, "expert_used_count"},
}};
constexpr std::array<Rule, 1> silu = {{{"hidden_act", From::text, "silu"}}};
constexpr std::array<Rule, 5> qwen2_moe = {{
    {"hidden_act", From::text, "silu"},
    {"num_experts", From::required, "expert_count"},
    {"num_experts_per_tok", From::required, "expert_used_count"},
    {"moe_intermediate_size", From::required, "expert_feed_forward_length"},
    {"shared_expert_intermediate_size", From::integer, "expert_shared_feed_forward_length"},
}};
constexpr std::array<Rule, 2> biased_silu = {{
    {"hidden_act", From::text, "silu"},
    {"attention_bias", From::tensor, "blk.0.attn_q.bias"},
}};
constexpr std::array<Rule, 1> gemma = {{{"hidden_activation", From::text, "gelu_pytorch_tanh"}}};
constexpr std::array<Rule, 3> gemma2 = {{
    {"hidden_activation", From::text, "gelu_pytorch_tanh"},
    {"attn_logit_softcapping", From::number, "attn_logit_softcapping"},
    {"final_logit_softcapping", From::number, "final_logit_softcapping"},
}};
constexpr std::array<Rule, 2> phi2 = {{
    {"hidden_act", From::text, "gelu_new"},
    {"partial_rotary_factor", From::rotated, {}},
}};
constexpr std::array<Rule, 2> phi3 = {{
    {"hidden_act", From::text, "silu"},
    {"partial_rotary_factor", From::rotated, {}},
}};
constexpr std::array<Rule, 8> gpt2 = {{
    {"n_embd", From::required, "embedding_length"},
    {"n_layer", From::required, "block_count"},
    {"n_head", From::required, "attention.head_count"},
    {"n_inner", From::integer, "feed_forward_length"},
    {"n_positions", From::rows, "position_embd.weight"},
    {"vocab_size", From::rows, "token_embd.weight"},
    {"tie_word_embeddings", From::no_tensor, "output.weight"},
    {"activation_function", From::text, "gelu_new"},
}};
constexpr std::array<Rule, 4> gpt_neox = {{
    {"hidden_act", From::text, "gelu"},
    {"use_parallel_residual", From::flag, "use_parallel_residual"},
    {"rotary_pct", From::rotated, {}},
    {"attention_bias", From::tensor, "blk.0.attn_qkv.bias"},
}};
constexpr std::array<Rule, 6> falcon = {{
    {"ffn_hidden_size", From::integer, "feed_forward_length"},
    {"num_kv_heads", From::integer, "attention.head_count_kv"},
    {"multi_query", From::is_true, {}},
    {"parallel_attn", From::is_true, {}},
    {"new_decoder_architecture", From::tensor, "blk.0.attn_norm_2.weight"},
    {"bias", From::tensor, "blk.0.attn_qkv.bias"},
}};
constexpr std::array<Rule, 5> stablelm = {{
    {"hidden_act", From::text, "silu"},
    {"use_qkv_bias", From::tensor, "blk.0.attn_q.bias"},
    {"qk_layernorm", From::tensor, "blk.0.attn_q_norm.weight"},
    {"use_parallel_residual", From::no_tensor, "blk.0.ffn_norm.weight"},
    {"partial_rotary_factor", From::rotated, {}},
}};
constexpr std::array<Rule, 2> starcoder2 = {{
    {"hidden_act", From::text, "gelu_pytorch_tanh"},
    {"use_bias", From::tensor, "blk.0.attn_q.bias"},
}};
constexpr std::array<Rule, 2> cohere = {{
    {"hidden_act", From::text, "silu"},
    {"use_qk_norm", From::tensor, "blk.0.attn_q_norm.weight"},
}};
constexpr std::array<Rule, 3> gpt_oss = {{
    {"intermediate_size", From::required, "expert_feed_forward_length"},
    {"num_local_experts", From::required, "expert_count"},
    {"num_experts_per_tok", From::required, "expert_used_count"},
}};

struct Architecture {
  std::string_view name{};        ///< in `general.architecture`
  std::string_view model_type{};  ///< in config.json
  std::string_view type{};        ///< in its `architectures`
  std::span<const Rule> common{};
  std::span<const Rule> own{};  ///< replaces common rules of the same key
};

// `llama` also stands for Mistral and, with experts, for Mixtral.
constexpr std::array<Architecture, 21> architectures = {{
    {"llama", "llama", "LlamaForCausalLM", decoder, llama},
    {"mistral3", "mistral", "MistralForCausalLM", decoder, silu},
    {"qwen2", "qwen2", "Qwen2ForCausalLM", decoder, silu},
    {"qwen2moe", "qwen2_moe", "Qwen2MoeForCausalLM", decoder, qwen2_moe},
    {"qwen3", "qwen3", "Qwen3ForCausalLM", decoder, biased_silu},
    {"qwen3moe", "qwen3_moe", "Qwen3MoeForCausalLM", decoder, qwen2_moe},
    {"gemma", "gemma", "GemmaForCausalLM", decoder, gemma},
    {"gemma2", "gemma2", "Gemma2ForCausalLM", decoder, gemma2},
    {"gemma3", "gemma3_text", "Gemma3ForCausalLM", decoder, gemma},
    {"phi2", "phi", "PhiForCausalLM", decoder, phi2},
    {"phi3", "phi3", "Phi3ForCausalLM", decoder, phi3},
    {"gpt2", "gpt2", "GPT2LMHeadModel", gpt2, {}},
    {"gptneox", "gpt_neox", "GPTNeoXForCausalLM", decoder, gpt_neox},
    {"falcon", "falcon", "FalconForCausalLM", decoder, falcon},
    {"bloom", "bloom", "BloomForCausalLM", decoder, {}},
    {"stablelm", "stablelm", "StableLmForCausalLM", decoder, stablelm},
    {"starcoder2", "starcoder2", "Starcoder2ForCausalLM", decoder, starcoder2},
    {"command-r", "cohere", "CohereForCausalLM", decoder, cohere},
    {"olmo2", "olmo2", "Olmo2ForCausalLM", decoder, biased_silu},
    {"granite", "granite", "GraniteForCausalLM", decoder, llama},
    {"gpt-oss", "gpt_oss", "GptOssForCausalLM", decoder, gpt_oss},
}};
constexpr Architecture mixture = {"llama", "mixtral", "MixtralForCausalLM", decoder, mixtral};

const Architecture* find_architecture(const GgufHeader& header, std::string_view name) {
  if (name == "llama" && header.integer("llama.expert_count").value_or(0) > 0) return &mixture;
  const auto* found = std::ranges::find(architectures, name, &Architecture::name);
  return found == architectures.end() ? nullptr : &*found;
}

class ConfigWriter {
 public:
  ConfigWriter(const GgufHeader& header, const Architecture& architecture)
      : header_(header), architecture_(architecture) {}

  Result<std::string> run() {
    config_["architectures"] = Json::array({architecture_.type});
    config_["model_type"] = architecture_.model_type;
    if (const std::string name = header_.text("general.name"); !name.empty()) config_["_name_or_path"] = name;
    for (const Rule& rule : architecture_.common) {
      const bool replaced =
          std::ranges::find(architecture_.own, rule.key, &Rule::key) != architecture_.own.end();
      if (!replaced) add(rule);
    }
    for (const Rule& rule : architecture_.own) add(rule);
    add_defaults();
    if (!config_.contains("vocab_size")) {
      if (const auto* tokens = header_.list("tokenizer.ggml.tokens")) config_["vocab_size"] = tokens->count;
    }
    if (!problems_.empty()) return tl::make_unexpected(std::move(problems_));
    return config_.dump(2, ' ', false, Json::error_handler_t::replace);
  }

 private:
  // What llama.cpp takes where the metadata says nothing; configurations have defaults of their own.
  void add_defaults() {
    const auto hidden = header_.integer(fmt::format("{}.embedding_length", architecture_.name));
    const auto heads = header_.integer(fmt::format("{}.attention.head_count", architecture_.name));
    if (!hidden || !heads || *heads <= 0) return;
    if (!config_.contains("num_key_value_heads")) config_["num_key_value_heads"] = *heads;
    if (!config_.contains("head_dim")) config_["head_dim"] = *hidden / *heads;
  }

  void add_rotated(const Rule& rule) {
    const auto rotated = header_.number(fmt::format("{}.rope.dimension_count", architecture_.name));
    const auto hidden = header_.number(fmt::format("{}.embedding_length", architecture_.name));
    const auto heads = header_.number(fmt::format("{}.attention.head_count", architecture_.name));
    const auto size = header_.number(fmt::format("{}.attention.key_length", architecture_.name));
    if (!rotated || !(size || (hidden && heads))) return;
    const double head_size = size ? *size : *hidden / *heads;
    if (*rotated > 0 && head_size >= *rotated) config_[std::string(rule.key)] = *rotated / head_size;
  }

  void add(const Rule& rule) {
    const std::string key = fmt::format("{}.{}", architecture_.name, rule.source);
    const StoredTensor* tensor = header_.tensor(rule.source);
    switch (rule.from) {
      case From::integer:
      case From::required: add_integer(rule, key); break;
      case From::number:
        if (const auto value = header_.number(key)) config_[std::string(rule.key)] = *value;
        break;
      case From::tensor: config_[std::string(rule.key)] = tensor != nullptr; break;
      case From::no_tensor: config_[std::string(rule.key)] = tensor == nullptr; break;
      case From::rows:
        if (tensor != nullptr && tensor->shape.size() == 2)
          config_[std::string(rule.key)] = tensor->shape.back();
        break;
      case From::flag: {
        const auto found = header_.metadata.find(key);
        const bool* value = found == header_.metadata.end() ? nullptr : std::get_if<bool>(&found->second);
        if (value != nullptr) config_[std::string(rule.key)] = *value;
        break;
      }
      case From::rotated: add_rotated(rule); break;
      case From::is_true: config_[std::string(rule.key)] = true; break;
      case From::text: config_[std::string(rule.key)] = rule.source; break;
    }
  }

  void add_integer(const Rule& rule, const std::string& key) {
    if (const auto value = header_.integer(key)) {
      config_[std::string(rule.key)] = *value;
    } else if (header_.list(key) != nullptr) {
      complain(fmt::format("'{}' differs from layer to layer, which is not supported", key));
    } else if (rule.from == From::required) {
      complain(fmt::format("has no metadata key '{}'", key));
    }
  }

  void complain(std::string text) {
    problems_.push_back({Location{.file = header_.file}, std::move(text), {}});
  }

  const GgufHeader& header_;
  const Architecture& architecture_;
  Json config_ = Json::object();
  Diagnostics problems_{};
};

}  // namespace

Result<std::string> gguf_config(const GgufHeader& header) {
  const Location where{.file = header.file};
  const std::string name = header.text("general.architecture");
  if (name.empty()) {
    return fail("has no metadata key 'general.architecture': it describes no model", where);
  }
  const Architecture* architecture = find_architecture(header, name);
  if (architecture == nullptr) {
    std::vector<std::string> known;
    for (const Architecture& other : architectures) known.emplace_back(other.name);
    return fail(fmt::format("unknown architecture '{}'", name), where,
                fmt::format("known: {}", fmt::join(known, ", ")));
  }
  return ConfigWriter(header, *architecture).run();
}

}  // namespace roofcast
