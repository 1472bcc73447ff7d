// What a runtime that fuses elementwise kernels must not change, and what it may only make better, for every
// model that comes with the project.

#include <doctest/doctest.h>

#include "engine/io/open_model.hpp"
#include "engine/predict.hpp"

namespace roofcast {
namespace {

struct Both {
  CompiledProgram plain{};
  CompiledProgram fused{};
};

// A card with its priors, and a runtime that only differs in what it fuses.
struct Setup {
  Device device{};
  Priors priors{};
  Runtime plain{};
  Runtime fused{};
};

DataFolder data() {
  auto folder = DataFolder::open(ROOFCAST_SOURCE_DIR);
  REQUIRE(folder);
  return *std::move(folder);
}

Setup setup(const std::string& slug) {
  auto device = data().device(slug);
  REQUIRE(device);
  auto priors = data().priors_for(*device);
  REQUIRE(priors);
  auto runtime = data().runtime("pytorch-eager");
  REQUIRE(runtime);
  Setup made{
      .device = *std::move(device), .priors = *std::move(priors), .plain = *runtime, .fused = *runtime};
  made.fused.fuses_elementwise = true;
  return made;
}

template <class Check>
void for_all_models(const Setup& made, Task task, const std::string& precision, const Check& check) {
  const DataFolder folder = data();
  for (const std::string& name : folder.models()) {
    CAPTURE(name);
    const auto path = folder.find_model_path(name);
    REQUIRE(path);
    const auto graph = open_model(folder, *path);
    REQUIRE_MESSAGE(graph, (graph ? std::string{} : to_string(graph.error())));
    CompileOptions options{.task = task, .precision = *find_precision(precision), .runtime = made.plain};
    auto plain = compile(*graph, options);
    options.runtime = made.fused;
    auto fused = compile(*graph, options);
    REQUIRE(plain.has_value() == fused.has_value());
    if (plain) check(Both{*std::move(plain), *std::move(fused)});
  }
}

void check_all(const std::string& slug, Task task, const std::string& precision) {
  CAPTURE(precision);
  const Setup made = setup(slug);
  for_all_models(made, task, precision, [&](const Both& both) {
    const auto plain_slots = slot_values(both.plain, {});
    const auto fused_slots = slot_values(both.fused, {});
    REQUIRE(plain_slots);
    REQUIRE(fused_slots);
    const auto same = [&](Slot CompiledProgram::*slot) {
      return (*plain_slots)[static_cast<std::size_t>(both.plain.*slot)] ==
             (*fused_slots)[static_cast<std::size_t>(both.fused.*slot)];
    };
    CHECK(same(&CompiledProgram::macs));
    CHECK(same(&CompiledProgram::forward_macs));
    CHECK(same(&CompiledProgram::parameters));
    CHECK(same(&CompiledProgram::weight_bytes));
    CHECK(same(&CompiledProgram::layer_elements));
    Evaluator plain(both.plain, made.device, made.plain, made.priors);
    Evaluator fused(both.fused, made.device, made.fused, made.priors);
    const auto before = plain.evaluate(Bindings{});
    const auto after = fused.evaluate(Bindings{});
    REQUIRE(before);
    REQUIRE(after);
    CHECK(after->time.p50 <= before->time.p50 * (1 + 1e-9));
    CHECK(after->memory.needed <= before->memory.needed);
  });
}

TEST_CASE("law: fused kernels multiply the same, take no longer and need no more memory in inference") {
  check_all("a100-sxm4-80gb", Task::inference, "fp16");
  check_all("rtx-3090", Task::inference, "fp32");
}

TEST_CASE("law: the same holds for training") {
  check_all("a100-sxm4-80gb", Task::training, "amp-bf16");
  check_all("rtx-3090", Task::training, "fp32");
}

}  // namespace
}  // namespace roofcast
