#include "engine/io/import_onnx/tensor_content.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/io/import_onnx/onnx.pb.h"

namespace roofcast::onnx {
namespace {

constexpr std::int64_t most_elements = 1LL << 50;

template <class Value>
Value little_endian(std::string_view bytes, std::size_t index) {
  static_assert(std::endian::native == std::endian::little);
  Value value{};
  std::memcpy(&value, bytes.data() + index * sizeof(Value), sizeof(Value));
  return value;
}

// IEEE half and bfloat16 as bit patterns.
double half(std::uint16_t bits) {
  const int exponent = (bits >> 10U) & 0x1F;
  const int mantissa = bits & 0x3FF;
  const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
  if (exponent == 0x1F) return mantissa == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}
double bfloat(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U));
}

Number whole(std::int64_t value) {
  return Number{value};
}

/// One element from raw bytes, or nothing for types whose values never matter.
std::optional<Number> raw_element(ElementType type, std::string_view bytes, std::size_t i) {
  switch (type) {
    case ElementType::float32: return Number::real(static_cast<double>(little_endian<float>(bytes, i)));
    case ElementType::float64: return Number::real(little_endian<double>(bytes, i));
    case ElementType::float16: return Number::real(half(little_endian<std::uint16_t>(bytes, i)));
    case ElementType::bfloat16: return Number::real(bfloat(little_endian<std::uint16_t>(bytes, i)));
    case ElementType::int64: return whole(little_endian<std::int64_t>(bytes, i));
    case ElementType::int32: return whole(little_endian<std::int32_t>(bytes, i));
    case ElementType::int16: return whole(little_endian<std::int16_t>(bytes, i));
    case ElementType::int8: return whole(little_endian<std::int8_t>(bytes, i));
    case ElementType::uint64: return whole(static_cast<std::int64_t>(little_endian<std::uint64_t>(bytes, i)));
    case ElementType::uint32: return whole(little_endian<std::uint32_t>(bytes, i));
    case ElementType::uint16: return whole(little_endian<std::uint16_t>(bytes, i));
    case ElementType::uint8: return whole(little_endian<std::uint8_t>(bytes, i));
    case ElementType::boolean: return whole(little_endian<std::uint8_t>(bytes, i) != 0 ? 1 : 0);
    default: return std::nullopt;
  }
}

/// One element from the typed fields, which hold small types in the 32-bit one.
std::optional<Number> field_element(const Tensor& tensor, ElementType type, int i) {
  switch (type) {
    case ElementType::float32:
      if (i < tensor.float_data_size()) return Number::real(static_cast<double>(tensor.float_data(i)));
      break;
    case ElementType::float64:
      if (i < tensor.double_data_size()) return Number::real(tensor.double_data(i));
      break;
    case ElementType::int64:
      if (i < tensor.int64_data_size()) return whole(tensor.int64_data(i));
      break;
    case ElementType::uint64:
    case ElementType::uint32:
      if (i < tensor.uint64_data_size()) return whole(static_cast<std::int64_t>(tensor.uint64_data(i)));
      break;
    case ElementType::int32:
    case ElementType::int16:
    case ElementType::int8:
    case ElementType::uint16:
    case ElementType::uint8:
    case ElementType::boolean:
      if (i < tensor.int32_data_size()) return whole(tensor.int32_data(i));
      break;
    case ElementType::float16:
      if (i < tensor.int32_data_size())
        return Number::real(half(static_cast<std::uint16_t>(tensor.int32_data(i))));
      break;
    case ElementType::bfloat16:
      if (i < tensor.int32_data_size())
        return Number::real(bfloat(static_cast<std::uint16_t>(tensor.int32_data(i))));
      break;
    default: break;
  }
  return std::nullopt;
}

std::optional<Content> content_of(const Tensor& tensor, ElementType type, std::int64_t count) {
  constexpr int external = 1;
  if (tensor.data_location() == external || count > most_content) return std::nullopt;
  // Real numbers and codes matter as scales and factors only; a weight's values never do.
  constexpr std::int64_t most_reals = 64;
  const bool sizes = type == ElementType::int64 || type == ElementType::int32 || type == ElementType::boolean;
  if (!sizes && count > most_reals) return std::nullopt;
  const bool raw = tensor.has_raw_data();
  const auto bytes_per_element = static_cast<std::size_t>(bits(type) / 8);
  if (raw && (bytes_per_element == 0 ||
              tensor.raw_data().size() < static_cast<std::size_t>(count) * bytes_per_element)) {
    return std::nullopt;
  }
  Content content;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto element = raw ? raw_element(type, tensor.raw_data(), static_cast<std::size_t>(i))
                             : field_element(tensor, type, static_cast<int>(i));
    if (!element) return std::nullopt;
    content.push_back(*element);
  }
  return content;
}

}  // namespace

Result<OnnxValue> read_tensor(const Tensor& tensor, const Location& where) {
  const auto type = static_cast<ElementType>(tensor.data_type());
  std::int64_t count = 1;
  OnnxValue value{.name = tensor.name(), .element = type};
  for (const std::int64_t size : tensor.dims()) {
    std::int64_t product = 0;
    if (size < 0 || __builtin_mul_overflow(count, size, &product) || product > most_elements) {
      return fail(fmt::format("tensor '{}' has the impossible dimensions {}", tensor.name(),
                              fmt::join(tensor.dims(), "x")),
                  where, "is the file damaged?");
    }
    count = product;
    value.shape.emplace_back(size);
  }
  value.content = content_of(tensor, type, count);
  return value;
}

std::int64_t element_count(const Tensor& tensor) {
  std::int64_t count = 1;
  for (const std::int64_t size : tensor.dims()) count *= size;
  return count;
}

}  // namespace roofcast::onnx
