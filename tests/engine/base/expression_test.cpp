#include "engine/base/expression.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "tests/engine/base/random_expression.hpp"

namespace roofcast {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

const Expr a = Expr::symbol("a");
const Expr b = Expr::symbol("b");
const Expr c = Expr::symbol("c");

TEST_CASE("Expr: the same polynomial compares equal however it was written") {
  CHECK(a * Expr{4} == Expr{4} * a);
  CHECK((a + b) * (a - b) == a * a - b * b);
  CHECK((a + b) * c == c * b + c * a);
  CHECK(a - a == Expr{0});
  CHECK(a + a == Expr{2} * a);
  CHECK(product({a, b, Expr{3}}) == Expr{3} * b * a);
}

TEST_CASE("Expr: different polynomials compare unequal") {
  CHECK(a != b);
  CHECK(a * a != a);
  CHECK(a + Expr{1} != a);
  CHECK(Expr{0} != Expr{1});
}

TEST_CASE("Expr: only numbers are constant") {
  CHECK(Expr{}.is(0));
  CHECK((a - a + Expr{7}).is(7));
  CHECK_FALSE(a.is_constant());
  CHECK_FALSE(floor_divide(a, Expr{2}).is_constant());
  CHECK_FALSE(Expr::broken_expression().is_constant());
}

TEST_CASE("floor_divide: rounds towards minus infinity") {
  CHECK(floor_divide(Expr{7}, Expr{2}).is(3));
  CHECK(floor_divide(Expr{-7}, Expr{2}).is(-4));
  CHECK(floor_divide(Expr{7}, Expr{-2}).is(-4));
  CHECK(floor_divide(Expr{-7}, Expr{-2}).is(3));
  CHECK(floor_divide(Expr{-6}, Expr{2}).is(-3));
}

TEST_CASE("ceil_divide: rounds up, and an exact quotient stays") {
  CHECK(ceil_divide(Expr{7}, Expr{2}).is(4));
  CHECK(ceil_divide(Expr{6}, Expr{2}).is(3));
  CHECK(ceil_divide(Expr{-7}, Expr{2}).is(-3));
}

TEST_CASE("modulo: has the sign of the divisor") {
  CHECK(modulo(Expr{7}, Expr{3}).is(1));
  CHECK(modulo(Expr{-7}, Expr{3}).is(2));
  CHECK(modulo(Expr{7}, Expr{-3}).is(-2));
}

TEST_CASE("floor_divide: what divides exactly leaves no quotient") {
  CHECK(floor_divide(Expr{6} * a * b, Expr{2} * a) == Expr{3} * b);
  CHECK(floor_divide(a * b + Expr{2} * b, b) == a + Expr{2});
  CHECK(floor_divide(Expr{4} * a + Expr{3}, Expr{4}) == a);
  CHECK(modulo(Expr{8} * a, Expr{4}).is(0));
}

TEST_CASE("floor_divide: nested quotients by numbers become one") {
  CHECK(floor_divide(floor_divide(a, Expr{2}), Expr{2}) == floor_divide(a, Expr{4}));
  CHECK(floor_divide(floor_divide(a, Expr{2}) + Expr{1}, Expr{2}) == floor_divide(a + Expr{2}, Expr{4}));
}

TEST_CASE("floor_divide: a quotient that may leave a rest is not cancelled") {
  CHECK(Expr{2} * floor_divide(a, Expr{2}) != a);
  CHECK(floor_divide(Expr{3} * a, Expr{2}) != a + floor_divide(a, Expr{3}));
  CHECK(floor_divide(a, b) * b != a);
}

TEST_CASE("minimum, maximum: decided where the difference is a number, symmetric elsewhere") {
  CHECK(minimum(a + Expr{1}, a) == a);
  CHECK(maximum(a + Expr{1}, a) == a + Expr{1});
  CHECK(minimum(a, b) == minimum(b, a));
  CHECK(maximum(a, b) == maximum(b, a));
  CHECK(minimum(a, a) == a);
}

TEST_CASE("Expr: simplified expressions have the value of what was written") {
  const std::uint64_t seed = 20260701;
  std::mt19937_64 random(seed);
  int compared = 0;
  for (int round = 0; round < 4000; ++round) {
    const auto tree = random_tree(random, 4);
    const Expr expression = build(*tree);
    for (int i = 0; i < 4; ++i) {
      const Bindings bindings = random_bindings(random, i == 0 ? -9 : 1, 40);
      const auto expected = brute_force(*tree, bindings);
      if (!expected) continue;
      INFO("seed ", seed, ", round ", round, ": ", to_string(expression), " with a = ", bindings.at("a"),
           ", b = ", bindings.at("b"), ", c = ", bindings.at("c"), ", d = ", bindings.at("d"));
      const auto value = expression.evaluate(bindings);
      REQUIRE(value.has_value());
      REQUIRE(*value == *expected);
      ++compared;
    }
  }
  CHECK(compared > 4000);
}

TEST_CASE("to_string: parse_expression reads it back") {
  const std::uint64_t seed = 20260702;
  std::mt19937_64 random(seed);
  int read = 0;
  for (int round = 0; round < 2000; ++round) {
    const Expr expression = build(*random_tree(random, 4));
    const std::string text = to_string(expression);
    if (text.find('^') != std::string::npos || text.size() > 2000 || expression.broken()) continue;
    if (text.find("/ 0)") != std::string::npos) continue;  // the parser refuses to divide by the number 0
    INFO("seed ", seed, ", round ", round, ": ", text);
    const auto again = parse_expression(text);
    REQUIRE(again.has_value());
    REQUIRE(*again == expression);
    ++read;
  }
  CHECK(read > 1000);
}

TEST_CASE("to_string: as one would write it") {
  CHECK(to_string(Expr{0}) == "0");
  CHECK(to_string(Expr{4} * a + Expr{2}) == "4*a + 2");
  CHECK(to_string(Expr{-1} * a * b - Expr{3}) == "-a*b - 3");
  CHECK(to_string(floor_divide(a + Expr{1}, Expr{2})) == "((a + 1) / 2)");
  CHECK(to_string(minimum(a, Expr{8})) == "min(a, 8)");
  CHECK(to_string(Expr{smallest}) == "-9223372036854775808");
  CHECK(to_string(Expr::broken_expression()) == "(overflow)");
}

TEST_CASE("to_string: a power is spelled out up to eight factors") {
  Expr power{1};
  for (int i = 0; i < 8; ++i) power *= a;
  CHECK(to_string(power) == "a*a*a*a*a*a*a*a");
  CHECK(to_string(power * a) == "a^9");
}

TEST_CASE("Expr: constants that leave 64 bits break the expression, and it stays broken") {
  CHECK_FALSE((Expr{largest} + Expr{0}).broken());
  CHECK((Expr{largest} + Expr{1}).broken());
  CHECK((Expr{smallest} - Expr{1}).broken());
  CHECK((Expr{largest} * Expr{2}).broken());
  CHECK(floor_divide(Expr{smallest}, Expr{-1}).broken());
  CHECK((Expr{largest} * Expr{2} * Expr{0}).broken());
  CHECK((Expr{largest} * Expr{2} - Expr{largest} * Expr{2}).broken());
}

TEST_CASE("evaluate: a broken expression is an error") {
  const auto value = Expr::broken_expression().evaluate({});

  REQUIRE_FALSE(value.has_value());
  CHECK(to_string(value.error()) == "error: an expression overflows 64 bits\n");
}

TEST_CASE("evaluate: overflow is an error on both sides of 64 bits") {
  CHECK(*(Expr{2} * a).evaluate({{"a", largest / 2}}) == largest - 1);
  CHECK(to_string((Expr{2} * a).evaluate({{"a", largest / 2 + 1}}).error()) ==
        "error: '2*a' overflows 64 bits\n");
  CHECK(*(a + b).evaluate({{"a", largest - 1}, {"b", 1}}) == largest);
  CHECK(to_string((a + b).evaluate({{"a", largest}, {"b", 1}}).error()) ==
        "error: 'a + b' overflows 64 bits\n");
  CHECK(to_string(floor_divide(a, b).evaluate({{"a", smallest}, {"b", -1}}).error()) ==
        "error: '(a / b)' overflows 64 bits\n");
}

TEST_CASE("evaluate: division by zero and unbound symbols are errors") {
  CHECK(to_string(floor_divide(a, b).evaluate({{"a", 1}, {"b", 0}}).error()) ==
        "error: '(a / b)' divides by zero\n");
  CHECK(to_string(a.evaluate({{"b", 1}}).error()) == "error: symbol 'a' has no value\n");
}

TEST_CASE("substitute: every occurrence changes, inside of quotients too") {
  const Expr expression = a * a + floor_divide(a + b, Expr{2}) + minimum(a, b);

  const Expr changed = expression.substitute({{"a", Expr{4}}});

  CHECK(changed == Expr{16} + floor_divide(Expr{4} + b, Expr{2}) + minimum(Expr{4}, b));
  CHECK(expression.substitute({{"z", Expr{1}}}) == expression);
}

TEST_CASE("substitute: swapping two symbols does not mix them up") {
  CHECK((a + Expr{2} * b).substitute({{"a", b}, {"b", a}}) == b + Expr{2} * a);
}

TEST_CASE("symbols: found inside of quotients, minima and maxima") {
  CHECK((floor_divide(a, b) + minimum(c, Expr{1})).symbols() == std::set<std::string>{"a", "b", "c"});
  CHECK(Expr{3}.symbols().empty());
}

TEST_CASE("Expr: repeated squaring ends in a broken expression, not in an endless one") {
  Expr expression = a + b + c + Expr::symbol("d");
  for (int i = 0; i < 200 && !expression.broken(); ++i) expression *= expression;
  CHECK(expression.broken());
}

TEST_CASE("is_identifier: a letter or underscore first") {
  CHECK(is_identifier("hidden_2"));
  CHECK(is_identifier("_"));
  CHECK_FALSE(is_identifier("2d"));
  CHECK_FALSE(is_identifier(""));
  CHECK_FALSE(is_identifier("a-b"));
}

}  // namespace
}  // namespace roofcast
