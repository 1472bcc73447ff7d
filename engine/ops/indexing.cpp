// Elements picked, put, copied to other places or sorted: their cost is bytes and, where places are computed,
// scattered access.

#include "engine/ops/families.hpp"
#include "engine/ops/rules.hpp"

namespace roofcast {
namespace {

using namespace rules;

constexpr AttributeRule gather_attributes[] = {
    {"shape", AttributeKind::sizes, true, "the shape of the result"},
    {"dtype", AttributeKind::word, false, "element type, if it is not real-valued"},
    {"row", AttributeKind::size, false, "elements in a row that are taken together, default 1"}};
constexpr AttributeRule result_attributes[] = {
    {"shape", AttributeKind::sizes, true, "the shape of the result"},
    {"dtype", AttributeKind::word, false, "element type, if it is not real-valued"}};
constexpr AttributeRule sample_attributes[] = {
    {"shape", AttributeKind::sizes, true, "the shape of the result"},
    {"taps", AttributeKind::size, false, "values that each element of the result is mixed from, default 4"}};

Expr row_of(const NodeView& node) {
  return node.attributes.size("row", Expr{1});
}

// y = x[indices]: rows of `row` elements, each at a computed place.
std::vector<KernelSpec> kernels_gather(const NodeView& node) {
  const Expr count = elements(node.outputs[0].shape);
  KernelSpec kernel{
      .name = "gather",
      .form = Gather<Expr>{.rows = floor_divide(count, row_of(node)), .row_elements = row_of(node)},
      .reads = {{Operand::input(0), count}},
      .writes = whole({Operand::output()})};
  for (std::size_t i = 1; i < node.inputs.size(); ++i)
    kernel.reads.push_back({Operand::input(static_cast<int>(i)), {}});
  return {kernel};
}

std::vector<GradientStep> gradient_gather(const NodeView& node) {
  GradientStep step{.op = "gather_backward",
                    .attributes = shape_attribute(node.inputs[0].shape),
                    .operands = {Operand::gradient()},
                    .targets = {Operand::input(0)}};
  step.attributes.set("row", row_of(node));
  for (std::size_t i = 1; i < node.inputs.size(); ++i)
    step.operands.push_back(Operand::input(static_cast<int>(i)));
  return {step};
}

// Zeros, then each row is added at its place.
std::vector<KernelSpec> kernels_gather_backward(const NodeView& node) {
  const Expr count = elements(node.inputs[0].shape);
  return {
      stream("fill", StreamKind::copy, elements(node.outputs[0].shape), 0, {}, whole({Operand::output()})),
      {.name = "scatter",
       .form =
           Gather<Expr>{
               .scatter = true, .rows = floor_divide(count, row_of(node)), .row_elements = row_of(node)},
       .operations = count,
       .reads = everything_read(node),
       .writes = {{Operand::output(), count}}}};
}

// A copy of the first input in which the last one is written at computed places.
Result<Inference> infer_scatter(const NodeView& node) {
  return Inference{.outputs = {{.type = node.inputs[0]}}};
}

std::vector<KernelSpec> kernels_scatter(const NodeView& node) {
  const int updates = static_cast<int>(node.inputs.size()) - 1;
  const Expr count = elements(node.inputs.back().shape);
  KernelSpec put{.name = "scatter",
                 .form = Gather<Expr>{.scatter = true,
                                      .rows = floor_divide(count, row_of(node)),
                                      .row_elements = row_of(node)},
                 .writes = {{Operand::output(), count}}};
  for (int i = 1; i <= updates; ++i) put.reads.push_back({Operand::input(i), {}});
  return {stream("copy", StreamKind::copy, elements(node.outputs[0].shape), 0, whole({Operand::input(0)}),
                 whole({Operand::output()})),
          put};
}

std::vector<GradientStep> gradient_scatter(const NodeView& node) {
  const int updates = static_cast<int>(node.inputs.size()) - 1;
  GradientStep taken{.op = "gather",
                     .attributes = shape_attribute(node.inputs.back().shape),
                     .operands = {Operand::gradient()},
                     .targets = {Operand::input(updates)}};
  for (int i = 1; i < updates; ++i) taken.operands.push_back(Operand::input(i));
  return {{.op = "identity", .operands = {Operand::gradient()}, .targets = {Operand::input(0)}}, taken};
}

// A copy into another shape: padding, tiling, rolling, space to depth.
std::vector<KernelSpec> kernels_rearrange(const NodeView& node) {
  const Expr count = elements(node.outputs[0].shape);
  return {stream("copy", StreamKind::copy, count, 0,
                 {{Operand::input(0), minimum(count, elements(node.inputs[0].shape))}},
                 whole({Operand::output()}))};
}

std::vector<GradientStep> gradient_rearrange(const NodeView& node) {
  return {{.op = "rearrange",
           .attributes = shape_attribute(node.inputs[0].shape),
           .operands = {Operand::gradient()},
           .targets = {Operand::input(0)}}};
}

// Values in order and where they came from. A radix sort of 32-bit keys goes over keys and places four times.
Result<Inference> infer_sort(const NodeView& node) {
  const Shape shape = node.attributes.sizes("shape");
  return Inference{.outputs = {{.type = {.shape = shape, .dtype = node.inputs[0].dtype}},
                               {.type = {.shape = shape, .dtype = DType::int64}}}};
}

std::vector<KernelSpec> kernels_sort(const NodeView& node) {
  constexpr std::int64_t passes = 4;
  constexpr std::int64_t index_bytes = 8;
  const Expr count = elements(node.inputs[0].shape);
  KernelSpec pass = stream("sort", StreamKind::copy, count, 2, whole({Operand::input(0)}),
                           {{Operand::output(0), {}}, {Operand::output(1), {}}});
  pass.further_bytes_read = count * Expr{index_bytes};
  pass.workspace_bytes = count * Expr{2 * index_bytes};
  pass.count = Expr{passes};
  return {pass};
}

std::vector<GradientStep> gradient_sort(const NodeView& node) {
  return {{.op = "gather_backward",
           .attributes = shape_attribute(node.inputs[0].shape),
           .operands = {Operand::gradient(), Operand::output(1)},
           .targets = {Operand::input(0)}}};
}

// Each element of the result is a mix of values around a computed place: grid_sample, roi_align.
std::vector<KernelSpec> kernels_sample(const NodeView& node) {
  const Expr count = elements(node.outputs[0].shape);
  const Expr taps = node.attributes.size("taps", Expr{4});
  KernelSpec kernel{.name = "sample",
                    .form = Gather<Expr>{.rows = count},
                    .operations = Expr{2} * count * taps,
                    .reads = {{Operand::input(0), minimum(count * taps, elements(node.inputs[0].shape))}},
                    .writes = whole({Operand::output()})};
  for (std::size_t i = 1; i < node.inputs.size(); ++i)
    kernel.reads.push_back({Operand::input(static_cast<int>(i)), {}});
  return {kernel};
}

std::vector<GradientStep> gradient_sample(const NodeView& node) {
  GradientStep step{.op = "gather_backward",
                    .attributes = shape_attribute(node.inputs[0].shape),
                    .operands = {Operand::gradient()},
                    .targets = {Operand::input(0)}};
  return {step};
}

// Boxes that overlap a better one go: all pairs of one class are compared, then a pass picks. The result's
// size depends on the data; `shape` is an upper bound.
Result<Inference> infer_select_boxes(const NodeView& node) {
  return Inference{.outputs = {{.type = {.shape = node.attributes.sizes("shape"), .dtype = DType::int64}}}};
}

std::vector<KernelSpec> kernels_select_boxes(const NodeView& node) {
  constexpr std::int64_t operations_per_pair =
      16;  // corners of the overlap, its area, the quotient, a comparison
  const Expr boxes = elements(node.inputs[1].shape);
  const Expr pairs = boxes * node.inputs[1].shape.back();
  KernelSpec kernel = stream("overlaps", StreamKind::elementwise, boxes, 0, everything_read(node),
                             whole({Operand::output()}));
  kernel.operations = pairs * Expr{operations_per_pair};
  return {kernel};
}

// An operator that nobody knows: its result is as large as the file says, its cost is missing.
std::vector<KernelSpec> kernels_opaque(const NodeView& node) {
  return no_kernels(node);
}

}  // namespace

OperatorRows indexing_operators() {
  constexpr int many = 64;
  static const Operator rows[] = {
      {.name = "gather",
       .summary = "elements or rows at computed places",
       .least_inputs = 1,
       .most_inputs = 3,
       .attributes = gather_attributes,
       .infer = like_shape_attribute,
       .gradient = gradient_gather,
       .kernels = kernels_gather},
      {.name = "scatter",
       .summary = "a copy of the first input with the last one written at computed places",
       .least_inputs = 2,
       .most_inputs = 3,
       .attributes = gather_attributes,
       .infer = infer_scatter,
       .gradient = gradient_scatter,
       .kernels = kernels_scatter},
      {.name = "rearrange",
       .summary = "a copy into another shape, as padding, tiling and rolling make",
       .attributes = result_attributes,
       .infer = like_shape_attribute,
       .gradient = gradient_rearrange,
       .kernels = kernels_rearrange},
      {.name = "sort",
       .summary = "values in order and their former places; also the largest few",
       .attributes = result_attributes,
       .infer = infer_sort,
       .gradient = gradient_sort,
       .kernels = kernels_sort},
      {.name = "sample",
       .summary = "values interpolated at computed places",
       .least_inputs = 1,
       .most_inputs = 4,
       .attributes = sample_attributes,
       .infer = like_shape_attribute,
       .gradient = gradient_sample,
       .kernels = kernels_sample},
      {.name = "select_boxes",
       .summary = "non-maximum suppression of boxes and scores",
       .least_inputs = 2,
       .most_inputs = 2,
       .attributes = result_attributes,
       .infer = infer_select_boxes,
       .gradient = no_gradient,
       .kernels = kernels_select_boxes},
      {.name = "gather_backward",
       .least_inputs = 1,
       .most_inputs = 3,
       .in_model_files = false,
       .infer = like_shape_attribute,
       .kernels = kernels_gather_backward},
      {.name = "opaque",
       .least_inputs = 0,
       .most_inputs = many,
       .in_model_files = false,
       .infer = like_shape_attribute,
       .gradient = no_gradient,
       .kernels = kernels_opaque},
  };
  return rows;
}

}  // namespace roofcast
