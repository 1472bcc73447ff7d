#include <doctest/doctest.h>

#include <algorithm>

#include "engine/decide/estimate.hpp"
#include "tests/close_to.hpp"
#include "tests/toy_model.hpp"
#include "tests/toy_platform.hpp"

namespace roofcast {
namespace {

const std::string text = model_head("batch = 1\nlayers = 3") + input("x", "\"batch\", 8") +
                         node("stem", "linear", "\"x\"", "out_features = 8") +
                         node("encoder", "layer", {}, "repeat = \"layers\"") + block("layer") +
                         block_node("fc", "linear", "\"x\"", "out_features = 8\nbias = false") +
                         block_node("act", "relu");

Explanation explained(const Request& request, bool expand = false) {
  auto explanation = explain(load(text), toy_platform(), request, expand);
  INFO("complaint: ", explanation ? std::string("none") : to_string(explanation.error()));
  REQUIRE(explanation.has_value());
  return *std::move(explanation);
}

const Request inference{.precisions = {"fp32"}, .batches = {4}};
const Request training{
    .task = Task::training, .optimizer = Optimizer::sgd, .precisions = {"fp32"}, .batches = {4}};

double total_time(const Explanation& explanation) {
  double total = 0;
  for (const ExplainedKernel& kernel : explanation.kernels)
    total += static_cast<double>(kernel.count) * kernel.time.count();
  return total;
}

TEST_CASE("explain: layers with their kernels and how often they run") {
  const Explanation explanation = explained(inference);

  REQUIRE(explanation.kernels.size() == 3);
  CHECK(explanation.kernels[0].layer == "stem");
  CHECK(explanation.kernels[0].form == "m=4 n=8 k=8");
  CHECK(explanation.kernels[0].inputs == std::vector<std::string>{"4x8:fp32", "8x8:fp32", "8:fp32"});
  CHECK(explanation.kernels[0].parameters == 8 * 8 + 8);
  CHECK(explanation.kernels[1].layer == "encoder.fc");
  CHECK(explanation.kernels[1].count == 3);
  CHECK(explanation.kernels[1].macs == 4.0 * 8 * 8);
  CHECK(explanation.kernels[1].flops == 2 * 4.0 * 8 * 8);
  CHECK(explanation.parameters == 8 * 8 + 8 + 3 * 8 * 8);
  CHECK(explanation.macs == 4.0 * (1 + 3) * 8 * 8);
}

TEST_CASE("explain: expanded, repetitions have numbers and count once") {
  const Explanation explanation = explained(inference, true);

  REQUIRE(explanation.kernels.size() == 1 + 3 * 2);
  CHECK(explanation.kernels[1].layer == "encoder.0.fc");
  CHECK(explanation.kernels[6].layer == "encoder.2.act");
  CHECK(explanation.kernels[6].count == 1);
}

TEST_CASE("explain: backward repetitions come in reverse") {
  const Explanation explanation = explained(training, true);
  std::vector<std::string> backward;
  for (const ExplainedKernel& kernel : explanation.kernels) {
    if (kernel.phase == "backward" && kernel.op == "linear_weight_gradient") backward.push_back(kernel.layer);
  }

  CHECK(backward == std::vector<std::string>{"encoder.2.fc", "encoder.1.fc", "encoder.0.fc", "stem"});
}

TEST_CASE("explain: kernels' times sum to the row's, expanded or not") {
  for (const Request& request : {inference, training}) {
    for (const bool expand : {false, true}) {
      const Explanation explanation = explained(request, expand);
      CHECK(total_time(explanation) == close_to(explanation.row.latency->p50.count()));
    }
  }
}

TEST_CASE("explain: terms of a kernel are its time") {
  for (const ExplainedKernel& kernel : explained(training).kernels) {
    CAPTURE(kernel.layer);
    REQUIRE(kernel.terms.size() == 3);
    const Seconds sum = kernel.terms[0].time + std::max(kernel.terms[1].time, kernel.terms[2].time);
    CHECK(sum.count() == close_to(kernel.time.count()));
  }
}

TEST_CASE("explain: one precision and one batch") {
  CHECK(to_string(explain(load(text), toy_platform(), {.batches = {1}}).error()) ==
        "error: an explanation is of one precision and one batch size\n");
  CHECK(to_string(explain(load(text), toy_platform(), {.precisions = {"fp32"}}).error()) ==
        "error: an explanation is of one precision and one batch size\n");
}

}  // namespace
}  // namespace roofcast
