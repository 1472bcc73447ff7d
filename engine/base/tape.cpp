#include "engine/base/tape.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace roofcast {

ExpressionTape::ExpressionTape(std::map<std::string, Expr, std::less<>> definitions)
    : definitions_(std::move(definitions)) {}

int ExpressionTape::emit(const Instruction& instruction) {
  const auto [entry, is_new] = known_.try_emplace(instruction, static_cast<int>(instructions_.size()));
  if (is_new) instructions_.push_back(instruction);
  return entry->second;
}

int ExpressionTape::add_atom(const ExpressionAtom& atom) {
  using Kind = ExpressionAtom::Kind;
  if (atom.kind == Kind::symbol) {
    const auto definition = definitions_.find(atom.name);
    if (definition != definitions_.end()) return add(definition->second);
    const auto found = std::ranges::find(inputs_, atom.name);
    const auto index = static_cast<std::int32_t>(found - inputs_.begin());
    if (found == inputs_.end()) inputs_.push_back(atom.name);
    return emit({.code = Code::input, .left = index});
  }
  const int left = add(atom.left);
  const int right = add(atom.right);
  const Code code = atom.kind == Kind::floor_divide ? Code::floor_divide
                    : atom.kind == Kind::minimum    ? Code::minimum
                    : atom.kind == Kind::maximum    ? Code::maximum
                                                    : Code::multiply;
  return emit({.code = code, .left = left, .right = right});
}

int ExpressionTape::add(const Expr& expression) {
  if (const auto found = expressions_.find(expression); found != expressions_.end()) return found->second;
  int total = -1;
  if (expression.broken()) {  // evaluates to an overflow
    const int largest = constant(std::numeric_limits<std::int64_t>::max());
    total = emit({.code = Code::multiply, .left = largest, .right = largest});
  }
  for (const Expr::Term& term : expression.terms()) {
    int value = -1;
    for (const Expr::Power& power : term.powers) {
      const int base = add_atom(*power.atom);
      for (std::int64_t n = 0; n < power.exponent; ++n) {
        value = value < 0 ? base : emit({.code = Code::multiply, .left = value, .right = base});
      }
    }
    if (value < 0) {
      value = constant(term.coefficient);
    } else if (term.coefficient != 1) {
      value = emit({.code = Code::multiply, .left = value, .right = constant(term.coefficient)});
    }
    total = total < 0 ? value : emit({.code = Code::add, .left = total, .right = value});
  }
  if (total < 0) total = constant(0);
  expressions_.emplace(expression, total);
  origin_.emplace(total, expression);
  return total;
}

const Expr& ExpressionTape::expression(int slot) const {
  const auto found = origin_.find(slot);
  assert(found != origin_.end());
  return found->second;
}

int ExpressionTape::evaluate(std::span<const std::int64_t> values, std::span<std::int64_t> slots) const {
  assert(values.size() == inputs_.size() && slots.size() == instructions_.size());
  for (std::size_t i = 0; i < instructions_.size(); ++i) {
    const Instruction& step = instructions_[i];
    const auto left = [&] { return slots[static_cast<std::size_t>(step.left)]; };
    const auto right = [&] { return slots[static_cast<std::size_t>(step.right)]; };
    bool failed = false;
    switch (step.code) {
      case Code::constant: slots[i] = step.constant; break;
      case Code::input: slots[i] = values[static_cast<std::size_t>(step.left)]; break;
      case Code::add: failed = __builtin_add_overflow(left(), right(), &slots[i]); break;
      case Code::multiply: failed = __builtin_mul_overflow(left(), right(), &slots[i]); break;
      case Code::floor_divide: {
        const std::int64_t dividend = left();
        const std::int64_t divisor = right();
        if (divisor == 0 || (divisor == -1 && dividend == std::numeric_limits<std::int64_t>::min())) {
          failed = true;
          break;
        }
        slots[i] = dividend / divisor;
        if (dividend % divisor != 0 && (dividend < 0) != (divisor < 0)) --slots[i];
        break;
      }
      case Code::minimum: slots[i] = std::min(left(), right()); break;
      case Code::maximum: slots[i] = std::max(left(), right()); break;
    }
    if (failed) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace roofcast
