#include "engine/base/tensor.hpp"

namespace roofcast {

Expr elements(const Shape& shape) {
  return elements(shape, 0, shape.size());
}

Expr elements(const Shape& shape, std::size_t first, std::size_t last) {
  Expr count{1};
  for (std::size_t i = first; i < last; ++i) count *= shape[i];
  return count;
}

Expr storage_bytes(const Expr& count, DType dtype) {
  constexpr std::int64_t bits_per_byte = 8;
  const std::int64_t width = bits(dtype);
  return width % bits_per_byte == 0 ? count * Expr{width / bits_per_byte}
                                    : ceil_divide(count * Expr{width}, Expr{bits_per_byte});
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (const Expr& dimension : shape) {
    if (text.size() > 1) text += ", ";
    text += to_string(dimension);
  }
  return text + "]";
}

}  // namespace roofcast
