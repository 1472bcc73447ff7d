#include "engine/io/import_config/import_config.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "engine/decide/estimate.hpp"
#include "engine/io/load_model.hpp"
#include "engine/io/open_model.hpp"
#include "tests/engine/io/toy_files.hpp"

namespace roofcast {
namespace {

/// A family with one linear layer; `symbols` are further lines of [symbols], `more` further nodes.
std::string family(std::string_view symbols, std::string_view more = {}, std::string_view config = {}) {
  return fmt::format(R"(schema = 1
name = "toy"
[config]
model_types = ["toy", "toyish"]
architectures = ["ToyModel"]
{}
[symbols]
batch = 1
hidden = {{ config = ["hidden_size", "n_embd"] }}
{}
[[input]]
name = "x"
shape = ["batch", "hidden"]
{}
[[node]]
name = "fc"
op = "linear"
out_features = "hidden"
bias = false
)",
                     config, symbols, more);
}

class Families : public ScratchFolder {
 public:
  explicit Families(const std::string& text) { write("toy.toml", text); }

  Result<Graph> import(const std::string& config, const Bindings& symbols = {}) const {
    return import_config(config, "net/config.json", path(), symbols);
  }
  /// The symbol's value, or what is wrong.
  std::string value(const std::string& config, const std::string& symbol) const {
    const auto graph = import(config);
    if (!graph) return to_string(graph.error());
    const auto summary = summarize(*graph);
    if (!summary) return to_string(summary.error());
    for (const auto& [name, value] : summary->symbols) {
      if (name == symbol) return std::to_string(value);
    }
    return "no such symbol";
  }
  std::string complaint(const std::string& config) const {
    const auto graph = import(config);
    return graph ? "no mistakes\n" : to_string(graph.error());
  }
};

/// A family whose symbol `s` follows `rule`.
std::string with_symbol(const std::string& rule) {
  return family("s = { " + rule + " }");
}

std::string toy(const std::string& more = {}) {
  return R"({"model_type": "toy", "hidden_size": 8)" + (more.empty() ? "" : ", " + more) + "}";
}

TEST_CASE("import_config: sizes come from the configuration, and the name says where from") {
  const Families families(family(""));

  const auto graph = families.import(toy());

  REQUIRE(graph.has_value());
  CHECK(graph->name == "net");
  CHECK(graph->file == "net/config.json");
  CHECK(summarize(*graph)->parameters == 8 * 8);
  CHECK(families.import(toy(R"("_name_or_path": "acme/toy-7b")"))->name == "acme/toy-7b");
  CHECK(summarize(*graph, {{"hidden", 16}})->parameters == 16 * 16);
}

TEST_CASE("import_config: the first of several spellings that is there and not null") {
  const Families families(family(""));

  CHECK(families.value(R"({"model_type": "toy", "n_embd": 4})", "hidden") == "4");
  CHECK(families.value(R"({"model_type": "toy", "hidden_size": null, "n_embd": 4})", "hidden") == "4");
  CHECK(families.value(R"({"model_type": "toy", "hidden_size": 5, "n_embd": 4})", "hidden") == "5");
}

TEST_CASE("import_config: a missing key is an error that names the file and the key") {
  const Families families(family(""));

  CHECK(families.complaint(R"({"model_type": "toy"})") ==
        "net/config.json: error: 'hidden_size' is missing\n  hint: or one of n_embd\n");
  CHECK(families.complaint(R"({"model_type": "toy", "hiden_size": 5})") ==
        "net/config.json: error: 'hidden_size' is missing\n  hint: did you mean 'hiden_size'?\n");
}

TEST_CASE("import_config: values of the wrong type are errors") {
  const Families families(family(""));
  const auto with = [&](const std::string& value) {
    return families.complaint(R"({"model_type": "toy", "hidden_size": )" + value + "}");
  };

  CHECK(with("\"8\"") == "net/config.json: error: 'hidden_size' must be an integer, not a string\n");
  CHECK(with("[8]") == "net/config.json: error: 'hidden_size' must be an integer, not a list\n");
  CHECK(with("{}") == "net/config.json: error: 'hidden_size' must be an integer, not an object\n");
  CHECK(with("8.0") == "no mistakes\n");
  const std::string too_large =
      "net/config.json: error: 'hidden_size' must be an integer of at most 281474976710656\n";
  CHECK(with("8.5") == too_large);
  CHECK(with("1e300") == too_large);
  CHECK(with("18446744073709551615") == too_large);
  CHECK(with("99999999999999999999999") == too_large);
  CHECK(with("-8") == "net/config.json: error: 'hidden_size' is -8, but sizes are not negative\n");
  CHECK(with("NaN") == "net/config.json: error: 'hidden_size' is null\n  hint: or one of n_embd\n");
}

TEST_CASE("import_config: defaults are expressions for what is missing or null") {
  const Families families(with_symbol("config = \"n_inner\", default = \"4 * hidden\""));

  CHECK(families.value(toy(), "s") == "32");
  CHECK(families.value(toy("\"n_inner\": null"), "s") == "32");
  CHECK(families.value(toy("\"n_inner\": 7"), "s") == "7");
}

TEST_CASE("import_config: paths into objects and lists") {
  const auto value = [](const std::string& path, const std::string& json) {
    return Families(with_symbol("config = \"" + path + "\", default = 99")).value(toy("\"a\": " + json), "s");
  };

  CHECK(value("a.b", R"({"b": 3})") == "3");
  CHECK(value("a.b.c", R"({"b": {"c": 4}})") == "4");
  CHECK(value("a.b", "3") == "99");
  CHECK(value("a[1]", "[5, 6]") == "6");
  CHECK(value("a[-1]", "[5, 6, 7]") == "7");
  CHECK(value("a[2]", "[5, 6]") == "99");
  CHECK(value("a[-3]", "[5, 6]") == "99");
  CHECK(value("a[1]", "5") == "5");
  CHECK(value("a[1].b", R"([{}, {"b": 8}])") == "8");
  CHECK(value("a[x]", "[5]") == "99");
  CHECK(value("a[99999999999999999999]", "[5]") == "99");
}

TEST_CASE("import_config: flags, words, counts, fractions and limits") {
  const auto value = [](const std::string& rule, const std::string& json) {
    return Families(with_symbol("config = \"a\", " + rule)).value(toy("\"a\": " + json), "s");
  };

  CHECK(value("default = 5", "true") == "1");
  CHECK(value("default = 5", "false") == "0");
  CHECK(value("words = { gelu = 3, silu = 4 }", "\"silu\"") == "4");
  CHECK(value("words = { gelu = 3 }, other = 9", "\"silu\"") == "9");
  CHECK(value("words = { gelu = 3, silu = 4 }", "\"selu\"") ==
        "net/config.json: error: 'a' is 'selu', which this family does not know\n"
        "  hint: did you mean 'gelu'?\n");
  CHECK(value("words = { gelu = 3 }", "7") ==
        "net/config.json: error: 'a' must be a string, not an integer\n");
  CHECK(value("count = \"far\"", R"(["near", "far", "near", "far", 3])") == "2");
  CHECK(value("length = true", "[1, 2, 3]") == "3");
  CHECK(value("length = true", R"({"0": "cat", "1": "dog"})") == "2");
  CHECK(value("length = true", "3") == "net/config.json: error: 'a' must be a list, not an integer\n");
  CHECK(value("scale = 1000", "0.25") == "250");
  CHECK(value("scale = 1000", "1") == "1000");
  CHECK(value("at_most = 100", "131072") == "100");
  CHECK(value("at_most = 100", "64") == "64");
  CHECK(value("limit = 3", "3") == "3");
  CHECK(value("limit = 3", "4") ==
        "net/config.json: error: 'a' comes to 4, but this family knows at most 3\n");
  CHECK(value("length = true, limit = 2", "[1, 2, 3]") ==
        "net/config.json: error: 'a' comes to 3, but this family knows at most 2\n");
  CHECK(value("null = 0, default = 7", "null") == "0");
  CHECK(value("null = 0, default = 7", "5") == "5");
  CHECK(Families(with_symbol("config = \"b\", null = 0, default = 7")).value(toy(), "s") == "7");
  CHECK(value("present = true", "{}") == "1");
  CHECK(value("present = true", "null") == "0");
}

TEST_CASE("import_config: mistakes in a rule are those of the family's file") {
  CHECK(
      Families(with_symbol("config = \"a\", defualt = 4"))
          .complaint(toy("\"a\": 3"))
          .find(
              "toy.toml:10:21: error: unknown key 'symbols.s.defualt'\n  hint: did you mean 'default'?\n") !=
      std::string::npos);
  CHECK(Families(with_symbol("default = 4"))
            .complaint(toy())
            .find("toy.toml:10:5: error: a rule needs 'config', the key to look for\n") != std::string::npos);
}

TEST_CASE("import_config: a configuration's word chooses an operator or a block") {
  const std::string activation =
      "[[node]]\nname = \"act\"\nop = { config = \"hidden_act\", default = \"gelu\", "
      "words = { swish = \"silu\" } }\n";
  const Families families(family("", activation));
  const auto chosen = [&](const std::string& more) {
    return std::string(families.import(toy(more))->nodes.at(0).op->name);
  };

  CHECK(chosen("") == "gelu");
  CHECK(chosen(R"("hidden_act": "relu")") == "relu");
  CHECK(chosen(R"("hidden_act": "swish")") == "silu");
  CHECK(families.complaint(toy(R"("hidden_act": "rellu")")) ==
        "net/config.json: error: unknown operator 'rellu'\n"
        "  hint: did you mean 'relu'? `simulate list operators` prints them all\n");
  CHECK(families.complaint(toy(R"("hidden_act": 3)")) ==
        "net/config.json: error: 'hidden_act' must be a string, not an integer\n");
}

TEST_CASE("import_config: blocks of shared files may be used, and need not be") {
  Families families(family("", "[[node]]\nname = \"act\"\nop = \"twice\"\n", "shared = [\"blocks\"]"));
  families.write(
      "shared/blocks.toml",
      "schema = 1\n"
      "[[block]]\nname = \"twice\"\ninputs = [\"x\"]\n"
      "[[block.node]]\nname = \"a\"\nop = \"relu\"\n[[block.node]]\nname = \"b\"\nop = \"relu\"\n"
      "[[block]]\nname = \"unused\"\ninputs = [\"x\"]\n[[block.node]]\nname = \"a\"\nop = \"relu\"\n");

  const auto graph = families.import(toy());

  REQUIRE(graph.has_value());
  CHECK(graph->nodes.size() == 3);
}

TEST_CASE("import_config: the family follows from model_type, the class or the keys that are there") {
  const Families families(family("", "", "without_model_type = { hidden_size = 8, odd = \"yes\" }"));

  CHECK(families.complaint(R"({"model_type": "toyish", "hidden_size": 8})") == "no mistakes\n");
  CHECK(families.complaint(R"({"architectures": ["ToyModel"], "hidden_size": 8})") == "no mistakes\n");
  CHECK(families.complaint(R"({"_class_name": "ToyModel", "hidden_size": 8})") == "no mistakes\n");
  CHECK(families.complaint(R"({"odd": "yes", "hidden_size": 8})") == "no mistakes\n");
  CHECK(families.complaint(R"({"odd": "no", "hidden_size": 8})") ==
        "net/config.json: error: 'model_type' is missing\n  hint: known: toy, toyish\n");
  CHECK(families.complaint(R"({"model_type": "toi"})") ==
        "net/config.json: error: unknown model_type 'toi'\n  hint: did you mean 'toy'?\n");
  CHECK(families.complaint(R"({"model_type": 7})") ==
        "net/config.json: error: 'model_type' must be a string, not an integer\n");
  CHECK(families.complaint(R"({"_class_name": "Other"})") ==
        "net/config.json: error: unknown _class_name 'Other'\n  hint: known: ToyModel\n");
}

TEST_CASE("import_config: the language model inside another is taken, with a note") {
  const Families families(family("s = { config = \"size\", nested_default = 3 }"));

  const auto graph =
      families.import(R"({"model_type": "toy_vision", "text_config": {"model_type": "toy", "n_embd": 4}})");

  REQUIRE(graph.has_value());
  CHECK(summarize(*graph)->parameters == 4 * 4);
  CHECK(graph->notes == std::vector<std::string>{"only the language model in 'text_config' is predicted, "
                                                 "without what it sees or hears"});
  CHECK(families.complaint(R"({"model_type": "v", "text_config": {"model_type": "toy"}})") ==
        "net/config.json: error: 'text_config.hidden_size' is missing\n  hint: or one of n_embd\n");
  CHECK(families.complaint(toy()) == "net/config.json: error: 'size' is missing\n");
}

TEST_CASE("import_config: a quantization_config says how the weights are stored") {
  const Families families(family(""));
  const auto stored = [&](const std::string& json) {
    const auto graph = families.import(toy("\"quantization_config\": " + json));
    if (!graph->notes.empty()) return graph->notes.front();
    return graph->stored ? graph->stored->precision.name : "none";
  };

  CHECK(stored("null") == "none");
  CHECK(stored("{}") == "none");
  CHECK(stored(R"({"quant_method": "gptq", "bits": 4, "group_size": 128})") == "w4a16");
  CHECK(stored(R"({"quant_method": "awq", "bits": 4, "group_size": 32})") == "w4a16-g32");
  CHECK(stored(R"({"quant_method": "gptq", "bits": 8, "group_size": -1})") == "w8a16-row");
  CHECK(stored(R"({"quant_method": "fp8", "weight_block_size": [128, 128]})") == "fp8");
  CHECK(stored(R"({"quant_method": "mxfp4"})") == "mxfp4");
  CHECK(stored(R"({"quant_method": "bitsandbytes", "load_in_8bit": true})") == "int8");
  CHECK(stored(R"({"quant_method": "bitsandbytes", "load_in_4bit": true})") == "nf4-single");
  CHECK(stored(R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights":
      {"num_bits": 8, "type": "int"}, "input_activations": {"num_bits": 8}}}})") == "int8");
  CHECK(stored(R"({"quant_method": "hqq"})") ==
        "its quantization_config is not followed: unknown format of weights 'hqq'");
}

