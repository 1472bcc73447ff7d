#include "kernels/cuda/element.hpp"

#include <cassert>
#include <cmath>
#include <cstring>

#include "kernels/cuda/number.hpp"

namespace roofcast {
namespace {

template <class Number>
Number number_at(const std::byte* values, std::size_t at) {
  Number number;
  std::memcpy(&number, values + at * sizeof number, sizeof number);
  return number;
}

}  // namespace

std::size_t size_of(Element element) {
  switch (element) {
    case Element::fp32:
    case Element::int32: return 4;
    case Element::fp16:
    case Element::bf16: return 2;
    case Element::int8:
    case Element::fp8: return 1;
  }
  return 0;
}

Element element_of(std::string_view precision) {
  if (precision == "fp16") return Element::fp16;
  if (precision == "bf16") return Element::bf16;
  if (precision == "int8") return Element::int8;
  if (precision == "fp8") return Element::fp8;
  return Element::fp32;
}

double input_value(Element element, std::uint64_t seed, std::size_t place) {
  switch (element) {
    case Element::fp32: return random_number<float>(seed, place);
    case Element::fp16: return to_float(random_number<__half>(seed, place));
    case Element::bf16: return to_float(random_number<__nv_bfloat16>(seed, place));
    case Element::int8: return random_number<std::int8_t>(seed, place);
    case Element::fp8: return to_float(random_number<__nv_fp8_e4m3>(seed, place));
    case Element::int32: break;
  }
  assert(false && "no kernel has such an input");
  return 0;
}

double stored_value(Element element, const std::byte* values, std::size_t at) {
  switch (element) {
    case Element::fp32: return number_at<float>(values, at);
    case Element::fp16: return to_float(number_at<__half>(values, at));
    case Element::bf16: return to_float(number_at<__nv_bfloat16>(values, at));
    case Element::int8: return number_at<std::int8_t>(values, at);
    case Element::fp8: return to_float(number_at<__nv_fp8_e4m3>(values, at));
    case Element::int32: return number_at<std::int32_t>(values, at);
  }
  return 0;
}

std::uint8_t unwritten_byte(Element element) {
  return element == Element::int32 ? 0x80 : 0xff;
}

bool is_unwritten(Element element, const std::byte* values, std::size_t at) {
  constexpr double all_0x80 = -2139062144;
  const double value = stored_value(element, values, at);
  return element == Element::int32 ? value == all_0x80 : !std::isfinite(value);
}

double rounding(Element element) {
  switch (element) {
    case Element::fp32: return std::exp2(-24);
    case Element::fp16: return std::exp2(-11);
    case Element::bf16: return std::exp2(-8);
    case Element::fp8: return std::exp2(-4);
    case Element::int8:
    case Element::int32: break;
  }
  return 0;
}

}  // namespace roofcast
