#include <doctest/doctest.h>

#include <string>

#include "engine/base/expression.hpp"

namespace roofcast {
namespace {

const std::string hint =
    "\n  hint: expressions are integers, symbols, + - * / (floored) %, parentheses, min(a, b), max(a, b), "
    "ceil_div(a, b), comparisons, and, or, not\n";

std::string complaint(const std::string& text) {
  const auto expression = parse_expression(text, {"m.toml", 3, 8});
  return expression ? "read as " + to_string(*expression) : to_string(expression.error());
}

std::string cannot_read(const std::string& text, const std::string& why) {
  return "m.toml:3:8: error: cannot read expression '" + text + "': " + why + hint;
}

std::int64_t value(const std::string& text) {
  return parse_expression(text)->evaluate({{"n", 10}}).value();
}

TEST_CASE("parse_expression: products bind more tightly than sums, and equals group from the left") {
  CHECK(value("2 + 3 * 4") == 14);
  CHECK(value("(2 + 3) * 4") == 20);
  CHECK(value("20 - 3 - 4") == 13);
  CHECK(value("100 / 7 / 2") == 7);
  CHECK(value("100 / (7 / 2)") == 33);
  CHECK(value("17 % 5 * 2") == 4);
}

TEST_CASE("parse_expression: comparisons are 0 or 1 and bind less tightly than sums") {
  CHECK(value("n == 5 + 5") == 1);
  CHECK(value("n == 9") == 0);
  CHECK(value("n != 10") == 0);
  CHECK(value("n != 11") == 1);
  CHECK(value("n < 10") == 0);
  CHECK(value("n < 11") == 1);
  CHECK(value("n <= 10") == 1);
  CHECK(value("n <= 9") == 0);
  CHECK(value("n > 9") == 1);
  CHECK(value("n > 10") == 0);
  CHECK(value("n >= 10") == 1);
  CHECK(value("n >= 11") == 0);
  CHECK(value("3 * (n > 9)") == 3);
  CHECK(cannot_read("1 < n < 3", "comparisons do not chain") == complaint("1 < n < 3"));
  CHECK(cannot_read("n = 3", "unexpected '= 3'") == complaint("n = 3"));
}

TEST_CASE("parse_expression: not binds before and, and before or; all but 0 is true") {
  CHECK(value("not 0") == 1);
  CHECK(value("not n") == 0);
  CHECK(value("not n == 9") == 1);
  CHECK(value("-3 and n") == 1);
  CHECK(value("0 and n or 1") == 1);
  CHECK(value("1 or 0 and 0") == 1);
  CHECK(value("not 0 and 0") == 0);
  CHECK(value("max(n, 3) == 10 and n % 2 == 0") == 1);
  CHECK(parse_expression("nothing + order + android")->symbols().size() == 3);
  CHECK(cannot_read("and 3", "unexpected 'and'") == complaint("and 3"));
}

TEST_CASE("parse_expression: quotients are floored, remainders follow") {
  CHECK(value("-7 / 2") == -4);
  CHECK(value("-7 % 2") == 1);
  CHECK(value("ceil_div(7, 2)") == 4);
}

TEST_CASE("parse_expression: functions, signs and spaces") {
  CHECK(value("min(n, 3) + max(n, 3)") == 13);
  CHECK(value("--n") == 10);
  CHECK(value("\t 2*n ") == 20);
  CHECK(value("2 - -n") == 12);
}

TEST_CASE("parse_expression: what is no expression is refused with its reason") {
  CHECK(complaint("") == cannot_read("", "it ends too early"));
  CHECK(complaint("   ") == cannot_read("   ", "it ends too early"));
  CHECK(complaint("n +") == cannot_read("n +", "it ends too early"));
  CHECK(complaint("n n") == cannot_read("n n", "unexpected 'n'"));
  CHECK(complaint("* n") == cannot_read("* n", "unexpected '* n'"));
  CHECK(complaint("(n") == cannot_read("(n", "a ')' is missing"));
  CHECK(complaint("n)") == cannot_read("n)", "unexpected ')'"));
  CHECK(complaint("1.5") == cannot_read("1.5", "unexpected '.5'"));
  CHECK(complaint("2n") == cannot_read("2n", "'2n' is neither a number nor a name"));
  CHECK(complaint("n ^ 2") == cannot_read("n ^ 2", "unexpected '^ 2'"));
}

TEST_CASE("parse_expression: functions take two arguments") {
  CHECK(complaint("min") == cannot_read("min", "'min' needs two arguments in parentheses"));
  CHECK(complaint("min(n)") == cannot_read("min(n)", "'min' needs two arguments"));
  CHECK(complaint("max(n, 2") == cannot_read("max(n, 2", "a ')' is missing"));
  CHECK(complaint("ceil_div(n, 2, 3)") == cannot_read("ceil_div(n, 2, 3)", "a ')' is missing"));
}

TEST_CASE("parse_expression: the number 0 is no divisor") {
  CHECK(complaint("n / 0") == cannot_read("n / 0", "it divides by zero"));
  CHECK(complaint("n % 0") == cannot_read("n % 0", "it divides by zero"));
  CHECK(complaint("ceil_div(n, 0)") == cannot_read("ceil_div(n, 0)", "it divides by zero"));
  CHECK(complaint("n / (m - m)") == cannot_read("n / (m - m)", "it divides by zero"));
  CHECK(parse_expression("n / m").has_value());
}

TEST_CASE("parse_expression: numbers hold 64 bits and not one more") {
  CHECK(value("9223372036854775807") == 9223372036854775807);
  CHECK(complaint("9223372036854775808") ==
        cannot_read("9223372036854775808", "'9223372036854775808' exceeds 64 bits"));
  CHECK(complaint("9223372036854775807 + 1") ==
        cannot_read("9223372036854775807 + 1", "it overflows 64 bits"));
}

TEST_CASE("parse_expression: nesting ends at a hundred") {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '(') + "n" +
           std::string(static_cast<std::size_t>(depth), ')');
  };
  CHECK(parse_expression(nested(100)).has_value());
  CHECK(complaint(nested(101)).find("': it is nested too deeply") != std::string::npos);
  CHECK(complaint(std::string(101, '-') + "n").find("': it is nested too deeply") != std::string::npos);
  CHECK(parse_expression(std::string(100, '-') + "n").has_value());
}

TEST_CASE("parse_expression: text ends at two thousand characters") {
  const std::string longest = "1" + std::string(1999, ' ');

  CHECK(parse_expression(longest).has_value());
  CHECK(complaint(longest + " ") ==
        "m.toml:3:8: error: expression of 2001 characters is too long (at most 2000)\n");
}

}  // namespace
}  // namespace roofcast
