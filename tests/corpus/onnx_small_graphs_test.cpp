// Graphs of a few nodes: conformance tests of single operators with published shapes, odd files out of public
// repositories, quantised graphs. Without the folder ../shared these tests only say that they were skipped.

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

const std::string corpus = ROOFCAST_SOURCE_DIR "/../shared/corpus";

bool missing() {
  if (std::filesystem::exists(corpus)) return false;
  MESSAGE("skipped: there is no folder ../shared/corpus with small graphs");
  return true;
}

std::vector<std::string> parts(const std::string& text, char separator) {
  std::vector<std::string> result;
  if (text.empty()) return result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    result.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

// "2x3:float" -> "2x3"; scalars have no dimensions
std::string dimensions(const std::string& type) {
  const std::string shape = type.substr(0, type.find(':'));
  return shape == "scalar" ? "" : shape;
}

// The published shapes of the inputs, but for those with nothing in them.
OpenOptions published_shapes(const CsvRecord& row) {
  OpenOptions options;
  const std::vector<std::string> inputs = parts(row.at("inputs"), '|');
  const std::vector<std::string> shapes = parts(row.at("actual_input_shapes"), '|');
  for (std::size_t i = 0; i < std::min(inputs.size(), shapes.size()); ++i) {
    std::vector<std::int64_t> sizes;
    for (const std::string& size : parts(dimensions(shapes[i]), 'x')) sizes.push_back(std::stoll(size));
    if (std::ranges::find(sizes, 0) != sizes.end()) continue;
    options.shapes.emplace(inputs[i].substr(0, inputs[i].rfind('=')), sizes);
  }
  return options;
}

// Sequences and optionals are inputs of these, and the reference writes their elements' names as sizes.
const std::set<std::string> sequences = {"test_identity_sequence",
                                         "test_if_opt",
                                         "test_loop13_seq",
                                         "test_optional_get_element",
                                         "test_optional_get_element_sequence",
                                         "test_sequence_map_add_1_sequence_1_tensor",
                                         "test_sequence_map_identity_1_sequence",
                                         "test_sequence_map_extract_shapes_expanded",
                                         "test_sequence_map_identity_1_sequence_expanded"};

TEST_CASE("ONNX: single operators have the published shapes and multiply-adds") {
  if (missing()) return;
  int compared = 0;
  for (const CsvRecord& row : csv_records(corpus + "/node_tests.csv")) {
    const std::string name = row.at("name");
    if (sequences.contains(name)) continue;
    CAPTURE(name);

    const auto graph = import_onnx(corpus + "/" + row.at("file"), published_shapes(row));

    INFO("complaint: ", graph ? std::string("none") : to_string(graph.error()));
    REQUIRE(graph.has_value());
    const auto summary = summarize(*graph);
    INFO("complaint: ", summary ? std::string("none") : to_string(summary.error()));
    REQUIRE(summary.has_value());
    CHECK(summary->initializer_elements == std::stoll(row.at("initializer_elems")));
    const std::vector<std::string> expected = parts(row.at("actual_output_shapes"), '|');
    REQUIRE(summary->outputs.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(dimensions(summary->outputs[i].second) == dimensions(expected[i]));
    }
    const std::string& macs =
        row.at("macs_at_test_shapes");  // 0 also where the reference does not count an operator
    if (!macs.empty() && macs != "0") CHECK(summary->macs == std::stoll(macs));
    ++compared;
  }
  MESSAGE("compared ", compared, " single operators, ", sequences.size(),
          " with sequences as inputs left out");
  CHECK(compared > 0);
}

// Reasons that are true of the file: what it asks for is not there, or does not fit together.
bool is_true_reason(const std::string& complaint) {
  for (const std::string_view reason :
       {"is not known", "the file does not say the shape of input", "computed from data",
        "do not go together", "does not fit", "is missing", "wants ", "do not add up", "cannot become",
        "nothing computes", "keeps a dimension that its input does not have", "goes over",
        "two nodes compute", "stores ", "feed each other", "have different numbers of elements"}) {
    if (complaint.find(reason) != std::string::npos) return true;
  }
  return false;
}

void compare(const std::string& list, int most_refused) {
  int read = 0;
  int refused = 0;
  for (const CsvRecord& row : csv_records(corpus + "/" + list)) {
    CAPTURE(row.at("file"));
    const auto graph = import_onnx(corpus + "/" + row.at("file"));
    if (!graph) {
      CAPTURE(to_string(graph.error()));
      CHECK(is_true_reason(to_string(graph.error())));
      ++refused;
      continue;
    }
    const auto summary = summarize(*graph);
    INFO("complaint: ", summary ? std::string("none") : to_string(summary.error()));
    REQUIRE(summary.has_value());
    CHECK(summary->initializer_elements == std::stoll(row.at("initializer_elems")));
    const std::string& macs = row.at("macs");
    if (!macs.empty() && macs != "0") CHECK(summary->macs == std::stoll(macs));
    ++read;
  }
  MESSAGE("read ", read, " graphs of ", list, ", refused ", refused);
  CHECK(read > 0);
  CHECK(refused <= most_refused);
}

TEST_CASE("ONNX: public files are read, or refused for a reason that is true of them") {
  if (missing()) return;
  constexpr int refused_when_written = 31;  // operators of unknown domains, and files made to be wrong
  compare("third_party.csv", refused_when_written);
}

TEST_CASE("ONNX: quantised graphs count like the ones that they were made from") {
  if (missing()) return;
  compare("quantized.csv", 0);
}

}  // namespace
}  // namespace roofcast
