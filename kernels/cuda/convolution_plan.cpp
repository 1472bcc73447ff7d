#include "kernels/cuda/convolution_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace roofcast {
namespace {

// What the library calls the tensors of a problem.
enum TensorId : std::int64_t { image_id = 1, weights_id = 2, result_id = 3 };

constexpr std::int64_t alignment = 16;  // bytes; operands lie at multiples of 256

cudnnDataType_t data_type(std::string_view precision) {
  if (precision == "fp16") return CUDNN_DATA_HALF;
  return precision == "bf16" ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
}

Result<CudnnDescriptor> describe_tensor(const CudnnFunctions& functions, const ImageTensor& tensor,
                                        std::string_view precision, std::int64_t id) {
  CudnnDescriptor made(functions, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  made.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, data_type(precision));
  made.set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, tensor.sizes.data());
  made.set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, tensor.strides.data());
  made.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, id);
  made.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, alignment);
  if (const auto done = made.finalize(); !done) return tl::make_unexpected(done.error());
  return made;
}

Result<CudnnDescriptor> describe_convolution(const CudnnFunctions& functions, const ConvolutionSizes& sizes) {
  using Pair = std::array<std::int64_t, 2>;
  const Pair padding = {sizes.padding, sizes.padding};
  const Pair stride = {sizes.stride, sizes.stride};
  const Pair dilation = {1, 1};
  CudnnDescriptor made(functions, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  made.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, std::int64_t{2});
  made.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
  made.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION);
  made.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, 2, padding.data());
  made.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, 2, padding.data());
  made.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, 2, dilation.data());
  made.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, 2, stride.data());
  if (const auto done = made.finalize(); !done) return tl::make_unexpected(done.error());
  return made;
}

/// Names of a pass's operation and its attributes.
struct PassNames {
  cudnnBackendDescriptorType_t operation{};
  cudnnBackendAttributeName_t convolution{};
  cudnnBackendAttributeName_t image{};
  cudnnBackendAttributeName_t weights{};
  cudnnBackendAttributeName_t result{};
  cudnnBackendAttributeName_t alpha{};
  cudnnBackendAttributeName_t beta{};
};

PassNames names_of(ConvolutionPass pass) {
  switch (pass) {
    case ConvolutionPass::forward: break;
    case ConvolutionPass::data_gradient:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
    case ConvolutionPass::weight_gradient:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
  }
  return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
}

/// The problem as a graph of one operation.
Result<CudnnDescriptor> describe_problem(const Cudnn& library, const ConvolutionProblem& problem) {
  const CudnnFunctions& functions = library.functions();
  const ConvolutionTensors tensors = convolution_tensors(problem.sizes, problem.precision);
  const auto image = describe_tensor(functions, tensors.image, problem.precision, image_id);
  const auto weights = describe_tensor(functions, tensors.weights, problem.precision, weights_id);
  const auto result = describe_tensor(functions, tensors.result, problem.precision, result_id);
  const auto convolution = describe_convolution(functions, problem.sizes);
  for (const auto* made : {&image, &weights, &result, &convolution}) {
    if (!*made) return tl::make_unexpected(made->error());
  }
  const PassNames names = names_of(problem.pass);
  CudnnDescriptor operation(functions, names.operation);
  operation.set(names.convolution, *convolution);
  operation.set(names.image, *image);
  operation.set(names.weights, *weights);
  operation.set(names.result, *result);
  operation.set(names.alpha, CUDNN_TYPE_FLOAT, 1.0F);
  operation.set(names.beta, CUDNN_TYPE_FLOAT, 0.0F);
  if (const auto done = operation.finalize(); !done) return tl::make_unexpected(done.error());
  CudnnDescriptor graph(functions, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
  if (library.handle() != nullptr)
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, library.handle());
  if (const auto done = graph.finalize(); !done) return tl::make_unexpected(done.error());
  return graph;
}

/// What the heuristics propose, best first. Empty if they have nothing.
std::vector<CudnnDescriptor> proposals(const Cudnn& library, const CudnnDescriptor& graph,
                                       cudnnBackendHeurMode_t mode) {
  constexpr std::int64_t most = 16;
  CudnnDescriptor heuristics(library.functions(), CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
  if (library.handle() == nullptr)
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, library.device_properties());
  if (!heuristics.finalize()) return {};
  std::vector<CudnnDescriptor> configurations;
  std::vector<cudnnBackendDescriptor_t> handles;
  for (std::int64_t i = 0; i < most; ++i) {
    configurations.emplace_back(library.functions(), CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    handles.push_back(configurations.back().handle());
  }
  const std::int64_t found =
      heuristics.get(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, most, handles.data());
  configurations.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(found, 0, most)));
  return configurations;
}

