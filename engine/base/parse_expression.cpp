// A recursive-descent parser for the expressions of model files.

#include <fmt/format.h>

#include <charconv>

#include "engine/base/expression.hpp"

namespace roofcast {
namespace {

class Parser {
 public:
  Parser(std::string_view text, const Location& where) : text_(text), where_(where) {}

  Result<Expr> parse() {
    if (text_.size() > longest_text) {
      return fail(
          fmt::format("expression of {} characters is too long (at most {})", text_.size(), longest_text),
          where_);
    }
    Expr result = sum(0);
    skip_space();
    if (error_.empty() && position_ < text_.size()) complain(fmt::format("unexpected '{}'", rest()));
    if (error_.empty() && result.broken()) error_ = "it overflows 64 bits";
    if (!error_.empty()) {
      return fail(
          fmt::format("cannot read expression '{}': {}", text_, error_), where_,
          "expressions are integers, symbols, + - * / (floored) %, parentheses, min(a, b), max(a, b) and "
          "ceil_div(a, b)");
    }
    return result;
  }

 private:
  static constexpr std::size_t longest_text = 2000;
  static constexpr int deepest = 100;

  Expr sum(int depth) {
    Expr total = term(depth);
    while (error_.empty()) {
      if (take('+')) {
        total += term(depth);
      } else if (take('-')) {
        total = total - term(depth);
      } else {
        break;
      }
    }
    return total;
  }

  Expr term(int depth) {
    Expr total = factor(depth);
    while (error_.empty()) {
      if (take('*')) {
        total *= factor(depth);
      } else if (take('/')) {
        total = quotient(total, factor(depth));
      } else if (take('%')) {
        const Expr divisor = factor(depth);
        total = total - divisor * quotient(total, divisor);
      } else {
        break;
      }
    }
    return total;
  }

  Expr factor(int depth) {
    if (depth > deepest) return complain("it is nested too deeply");
    if (take('-')) return Expr{-1} * factor(depth + 1);
    if (take('(')) {
      Expr inner = sum(depth + 1);
      if (error_.empty() && !take(')')) return complain("a ')' is missing");
      return inner;
    }
    skip_space();
    const std::size_t start = position_;
    while (position_ < text_.size() && is_identifier(std::string("_") + text_[position_])) ++position_;
    const std::string_view word = text_.substr(start, position_ - start);
    if (word.empty())
      return complain(position_ < text_.size() ? fmt::format("unexpected '{}'", rest())
                                               : "it ends too early");
    if (word.front() >= '0' && word.front() <= '9') {
      std::int64_t value = 0;
      const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (status == std::errc::result_out_of_range)
        return complain(fmt::format("'{}' exceeds 64 bits", word));
      if (status != std::errc{} || end != word.data() + word.size()) {
        return complain(fmt::format("'{}' is neither a number nor a name", word));
      }
      return Expr{value};
    }
    if (word == "min" || word == "max" || word == "ceil_div") return function(word, depth);
    return Expr::symbol(std::string(word));
  }

  Expr function(std::string_view name, int depth) {
    if (!take('(')) return complain(fmt::format("'{}' needs two arguments in parentheses", name));
    const Expr left = sum(depth + 1);
    if (error_.empty() && !take(',')) return complain(fmt::format("'{}' needs two arguments", name));
    const Expr right = sum(depth + 1);
    if (error_.empty() && !take(')')) return complain("a ')' is missing");
    if (name == "min") return minimum(left, right);
    if (name == "max") return maximum(left, right);
    return quotient(left + right - Expr{1}, right);
  }

  Expr quotient(const Expr& dividend, const Expr& divisor) {
    if (divisor.is(0)) return complain("it divides by zero");
    return floor_divide(dividend, divisor);
  }

  Expr complain(std::string message) {
    if (error_.empty()) error_ = std::move(message);
    return {};
  }

  void skip_space() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\t')) ++position_;
  }

  bool take(char wanted) {
    skip_space();
    if (position_ >= text_.size() || text_[position_] != wanted) return false;
    ++position_;
    return true;
  }

  std::string_view rest() const { return text_.substr(position_, 20); }

  std::string_view text_;
  Location where_;
  std::size_t position_ = 0;
  std::string error_{};
};

}  // namespace

Result<Expr> parse_expression(std::string_view text, const Location& where) {
  return Parser(text, where).parse();
}

}  // namespace roofcast
