#include "engine/base/tape.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "tests/engine/base/random_expression.hpp"

namespace roofcast {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

const Expr a = Expr::symbol("a");
const Expr b = Expr::symbol("b");

struct Outcome {
  int failed = -1;
  std::vector<std::int64_t> slots{};
};

Outcome run(const ExpressionTape& tape, const Bindings& bindings) {
  std::vector<std::int64_t> values;
  for (const std::string& name : tape.inputs()) values.push_back(bindings.at(name));
  Outcome outcome{.slots = std::vector<std::int64_t>(tape.slots())};
  outcome.failed = tape.evaluate(values, outcome.slots);
  return outcome;
}

std::int64_t at(const Outcome& outcome, int slot) {
  return outcome.slots[static_cast<std::size_t>(slot)];
}

TEST_CASE("ExpressionTape: computes what Expr::evaluate computes") {
  const std::uint64_t seed = 20260703;
  std::mt19937_64 random(seed);
  int compared = 0;
  for (int round = 0; round < 500; ++round) {
    ExpressionTape tape;
    std::vector<Expr> expressions;
    std::vector<int> slots;
    for (int i = 0; i < 4; ++i) {
      expressions.push_back(build(*random_tree(random, 3)));
      slots.push_back(tape.add(expressions.back()));
    }
    const Bindings bindings = random_bindings(random, 1, 40);
    const Outcome outcome = run(tape, bindings);
    if (outcome.failed >= 0) continue;
    for (std::size_t i = 0; i < expressions.size(); ++i) {
      INFO("seed ", seed, ", round ", round, ": ", to_string(expressions[i]));
      const auto value = expressions[i].evaluate(bindings);
      REQUIRE(value.has_value());
      REQUIRE(at(outcome, slots[i]) == *value);
      ++compared;
    }
  }
  CHECK(compared > 1000);
}

TEST_CASE("ExpressionTape: fails where Expr::evaluate fails") {
  const std::uint64_t seed = 20260704;
  std::mt19937_64 random(seed);
  for (int round = 0; round < 2000; ++round) {
    const Expr expression = build(*random_tree(random, 4));
    ExpressionTape tape;
    tape.add(expression);
    const Bindings bindings = random_bindings(random, 1, 3);
    INFO("seed ", seed, ", round ", round, ": ", to_string(expression));
    REQUIRE(expression.evaluate(bindings).has_value() == (run(tape, bindings).failed < 0));
  }
}

TEST_CASE("ExpressionTape: inputs are the symbols in order of first use") {
  ExpressionTape tape;
  tape.add(b * Expr{2});
  tape.add(a + b);

  CHECK(tape.inputs() == std::vector<std::string>{"b", "a"});
}

TEST_CASE("ExpressionTape: an expression met again costs nothing") {
  ExpressionTape tape;
  const int first = tape.add(a * b + Expr{1});
  const std::size_t slots = tape.slots();

  CHECK(tape.add(b * a + Expr{1}) == first);
  CHECK(tape.slots() == slots);
}

TEST_CASE("ExpressionTape: a shared product is computed once") {
  ExpressionTape tape;
  tape.add(a * b);  // a, b, a*b
  CHECK(tape.slots() == 3);

  tape.add(a * b + Expr{1});  // 1, a*b + 1

  CHECK(tape.slots() == 3 + 2);
}

TEST_CASE("ExpressionTape: the slot that overflows is named, and the ones before it hold") {
  ExpressionTape tape;
  const int fine = tape.add(a);
  const int square = tape.add(a * a);

  CHECK(run(tape, {{"a", 3037000499}}).failed == -1);  // floor(sqrt(2^63 - 1))
  const Outcome outcome = run(tape, {{"a", 3037000500}});

  CHECK(outcome.failed == square);
  CHECK(at(outcome, fine) == 3037000500);
}

TEST_CASE("ExpressionTape: sums overflow at the last bit") {
  ExpressionTape tape;
  const int sum = tape.add(a + Expr{1});

  CHECK(at(run(tape, {{"a", largest - 1}}), sum) == largest);
  CHECK(run(tape, {{"a", largest}}).failed == sum);
}

TEST_CASE("ExpressionTape: division by zero fails") {
  ExpressionTape tape;
  const int quotient = tape.add(floor_divide(a, b));

  CHECK(at(run(tape, {{"a", -7}, {"b", 2}}), quotient) == -4);
  CHECK(run(tape, {{"a", -7}, {"b", 0}}).failed == quotient);
  CHECK(run(tape, {{"a", std::numeric_limits<std::int64_t>::min()}, {"b", -1}}).failed == quotient);
}

TEST_CASE("ExpressionTape: a broken expression always fails") {
  ExpressionTape tape;
  const int slot = tape.add(Expr::broken_expression());

  CHECK(run(tape, {}).failed == slot);
}

TEST_CASE("ExpressionTape: derived symbols are computed from their definitions") {
  ExpressionTape tape({{"ffn", Expr{4} * Expr::symbol("hidden")}, {"twice", Expr{2} * Expr::symbol("ffn")}});
  const int slot = tape.add(Expr::symbol("twice") + Expr{1});

  CHECK(tape.inputs() == std::vector<std::string>{"hidden"});
  CHECK(at(run(tape, {{"hidden", 3}}), slot) == 2 * 4 * 3 + 1);
}

TEST_CASE("ExpressionTape: expression gives back what was added") {
  ExpressionTape tape;
  const Expr original = minimum(a, b) + Expr{7};

  CHECK(tape.expression(tape.add(original)) == original);
}

TEST_CASE("ExpressionTape: without symbols nothing is asked for") {
  ExpressionTape tape;
  const int zero = tape.add(Expr{});
  const int seven = tape.add(Expr{7});
  const Outcome outcome = run(tape, {});

  CHECK(tape.inputs().empty());
  CHECK(at(outcome, zero) == 0);
  CHECK(at(outcome, seven) == 7);
}

}  // namespace
}  // namespace roofcast
