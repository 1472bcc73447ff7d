#include "engine/base/dtype.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace roofcast {
namespace {

constexpr std::array<std::pair<DType, std::string_view>, 12> names = {{{DType::fp64, "fp64"},
                                                                       {DType::fp32, "fp32"},
                                                                       {DType::fp16, "fp16"},
                                                                       {DType::bf16, "bf16"},
                                                                       {DType::fp8, "fp8"},
                                                                       {DType::fp4, "fp4"},
                                                                       {DType::int64, "int64"},
                                                                       {DType::int32, "int32"},
                                                                       {DType::int8, "int8"},
                                                                       {DType::int4, "int4"},
                                                                       {DType::uint8, "uint8"},
                                                                       {DType::boolean, "bool"}}};

}  // namespace

std::string_view to_string(DType dtype) {
  const auto* found = std::ranges::find(names, dtype, &std::pair<DType, std::string_view>::first);
  return found == names.end() ? "?" : found->second;
}

std::optional<DType> parse_dtype(std::string_view name) {
  const auto* found = std::ranges::find(names, name, &std::pair<DType, std::string_view>::second);
  if (found == names.end()) return std::nullopt;
  return found->first;
}

}  // namespace roofcast