/// The kernel of a configuration, as far as the library tells.
struct Engine {
  std::int64_t index = -1;
  std::vector<cudnnBackendNumericalNote_t> notes{};

  bool has(cudnnBackendNumericalNote_t note) const { return std::ranges::find(notes, note) != notes.end(); }
};

Engine engine_of(const Cudnn& library, const CudnnDescriptor& configuration) {
  const CudnnDescriptor found(library.functions(), CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  cudnnBackendDescriptor_t handle = found.handle();
  Engine engine;
  if (configuration.get(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &handle) == 0)
    return engine;
  found.get(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &engine.index);
  engine.notes.resize(CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
  const std::int64_t notes = found.get(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                       CUDNN_NUMERICAL_NOTE_TYPE_COUNT, engine.notes.data());
  engine.notes.resize(
      static_cast<std::size_t>(std::clamp<std::int64_t>(notes, 0, CUDNN_NUMERICAL_NOTE_TYPE_COUNT)));
  return engine;
}

bool is_allowed(const Engine& engine, std::string_view precision) {
  if (engine.has(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS)) return false;
  return precision != "fp32" || !engine.has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
}

std::string describe(const Engine& engine, std::string_view precision, std::size_t workspace) {
  struct Note {
    cudnnBackendNumericalNote_t note{};
    const char* name = "";
  };
  constexpr std::array named = {Note{CUDNN_NUMERICAL_NOTE_TENSOR_CORE, "tensor_core"},
                                Note{CUDNN_NUMERICAL_NOTE_WINOGRAD, "winograd"},
                                Note{CUDNN_NUMERICAL_NOTE_FFT, "fft"},
                                Note{CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION, "reduced_reduction"},
                                Note{CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC, "nondeterministic"}};
  std::string text = fmt::format("layout={} engine={} workspace={}", precision == "fp32" ? "nchw" : "nhwc",
                                 engine.index, workspace);
  for (const Note& each : named) {
    if (engine.has(each.note)) text += fmt::format(" {}", each.name);
  }
  return text;
}

Result<CudnnDescriptor> build_plan(const Cudnn& library, const CudnnDescriptor& configuration) {
  CudnnDescriptor plan(library.functions(), CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
  if (library.handle() != nullptr) {
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, library.handle());
  } else {
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, library.device_properties());
  }
  if (const auto done = plan.finalize(); !done) return tl::make_unexpected(done.error());
  return plan;
}

}  // namespace

Result<ConvolutionPlan> plan_convolution(const Cudnn& library, const ConvolutionProblem& problem) {
  const auto graph = describe_problem(library, problem);
  if (!graph) return tl::make_unexpected(graph.error());
  for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    for (const CudnnDescriptor& configuration : proposals(library, *graph, mode)) {
      const Engine engine = engine_of(library, configuration);
      if (!is_allowed(engine, problem.precision)) continue;
      auto plan = build_plan(library, configuration);
      if (!plan) continue;
      std::int64_t workspace = 0;
      plan->get(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &workspace);
      const auto bytes = static_cast<std::size_t>(std::max<std::int64_t>(workspace, 0));
      if (bytes > most_convolution_workspace) continue;
      return ConvolutionPlan{*std::move(plan), bytes, describe(engine, problem.precision, bytes)};
    }
  }
  return fail("cuDNN has no kernel for the convolution");
}

cudnnStatus_t run_convolution(const Cudnn& library, const ConvolutionPlan& plan, ConvolutionPass pass,
                              const CudaOperands& operands, void* workspace, cudaStream_t stream) {
  constexpr std::array forward = {image_id, weights_id, result_id};
  constexpr std::array data_gradient = {result_id, weights_id, image_id};
  constexpr std::array weight_gradient = {image_id, result_id, weights_id};
  const auto& order = pass == ConvolutionPass::forward         ? forward
                      : pass == ConvolutionPass::data_gradient ? data_gradient
                                                               : weight_gradient;
  const std::array<std::int64_t, 3> ids = {order[0], order[1], order[2]};
  const std::array<const void*, 3> places = {operands.inputs[0], operands.inputs[1], operands.results};
  CudnnDescriptor pack(library.functions(), CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, 3, ids.data());
  pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, 3, places.data());
  pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, workspace);
  if (!pack.finalize()) return CUDNN_STATUS_BAD_PARAM;
  const auto status = library.functions().set_stream(library.handle(), stream);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  return library.functions().execute(library.handle(), plan.plan.handle(), pack.handle());
}

}  // namespace roofcast
