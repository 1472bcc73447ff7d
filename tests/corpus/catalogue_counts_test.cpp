// Every model that measurements name opens, and has the parameters that its publishers print. The table of
// them is no part of the project: without the folder ../shared these tests only say that they were skipped.

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "engine/decide/estimate.hpp"
#include "engine/io/model_catalogue.hpp"

namespace roofcast {
namespace {

const std::string root = ROOFCAST_SOURCE_DIR;
const std::string models = root + "/../shared/measured/models.csv";

bool missing() {
  if (std::filesystem::exists(models)) return false;
  MESSAGE("skipped: there is no table ", models, " of measured models");
  return true;
}

DataFolder data() {
  auto folder = DataFolder::open(root);
  REQUIRE(folder);
  return *std::move(folder);
}

CatalogueModel opened(const CatalogueEntry& entry, const Bindings& symbols = {}) {
  auto model = open_entry(data(), entry, symbols);
  REQUIRE_MESSAGE(model, (model ? std::string{} : to_string(model.error())));
  return *std::move(model);
}

// What one more in the last printed digit is worth: 0.01 for "44.18".
double last_digit(std::string_view printed) {
  const std::size_t point = printed.find('.');
  return point == std::string_view::npos ? 1.0
                                         : std::pow(10.0, -static_cast<double>(printed.size() - point - 1));
}

// The table's numbers leave out biases, norms or positions of these.
const std::set<std::string> rough = {"gpt-20b", "gpt3-xl"};

TEST_CASE("catalogue: every model opens with its published parameters") {
  if (missing()) return;
  const auto table = read_csv(models);
  REQUIRE(table);
  const auto catalogue = read_catalogue(*table);
  REQUIRE_MESSAGE(catalogue, (catalogue ? std::string{} : to_string(catalogue.error())));
  int compared = 0;
  for (std::size_t i = 0; i < catalogue->size(); ++i) {
    const CatalogueEntry& entry = (*catalogue)[i];
    CAPTURE(entry.key);
    CAPTURE(entry.where.line);

    const CatalogueModel model = opened(entry);

    const auto summary = summarize(model.graph, model.symbols);
    REQUIRE_MESSAGE(summary, (summary ? std::string{} : to_string(summary.error())));
    if (!entry.million_parameters) continue;
    const double printed = *entry.million_parameters;
    const double counted = static_cast<double>(summary->parameters) / 1e6;
    // Exporters fold a batch norm into the convolution before it: one number for each channel instead of two.
    const bool folded = entry.file.extension() == ".onnx" && counted < printed;
    const double tolerance = folded || rough.contains(entry.key) ? 0.006 * printed : 0.0;
    CHECK(std::abs(counted - printed) < tolerance + last_digit(table->field(table->rows[i], "params_m")));
    ++compared;
  }
  MESSAGE("compared ", compared, " of ", catalogue->size(), " models");
  CHECK(compared > 0);
}

TEST_CASE("catalogue: a file that was exported at another image size is read at the row's, for any batch") {
  if (missing()) return;
  const auto catalogue = load_catalogue(models);
  REQUIRE(catalogue);
  const auto entry = find_entry(*catalogue, "efficientnet_v2_s", 384);
  REQUIRE(entry);

  const CatalogueModel model = opened(*entry, {{"batch", 2}});

  const auto summary = summarize(model.graph, model.symbols);
  REQUIRE(summary);
  CHECK(summary->macs == doctest::Approx(2 * 8.366e9).epsilon(1e-3));  // torchvision's documentation
}

TEST_CASE("catalogue: parts and heads are those that the row names") {
  if (missing()) return;
  const auto catalogue = load_catalogue(models);
  REQUIRE(catalogue);
  const auto parameters = [&](const std::string& key) {
    const auto entry = find_entry(*catalogue, key);
    REQUIRE(entry);
    const CatalogueModel model = opened(*entry, {{"batch", 4}, {"seq", 384}});
    const auto summary = summarize(model.graph, model.symbols);
    REQUIRE(summary);
    return summary->parameters;
  };
  constexpr std::int64_t h = 768;
  constexpr std::int64_t layers = 12 * (12 * h * h + 13 * h);  // 4 + 2 * 4 matrices; biases and two norms
  constexpr std::int64_t embeddings = (30522 + 512 + 2) * h + 2 * h;

  CHECK(parameters("bert-base-encoder") == layers);
  CHECK(parameters("bert-base-squad") == embeddings + layers + 2 * h + 2);
  CHECK(parameters("bert-base-mlm") == embeddings + layers + h * h + h + 2 * h + 30522);
  CHECK(parameters("bert-base") == embeddings + layers + h * h + h);
}

}  // namespace
}  // namespace roofcast
