#pragma once
// The element types of ONNX tensors.

#include <optional>
#include <string_view>

#include "engine/base/dtype.hpp"

namespace roofcast::onnx {

/// TensorProto.DataType of the published format.
enum class ElementType : int {
  undefined = 0,
  float32 = 1,
  uint8 = 2,
  int8 = 3,
  uint16 = 4,
  int16 = 5,
  int32 = 6,
  int64 = 7,
  string = 8,
  boolean = 9,
  float16 = 10,
  float64 = 11,
  uint32 = 12,
  uint64 = 13,
  complex64 = 14,
  complex128 = 15,
  bfloat16 = 16,
  float8_e4m3fn = 17,
  float8_e4m3fnuz = 18,
  float8_e5m2 = 19,
  float8_e5m2fnuz = 20,
  uint4 = 21,
  int4 = 22,
  float4_e2m1 = 23,
  float8_e8m0 = 24,
  uint2 = 25,
  int2 = 26
};

std::string_view to_string(ElementType type);

/// Real-valued: weights and activations, as opposed to indices, masks and codes.
bool is_floating(ElementType type);
bool is_integer(ElementType type);  ///< and booleans

/// How the engine stores it. None for real values: they take the type that the precision gives them.
std::optional<DType> storage(ElementType type);

int bits(ElementType type);

}  // namespace roofcast::onnx
