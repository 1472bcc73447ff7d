#include "engine/io/import_onnx/onnx_value.hpp"

namespace roofcast::onnx {

std::optional<std::vector<Expr>> whole_numbers(const OnnxValue& value) {
  if (!value.content) return std::nullopt;
  std::vector<Expr> numbers;
  for (const Number& number : *value.content) {
    const auto whole = number.whole();
    if (!whole) return std::nullopt;
    numbers.push_back(*whole);
  }
  return numbers;
}

std::optional<std::vector<std::int64_t>> integers(const OnnxValue& value) {
  if (!value.content) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const Number& number : *value.content) {
    const auto integer = number.integer();
    if (!integer) return std::nullopt;
    numbers.push_back(*integer);
  }
  return numbers;
}

std::optional<std::vector<double>> reals(const OnnxValue& value) {
  if (!value.content) return std::nullopt;
  std::vector<double> numbers;
  for (const Number& number : *value.content) {
    const auto real = number.constant();
    if (!real) return std::nullopt;
    numbers.push_back(*real);
  }
  return numbers;
}

OnnxValue constant(Content content, Shape shape, ElementType element) {
  return {.shape = std::move(shape), .element = element, .content = std::move(content)};
}

OnnxValue vector_of(const std::vector<Expr>& sizes) {
  return constant(Content(sizes.begin(), sizes.end()), {Expr{static_cast<std::int64_t>(sizes.size())}},
                  ElementType::int64);
}

std::optional<std::vector<std::int64_t>> constant_shape(const Shape& shape) {
  std::vector<std::int64_t> sizes;
  for (const Expr& dimension : shape) {
    if (!dimension.is_constant()) return std::nullopt;
    sizes.push_back(dimension.constant());
  }
  return sizes;
}

std::optional<std::int64_t> small_count(const Shape& shape) {
  std::int64_t count = 1;
  for (const Expr& dimension : shape) {
    if (!dimension.is_constant() || dimension.constant() < 0 || dimension.constant() > most_content) {
      return std::nullopt;
    }
    count *= dimension.constant();
    if (count > most_content) return std::nullopt;
  }
  return count;
}

std::vector<std::size_t> broadcast_indices(const std::vector<std::int64_t>& from,
                                           const std::vector<std::int64_t>& to) {
  std::int64_t count = 1;
  for (const std::int64_t size : to) count *= size;
  std::vector<std::size_t> indices(static_cast<std::size_t>(count));
  for (std::int64_t flat = 0; flat < count; ++flat) {
    std::int64_t rest = flat;
    std::int64_t index = 0;
    std::int64_t stride = 1;
    for (std::size_t i = 0; i < to.size(); ++i) {
      const std::size_t axis = to.size() - 1 - i;
      const std::int64_t at = rest % to[axis];
      rest /= to[axis];
      if (i >= from.size()) continue;
      const std::int64_t size = from[from.size() - 1 - i];
      if (size != 1) index += at * stride;
      stride *= size;
    }
    indices[static_cast<std::size_t>(flat)] = static_cast<std::size_t>(index);
  }
  return indices;
}

}  // namespace roofcast::onnx
