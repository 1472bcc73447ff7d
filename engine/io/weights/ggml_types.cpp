#include "engine/io/weights/ggml_types.hpp"

#include <algorithm>
#include <array>

namespace roofcast {
namespace {

// Ids: `enum ggml_type` in ggml/include/ggml.h of ggml-org/llama.cpp. Bytes: the sizes that the
// static_asserts in ggml/src/ggml-common.h state for each block; gguf-py/gguf/constants.py,
// `GGML_QUANT_SIZES`, has the same table (and is wrong for Q8_1, which has two halves, not two floats). Read
// 2026-12. In a sum the terms are the members of the block: scales in 16 bits (2), minima (2), then packed
// values. Not here: 4 and 5 (Q4_2, Q4_3), which were gone before GGUF came; 42 (Q2_0), whose block has 64 or
// 128 elements depending on who wrote the file.
constexpr std::array<GgmlType, 38> types = {{
    {0, "F32", 1, 4},
    {1, "F16", 1, 2},
    {2, "Q4_0", 32, 2 + 16},
    {3, "Q4_1", 32, 2 + 2 + 16},
    {6, "Q5_0", 32, 2 + 4 + 16},
    {7, "Q5_1", 32, 2 + 2 + 4 + 16},
    {8, "Q8_0", 32, 2 + 32},
    {9, "Q8_1", 32, 2 + 2 + 32},
    {10, "Q2_K", 256, 256 / 16 + 256 / 4 + 2 + 2},
    {11, "Q3_K", 256, 256 / 8 + 256 / 4 + 12 + 2},
    {12, "Q4_K", 256, 2 + 2 + 12 + 256 / 2},
    {13, "Q5_K", 256, 2 + 2 + 12 + 256 / 8 + 256 / 2},
    {14, "Q6_K", 256, 256 / 2 + 256 / 4 + 256 / 16 + 2},
    {15, "Q8_K", 256, 4 + 256 + 256 / 16 * 2},
    {16, "IQ2_XXS", 256, 2 + 256 / 8 * 2},
    {17, "IQ2_XS", 256, 2 + 256 / 8 * 2 + 256 / 32},
    {18, "IQ3_XXS", 256, 2 + 3 * 256 / 8},
    {19, "IQ1_S", 256, 2 + 256 / 8 + 256 / 32 * 2},
    {20, "IQ4_NL", 32, 2 + 16},
    {21, "IQ3_S", 256, 2 + 256 / 4 + 256 / 32 + 256 / 8 + 256 / 64},
    {22, "IQ2_S", 256, 2 + 256 / 4 + 256 / 32 + 256 / 32},
    {23, "IQ4_XS", 256, 2 + 2 + 256 / 64 + 256 / 2},
    {24, "I8", 1, 1},
    {25, "I16", 1, 2},
    {26, "I32", 1, 4},
    {27, "I64", 1, 8},
    {28, "F64", 1, 8},
    {29, "IQ1_M", 256, 256 / 8 + 256 / 16 + 256 / 32},
    {30, "BF16", 1, 2},
    // 31 to 33 and 36 hold the blocks of Q4_0 and IQ4_NL in another order. They are no longer written.
    {31, "Q4_0_4_4", 32, 2 + 16},
    {32, "Q4_0_4_8", 32, 2 + 16},
    {33, "Q4_0_8_8", 32, 2 + 16},
    {34, "TQ1_0", 256, (256 - 4 * 256 / 64) / 5 + 256 / 64 + 2},
    {35, "TQ2_0", 256, 256 / 4 + 2},
    {36, "IQ4_NL_4_4", 32, 2 + 16},
    {39, "MXFP4", 32, 1 + 16},
    {40, "NVFP4", 64, 4 + 32},
    {41, "Q1_0", 128, 2 + 16},
}};

}  // namespace

const GgmlType* find_ggml_type(std::uint32_t id) {
  const auto* found = std::ranges::find(types, id, &GgmlType::id);
  return found == types.end() ? nullptr : &*found;
}

std::span<const GgmlType> ggml_types() {
  return types;
}

}  // namespace roofcast
