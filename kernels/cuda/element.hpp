#pragma once
// What an operand's values are, for the host: their bytes, and what they mean.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace roofcast {

enum class Element : std::uint8_t { fp32, fp16, bf16, int8, fp8, int32 };

/// Bytes of one value.
std::size_t size_of(Element element);

/// How a precision stores its inputs: tf32 as fp32, fp8 as e4m3.
Element element_of(std::string_view precision);

/// The value at `place` of an input that the device fills by `seed`.
double input_value(Element element, std::uint64_t seed, std::size_t place);

/// Value `at` in an operand that was copied from the device.
double stored_value(Element element, const std::byte* values, std::size_t at);

/// What all bytes of results are set to before the first run: NaN of numbers with fractions, of int32 what no
/// product of fewer than 130000 terms is.
std::uint8_t unwritten_byte(Element element);

/// Whether a result is still that, or no number.
bool is_unwritten(Element element, const std::byte* values, std::size_t at);

/// Half the distance from 1 to the next number: the relative error of rounding to the element. 0 of whole
/// numbers.
double rounding(Element element);

}  // namespace roofcast
