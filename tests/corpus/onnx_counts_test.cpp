// Exported graphs against exact counts. The reference data is no part of the project: without the folder
// ../shared these tests only say that they were skipped.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "engine/decide/estimate.hpp"
#include "engine/io/import_onnx/import_onnx.hpp"
#include "tests/corpus/csv_rows.hpp"

namespace roofcast {
namespace {

const std::string shared = ROOFCAST_SOURCE_DIR "/../shared";

bool missing(const std::string& folder) {
  if (std::filesystem::exists(folder)) return false;
  MESSAGE("skipped: there is no folder ", folder, " with exported graphs");
  return true;
}

std::vector<std::string> parts(const std::string& text, char separator) {
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    result.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

// "1x3x224x224:float32" -> 1, 3, 224, 224
std::vector<std::int64_t> sizes(const std::string& text) {
  std::vector<std::int64_t> result;
  const std::string shape = text.substr(0, text.find(':'));
  if (shape.empty()) return result;
  for (const std::string& size : parts(shape, 'x')) result.push_back(std::stoll(size));
  return result;
}

// The shapes of a list such as "1x8:int64|1x3x4x4:float32", for the inputs in their order.
OpenOptions shapes_of(const Graph& graph, const std::string& list) {
  OpenOptions options;
  const std::vector<std::string> given = parts(list, '|');
  for (std::size_t i = 0; i < given.size() && i < graph.inputs.size(); ++i) {
    const auto value = static_cast<std::size_t>(graph.inputs[i].value);
    options.shapes.emplace(graph.values[value].name, sizes(given[i]));
  }
  return options;
}

Result<ModelSummary> counts(const std::string& file, const std::string& shapes) {
  const auto graph = import_onnx(file);
  if (!graph) return tl::unexpected(graph.error());
  const auto shaped = import_onnx(file, shapes_of(*graph, shapes));
  if (!shaped) return tl::unexpected(shaped.error());
  return summarize(*shaped);
}

// Layers that the reference does not count as such: it counts modules, and these graphs multiply by stored
// matrices in functions (a convolution of width 1 in GPT-2, the input projections of multi-head attention in
// the others).
const std::set<std::string> functional_layers = {"hf_gpt2", "hf_openai_gpt", "openai_clip_rn50",
                                                 "tv_vit_b_16"};

TEST_CASE("ONNX: elements and multiply-adds of exported models are exact") {
  const std::string corpus = shared + "/corpus";
  if (missing(corpus)) return;
  int compared = 0;
  for (const CsvRecord& row : csv_records(corpus + "/references.csv")) {
    if (row.at("onnx_file").empty()) continue;
    CAPTURE(row.at("model"));

    const auto summary = counts(corpus + "/" + row.at("onnx_file"), row.at("onnx_input_shapes"));

    INFO("complaint: ", summary ? std::string("none") : to_string(summary.error()));
    REQUIRE(summary.has_value());
    CHECK(summary->parameters + summary->statistics == std::stoll(row.at("onnx_float_initializer_elems")));
    CHECK(summary->initializer_elements == std::stoll(row.at("onnx_initializer_elems")));
    const bool complete = row.at("onnx_macs_unknown_nodes") == "0";
    if (complete) CHECK(summary->macs == std::stoll(row.at("onnx_macs")));
    const bool comparable =
        (row.at("onnx_macs_vs_measured") == "exact" || !complete) && row.at("data_dependent") == "0";
    if (comparable) {                                   // the reference was executed at another batch size
      const std::string& batch = row.at("onnx_batch");  // "4" or "dynamic(traced 1)"
      const auto digits = batch.find_first_of("0123456789");
      const std::int64_t traced = std::stoll(batch.substr(digits));
      const std::int64_t executed = std::stoll(row.at("batch_infer"));
      CHECK(summary->macs * executed == std::stoll(row.at("macs")) * traced);
      if (!functional_layers.contains(row.at("model"))) {
        CHECK(summary->activation_elements * executed == std::stoll(row.at("convlinear_out_elems")) * traced);
      }
    }
    ++compared;
  }
  MESSAGE("compared ", compared, " exported models");
  CHECK(compared > 0);
}

TEST_CASE("ONNX: unfused graphs of image models load, with their parameters apart from statistics") {
  const std::string folder = shared + "/timm_graphs";
  if (missing(folder)) return;
  int compared = 0;
  for (const CsvRecord& row : csv_records(folder + "/index.csv")) {
    CAPTURE(row.at("file"));

    const auto graph = import_onnx(folder + "/" + row.at("file"));

    INFO("complaint: ", graph ? std::string("none") : to_string(graph.error()));
    REQUIRE(graph.has_value());
    const auto summary = summarize(*graph);
    REQUIRE(summary.has_value());
    CHECK(summary->parameters == std::stoll(row.at("params")));
    CHECK(summary->statistics == std::stoll(row.at("batchnorm_statistics_elems")));
    ++compared;
  }
  MESSAGE("compared ", compared, " image models");
  CHECK(compared > 0);
}

// Not in order, and two of its nodes compute '284', 12 and 2: which of them a reader of that name means is
// open.
const std::string ambiguous = "gpt2_past.onnx";

TEST_CASE("ONNX: graphs beside public configurations load") {
  const std::string folder = shared + "/cases/model_configs/onnx";
  if (missing(folder)) return;
  int loaded = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".onnx") continue;
    CAPTURE(entry.path().string());

    const auto graph = import_onnx(entry.path());

    if (entry.path().filename() == ambiguous) {
      REQUIRE_FALSE(graph.has_value());
      CHECK(graph.error().front().message == "two nodes compute '284'");
      continue;
    }

    INFO("complaint: ", graph ? std::string("none") : to_string(graph.error()));
    REQUIRE(graph.has_value());
    const auto summary = summarize(*graph);
    INFO("complaint: ", summary ? std::string("none") : to_string(summary.error()));
    CHECK(summary.has_value());
    ++loaded;
  }
  MESSAGE("loaded ", loaded, " graphs");
  CHECK(loaded > 0);
}

}  // namespace
}  // namespace roofcast
