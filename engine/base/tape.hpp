#pragma once
// Many expressions compiled into one straight line of integer operations, each shared subexpression computed
// once.

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/base/expression.hpp"

namespace roofcast {

/// Append-only. `add` hands out the slot that holds an expression's value after `evaluate`.
class ExpressionTape {
 public:
  /// `definitions`: what derived symbols stand for. Symbols not in it become inputs, in order of first use.
  explicit ExpressionTape(std::map<std::string, Expr, std::less<>> definitions = {});

  int add(const Expr& expression);

  const std::vector<std::string>& inputs() const { return inputs_; }
  std::size_t slots() const { return instructions_.size(); }
  /// The expression in a slot handed out by `add`.
  const Expr& expression(int slot) const;

  /// Computes all slots. `values` are those of `inputs()`, `slots` has `slots()` entries. Returns the first
  /// slot whose computation overflowed or divided by zero, -1 when all went well.
  int evaluate(std::span<const std::int64_t> values, std::span<std::int64_t> slots) const;

 private:
  enum class Code : std::uint8_t { constant, input, add, multiply, floor_divide, minimum, maximum };
  struct Instruction {
    Code code = Code::constant;
    std::int32_t left = 0;
    std::int32_t right = 0;
    std::int64_t constant = 0;
    friend auto operator<=>(const Instruction&, const Instruction&) = default;
  };

  int emit(const Instruction& instruction);
  int add_atom(const ExpressionAtom& atom);
  int constant(std::int64_t value) { return emit({.code = Code::constant, .constant = value}); }

  std::map<std::string, Expr, std::less<>> definitions_;
  std::vector<std::string> inputs_{};
  std::vector<Instruction> instructions_{};
  std::map<Instruction, int> known_{};
  std::map<Expr, int> expressions_{};
  std::map<int, Expr> origin_{};
};

}  // namespace roofcast
