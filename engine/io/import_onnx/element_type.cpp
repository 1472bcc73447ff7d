#include "engine/io/import_onnx/element_type.hpp"

#include <array>

namespace roofcast::onnx {
namespace {

enum class Kind : std::uint8_t { other, floating, integer };

struct Row {
  std::string_view name{};
  int bits = 0;
  Kind kind = Kind::other;
  DType stored = DType::fp32;
};

// In the order of the enumeration. Types that the engine does not have are stored as the next one of their
// size.
constexpr std::array<Row, 27> rows = {{{"undefined", 32, Kind::other},
                                       {"float", 32, Kind::floating},
                                       {"uint8", 8, Kind::integer, DType::uint8},
                                       {"int8", 8, Kind::integer, DType::int8},
                                       {"uint16", 16, Kind::integer, DType::int32},
                                       {"int16", 16, Kind::integer, DType::int32},
                                       {"int32", 32, Kind::integer, DType::int32},
                                       {"int64", 64, Kind::integer, DType::int64},
                                       {"string", 64, Kind::other, DType::int64},
                                       {"bool", 8, Kind::integer, DType::boolean},
                                       {"float16", 16, Kind::floating},
                                       {"double", 64, Kind::floating},
                                       {"uint32", 32, Kind::integer, DType::int32},
                                       {"uint64", 64, Kind::integer, DType::int64},
                                       {"complex64", 64, Kind::other, DType::int64},
                                       {"complex128", 128, Kind::other, DType::int64},
                                       {"bfloat16", 16, Kind::floating},
                                       {"float8e4m3fn", 8, Kind::floating},
                                       {"float8e4m3fnuz", 8, Kind::floating},
                                       {"float8e5m2", 8, Kind::floating},
                                       {"float8e5m2fnuz", 8, Kind::floating},
                                       {"uint4", 4, Kind::integer, DType::int4},
                                       {"int4", 4, Kind::integer, DType::int4},
                                       {"float4e2m1", 4, Kind::floating},
                                       {"float8e8m0", 8, Kind::floating},
                                       {"uint2", 2, Kind::integer, DType::int4},
                                       {"int2", 2, Kind::integer, DType::int4}}};

const Row& row(ElementType type) {
  const auto index = static_cast<std::size_t>(type);
  return index < rows.size() ? rows[index] : rows[0];
}

}  // namespace

std::string_view to_string(ElementType type) {
  return row(type).name;
}
bool is_floating(ElementType type) {
  return row(type).kind == Kind::floating;
}
bool is_integer(ElementType type) {
  return row(type).kind == Kind::integer;
}
std::optional<DType> storage(ElementType type) {
  if (is_floating(type) || type == ElementType::undefined) return std::nullopt;
  return row(type).stored;
}
int bits(ElementType type) {
  return row(type).bits;
}

}  // namespace roofcast::onnx