TEST_CASE("import_config: what is no configuration is refused with its place") {
  const Families families(family(""));

  CHECK(families.complaint("") == "net/config.json: error: the file is empty\n");
  CHECK(families.complaint("[1]") ==
        "net/config.json:1:1: error: a configuration is an object, not a list\n");
  CHECK(families.complaint("{\n  \"a\": 1,\n}").starts_with("net/config.json:3:1: error: not valid JSON: "));
  CHECK(families.complaint("{\"a\": 1").starts_with("net/config.json:1:8: error: not valid JSON: "));
  CHECK(families.complaint("{\"a\": \"\xff\"}").starts_with("net/config.json:1:8: error: not valid JSON: "));
  CHECK(families.complaint("{\"a\": 1e999}").starts_with("net/config.json: error: not valid JSON: "));
  CHECK(families.complaint(std::string(100'000, '[')) ==
        "net/config.json: error: not a configuration: its lists and objects nest too deeply\n");
}

TEST_CASE("import_config: a family is no model of its own") {
  const auto graph = load_model(family(""), "toy.toml");

  REQUIRE_FALSE(graph.has_value());
  CHECK(to_string(graph.error()) ==
        "toy.toml:3:1: error: this is a family of models, not one of them\n"
        "  hint: give the config.json of a model to --model\n");
}

TEST_CASE("open_model: a .json file, and a folder with a config.json") {
  const ScratchFolder folder;
  folder.write("hardware_db/gpus/toy.toml", "");
  folder.write("models/families/toy.toml", family(""));
  folder.write("net/config.json", toy());
  const DataFolder data = *DataFolder::open(folder.path());

  const auto path = data.find_model_path((folder.path() / "net").string());

  REQUIRE(path.has_value());
  CHECK(*path == folder.path() / "net" / "config.json");
  CHECK(open_model(data, *path)->name == "net");
  CHECK(data.models().empty());
  CHECK(*data.find_model_path("config.json") == "config.json");
}

}  // namespace
}  // namespace roofcast
