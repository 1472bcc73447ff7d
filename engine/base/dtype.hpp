#pragma once
// Element types and how many bytes they take.

#include <cstdint>
#include <optional>
#include <string_view>

namespace roofcast {

/// The storage type of a tensor's elements.
enum class DType : std::uint8_t {
  fp64,
  fp32,
  fp16,
  bf16,
  fp8,
  fp4,
  int64,
  int32,
  int8,
  int4,
  uint8,
  boolean
};

constexpr std::int64_t bits(DType dtype) {
  switch (dtype) {
    case DType::fp64:
    case DType::int64: return 64;
    case DType::fp32:
    case DType::int32: return 32;
    case DType::fp16:
    case DType::bf16: return 16;
    case DType::fp8:
    case DType::int8:
    case DType::uint8:
    case DType::boolean: return 8;
    case DType::fp4:
    case DType::int4: return 4;
  }
  return 0;
}

constexpr bool is_floating(DType dtype) {
  return dtype == DType::fp64 || dtype == DType::fp32 || dtype == DType::fp16 || dtype == DType::bf16 ||
         dtype == DType::fp8 || dtype == DType::fp4;
}

std::string_view to_string(DType dtype);
std::optional<DType> parse_dtype(std::string_view name);

}  // namespace roofcast
