#include "engine/lower/memory_events.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "engine/predict.hpp"
#include "tests/toy_model.hpp"

namespace roofcast {
namespace {

using Events = std::vector<std::string>;

// "+32", "-32", "+g32" for gradients of parameters, "~32" for a workspace, "3x{" and "}" around what repeats.
Events events(const std::string& text, Task task = Task::inference) {
  const auto compiled = compile(load(text), CompileOptions{.task = task, .optimizer = Optimizer::sgd});
  REQUIRE(compiled.has_value());
  using Kind = MemoryEvent::Kind;
  Events all;
  for (const SymbolicMemoryEvent& event : memory_events(compiled->program)) {
    const std::string account = event.account == MemoryEvent::Account::gradient ? "g" : "";
    const std::string size = to_string(event.size);
    switch (event.kind) {
      case Kind::allocate: all.push_back("+" + account + size); break;
      case Kind::release: all.push_back("-" + account + size); break;
      case Kind::workspace: all.push_back("~" + size); break;
      case Kind::region_begin: all.push_back(size + "x{"); break;
      case Kind::region_end: all.emplace_back("}"); break;
    }
  }
  return all;
}

// Sizes in bytes: a value is 4.
const std::string head = "schema = 1\nname = \"net\"\n" + input("x", "1, 10");

std::string linear(std::string_view name, int features, std::string_view inputs = {}) {
  return node(name, "linear", inputs, fmt::format("out_features = {}\nbias = false", features));
}

TEST_CASE("memory_events: a tensor goes after its last use, a result stays") {
  CHECK(events(head + linear("a", 2, "\"x\"") + linear("b", 3) + linear("c", 5)) ==
        Events{"+8", "+12", "-8", "+20", "-12"});
}

TEST_CASE("memory_events: the last of several uses counts") {
  CHECK(events(head + linear("a", 2, "\"x\"") + linear("b", 2) + node("sum", "add", "\"a\", \"b\"")) ==
        Events{"+8", "+8", "+8", "-8", "-8"});
}

TEST_CASE("memory_events: a view takes no memory and keeps what it looks into") {
  CHECK(events(head + linear("a", 6, "\"x\"") + node("view", "reshape", {}, "shape = [2, 3]") +
               linear("b", 5)) == Events{"+24", "+40", "-24"});
}

TEST_CASE("memory_events: in place nothing new is taken") {
  CHECK(events(head + linear("a", 6, "\"x\"") + node("act", "relu", {}, "inplace = true")) == Events{"+24"});
}

TEST_CASE("memory_events: what nobody uses goes at once") {
  CHECK(events(head + linear("unused", 6, "\"x\"") + linear("a", 2, "\"x\"")) == Events{"+24", "-24", "+8"});
}

TEST_CASE("memory_events: training keeps what the backward pass reads, gradients of parameters stay") {
  CHECK(events(head + linear("a", 2, "\"x\"") + linear("b", 3), Task::training) ==
        Events{"+8", "+12",          // a, b (an output stays)
               "+12",                // where the gradient starts
               "+8",                 // gradient of a
               "+g24", "-8", "-12",  // gradient of b's weight: 2 * 3 * 4; a and b's gradient go
               "+g80", "-8"});       // gradient of a's weight: 10 * 2 * 4
}

TEST_CASE("memory_events: a repeated block is enclosed once") {
  const Events all = events(head + node("deep", "layer", "\"x\"", "repeat = 3") + block("layer") +
                            block_node("a", "linear", "\"x\"", "out_features = 7\nbias = false") +
                            block_node("b", "linear", {}, "out_features = 10\nbias = false"));

  CHECK(std::ranges::count(all, "3x{") == 1);
  CHECK(std::ranges::count(all, "}") == 1);
  CHECK(std::ranges::count(all, "+28") == 1);
  CHECK(std::ranges::count(all, "-28") == 1);
}

TEST_CASE("memory_events: workspaces live for one kernel") {
  const std::string text =
      "schema = 1\nname = \"net\"\n" + input("x", "1, 5, 10") + node("rnn", "lstm", "\"x\"", "hidden = 2");

  CHECK(events(text) == Events{"+40", "~160", "~160", "~160"});  // 5 steps * 2 * 4; 5 steps * 4 gates * 2 * 4
}

}  // namespace
}  // namespace roofcast
