// A recursive-descent parser for the expressions of model files.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

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
    Expr result = either(0);
    skip_space();
    if (error_.empty() && position_ < text_.size()) complain(fmt::format("unexpected '{}'", rest()));
    if (error_.empty() && result.broken()) error_ = "it overflows 64 bits";
    if (!error_.empty()) {
      return fail(
          fmt::format("cannot read expression '{}': {}", text_, error_), where_,
          "expressions are integers, symbols, + - * / (floored) %, parentheses, min(a, b), max(a, b), "
          "ceil_div(a, b), comparisons, and, or, not");
    }
    return result;
  }

 private:
  static constexpr std::size_t longest_text = 2000;
  static constexpr int deepest = 100;

  // Logic is arithmetic on 0 and 1, so that it needs no kinds of atoms of its own.
  static Expr truth(const Expr& value) { return minimum(Expr{1}, maximum(value, Expr{-1} * value)); }
  static Expr less(const Expr& left, const Expr& right) {
    return minimum(Expr{1}, maximum(Expr{0}, right - left));
  }
  static Expr equal(const Expr& left, const Expr& right) {
    return maximum(Expr{0}, Expr{1} - maximum(left - right, right - left));
  }

  Expr either(int depth) {
    Expr result = both(depth);
    while (error_.empty() && take_word("or")) result = maximum(truth(result), truth(both(depth)));
    return result;
  }

  Expr both(int depth) {
    Expr result = negation(depth);
    while (error_.empty() && take_word("and")) result = truth(result) * truth(negation(depth));
    return result;
  }

  Expr negation(int depth) {
    if (depth > deepest) return complain("it is nested too deeply");
    if (take_word("not")) return Expr{1} - truth(negation(depth + 1));
    return comparison(depth);
  }

  Expr comparison(int depth) {
    const Expr left = sum(depth);
    const std::string_view compared = take_comparison();
    if (!error_.empty() || compared.empty()) return left;
    const Expr right = sum(depth);
    if (error_.empty() && !take_comparison().empty()) return complain("comparisons do not chain");
    if (compared == "==") return equal(left, right);
    if (compared == "!=") return Expr{1} - equal(left, right);
    if (compared == "<") return less(left, right);
    if (compared == ">") return less(right, left);
    if (compared == "<=") return less(left, right + Expr{1});
    return less(right, left + Expr{1});
  }

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
      Expr inner = either(depth + 1);
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
    if (is_reserved(word)) return complain(fmt::format("unexpected '{}'", word));
    return Expr::symbol(std::string(word));
  }

  Expr function(std::string_view name, int depth) {
    if (!take('(')) return complain(fmt::format("'{}' needs two arguments in parentheses", name));
    const Expr left = either(depth + 1);
    if (error_.empty() && !take(',')) return complain(fmt::format("'{}' needs two arguments", name));
    const Expr right = either(depth + 1);
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

  bool take_word(std::string_view wanted) {
    skip_space();
    const std::string_view left = text_.substr(position_);
    if (!left.starts_with(wanted)) return false;
    if (left.size() > wanted.size() && is_identifier(std::string("_") + left[wanted.size()])) return false;
    position_ += wanted.size();
    return true;
  }

  std::string_view take_comparison() {
    skip_space();
    for (const std::string_view compared : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (!text_.substr(position_).starts_with(compared)) continue;
      position_ += compared.size();
      return compared;
    }
    return {};
  }

  std::string_view rest() const { return text_.substr(position_, 20); }

  std::string_view text_;
  Location where_;
  std::size_t position_ = 0;
  std::string error_{};
};

}  // namespace

bool is_reserved(std::string_view name) {
  constexpr std::string_view words[] = {"min", "max", "ceil_div", "and", "or", "not"};
  return std::ranges::find(words, name) != std::end(words);
}

Result<Expr> parse_expression(std::string_view text, const Location& where) {
  return Parser(text, where).parse();
}

}  // namespace roofcast
