// Fourier transforms and filter banks of audio.

#include <fmt/format.h>

#include <algorithm>

#include "engine/io/import_onnx/family.hpp"

namespace roofcast::onnx {
namespace {

constexpr std::int64_t fallback_log = 10;  // of a length that is not known yet: about a thousand values

// 5 n log2 n operations for n complex values, as the fast transform is usually counted.
// Source: Frigo, Johnson, "The Design and Implementation of FFTW3", Proc. IEEE 93(2), 2005.
std::int64_t operations_per_value(const Expr& length) {
  std::int64_t log = length.is_constant() ? 0 : fallback_log;
  for (std::int64_t size = 1; length.is_constant() && size < length.constant(); size *= 2) ++log;
  return std::max<std::int64_t>(5 * log, 1);
}

Result<OnnxValue> transformed(Importer& importer, const OnnxNode& node, const OnnxValue& input,
                              const Shape& shape, const Expr& length) {
  Attributes attributes = result_attributes(shape, input.element);
  attributes.set("function", std::string(node.op()));
  attributes.set("operations", Expr{operations_per_value(length)});
  return importer.emit_one(node, {.op = "pointwise", .attributes = attributes}, {input});
}

Expr half_spectrum(const Expr& length) {
  return floor_divide(length, Expr{2}) + Expr{1};
}

// [batch, values..., 1 or 2] -> the same with two parts. Length and, from set 20 on, axis are inputs.
Result<Values> import_dft(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 1); !ok) return tl::unexpected(ok.error());
  const OnnxValue& input = node.input(0);
  std::int64_t along = node.version() >= 20 ? -2 : node.integer("axis", 1);
  if (node.has(2)) {
    const auto given = integers(node.input(2));
    if (!given || given->size() != 1) return importer.refuse(node, "its axis is computed from data");
    along = given->front();
  }
  if (input.rank() < 2) return importer.refuse(node, "wants [batch, values, parts]");
  const auto axis = axis_of(importer, node, along, input.rank());
  if (!axis) return tl::unexpected(axis.error());
  Shape shape = input.shape;
  if (node.has(1)) {
    const auto length = whole_numbers(node.input(1));
    if (!length || length->size() != 1) return importer.refuse(node, "its length is computed from data");
    shape[*axis] = length->front();
  }
  const Expr length = shape[*axis];
  const bool onesided = node.integer("onesided") != 0;
  const bool inverse = node.integer("inverse") != 0;
  if (onesided && !inverse) shape[*axis] = half_spectrum(length);
  if (onesided && inverse) shape[*axis] = Expr{2} * (length - Expr{1});
  shape.back() = Expr{onesided && inverse ? 1 : 2};
  return one(transformed(importer, node, input, shape, length));
}

// Signal [batch, values, 1 or 2], step between frames, window, length of a frame -> [batch, frames, spectrum,
// 2].
Result<Values> import_stft(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  const OnnxValue& signal = node.input(0);
  const auto step = whole_numbers(node.input(1));
  std::optional<Expr> frame;
  if (node.has(3)) {
    const auto given = whole_numbers(node.input(3));
    if (given && given->size() == 1) frame = given->front();
  } else if (node.has(2) && node.input(2).rank() == 1) {
    frame = node.input(2).shape[0];
  }
  if (signal.rank() < 2) return importer.refuse(node, "wants [batch, values, parts]");
  if (!step || step->size() != 1 || !frame) {
    const auto given = importer.declared_sizes(node, 0);
    if (!given) return importer.refuse(node, "step and length of its frames are computed from data");
    return one(transformed(importer, node, signal, *given, given->size() > 2 ? (*given)[2] : Expr{1}));
  }
  const Expr frames = floor_divide(signal.shape[1] - *frame, step->front()) + Expr{1};
  const Expr spectrum = node.integer("onesided", 1) != 0 ? half_spectrum(*frame) : *frame;
  return one(transformed(importer, node, signal, {signal.shape[0], frames, spectrum, Expr{2}}, *frame));
}

// Number of bands and length of the transform -> [spectrum, bands].
Result<Values> import_mel_weights(Importer& importer, const OnnxNode& node) {
  if (auto ok = require_inputs(importer, node, 2); !ok) return tl::unexpected(ok.error());
  const auto bands = whole_numbers(node.input(0));
  const auto length = whole_numbers(node.input(1));
  Shape shape;
  if (bands && length && bands->size() == 1 && length->size() == 1) {
    shape = {half_spectrum(length->front()), bands->front()};
  } else if (const auto given = importer.declared_sizes(node, 0)) {
    shape = *given;
  } else {
    return importer.refuse(node, "the size of its result is computed from data");
  }
  const auto element = static_cast<ElementType>(node.integer("output_datatype", 1));
  return one(importer.emit_one(
      node, {.op = "fill", .attributes = result_attributes(shape, element), .element = element}, {}));
}

}  // namespace

HandlerRows signal_handlers() {
  static const HandlerRow rows[] = {
      {"DFT", import_dft}, {"STFT", import_stft}, {"MelWeightMatrix", import_mel_weights}};
  return rows;
}

}  // namespace roofcast::onnx
