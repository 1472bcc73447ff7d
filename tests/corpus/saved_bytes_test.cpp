// What training keeps for its backward pass against what automatic differentiation kept when the same models
// ran. The engine has no list of saved tensors: they follow from what the gradient rules read.

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "engine/decide/symbols.hpp"
#include "engine/io/load_model.hpp"
#include "engine/io/read_file.hpp"
#include "engine/predict.hpp"
#include "tests/corpus/csv_rows.hpp"

namespace roofcast {
namespace {

const std::string root = ROOFCAST_SOURCE_DIR;
const std::string corpus = root + "/../shared/corpus";

/// Bytes of all storage that a forward step makes and a backward step reads. Dropout masks are left out: the
/// reference ran where they are floating-point tensors.
double saved_bytes(const Program& program, const Bindings& symbols) {
  const auto tensor = [&](TensorId id) -> const ProgramTensor& {
    return program.tensors[static_cast<std::size_t>(id)];
  };
  const auto storage = [&](TensorId id) {
    while (tensor(id).storage != id) id = tensor(id).storage;
    return id;
  };
  std::set<TensorId> made;
  std::set<TensorId> kept;
  for (const Step& step : program.steps) {
    if (step.phase == Phase::forward) {
      for (const TensorId id : step.outputs) made.insert(storage(id));
    } else {
      for (const TensorId id : step.inputs) {
        const bool activation = tensor(storage(id)).role == TensorRole::activation;
        if (activation && made.contains(storage(id)) && tensor(id).dtype != DType::boolean)
          kept.insert(storage(id));
      }
    }
  }
  double total = 0;
  for (const TensorId id : kept) total += static_cast<double>(tensor(id).bytes.evaluate(symbols).value());
  return total;
}

TEST_CASE("models: what training keeps equals what was kept when the models ran") {
  if (!std::filesystem::exists(corpus)) {
    MESSAGE("skipped: there is no folder ../shared/corpus with reference counts");
    return;
  }
  const auto references = csv_records(corpus + "/references.csv");
  int compared = 0;
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"resnet18", "tv_resnet18"}, {"resnet50", "tv_resnet50"}, {"mobilenet-v2", "tv_mobilenet_v2"}};
  for (const auto& pair : pairs) {
    const std::string& name = pair.first;
    const std::string& reference = pair.second;
    CAPTURE(name);
    const auto row =
        std::ranges::find_if(references, [&](const CsvRecord& r) { return r.at("model") == reference; });
    REQUIRE(row != references.end());
    const auto text = read_text(root + "/models/" + name + ".toml");
    REQUIRE(text);
    const auto graph = load_model_unrolled(*text, name);
    REQUIRE(graph);
    const auto compiled = compile(*graph, {.task = Task::training});
    REQUIRE(compiled);
    const auto symbols = all_symbols(
        graph->symbols, Bindings{{"batch", std::stoll(row->at("batch_train"))}, {"image_size", 224}});
    REQUIRE(symbols);

    const double ours = saved_bytes(compiled->program, *symbols);

    const std::string without_dropout = row->at("nodrop_fp32_saved_act_bytes");
    const double kept =
        std::stod(without_dropout.empty() ? row->at("fp32_saved_act_bytes") : without_dropout);
    constexpr double weight_of_the_loss = 4;  // one fp32 value that the reference's loss keeps besides
    CHECK(ours == kept - weight_of_the_loss);
    ++compared;
  }
  MESSAGE("compared ", compared, " models");
}

}  // namespace
}  // namespace roofcast
