#pragma once
// What runs on the device: kernels in order, the tensors that they touch, repeats folded. One Program feeds
// time and memory.

#include <string>
#include <vector>

#include "engine/base/kernel_form.hpp"
#include "engine/base/precision.hpp"
#include "engine/graph/typed_graph.hpp"

namespace roofcast {

/// What a kernel reads or writes of one tensor.
struct KernelAccess {
  TensorId tensor = 0;
  Expr elements{0};
  Expr bytes{0};
};

struct Kernel {
  std::string name{};
  KernelForm<Expr> form{};
  Arithmetic arithmetic = Arithmetic::vector_fp32;
  Expr macs{0};             ///< by the operator's definition
  Expr recomputed_macs{0};  ///< on top, to save memory
  Expr operations{0};       ///< that are no multiply-adds
  std::vector<KernelAccess> reads{};
  std::vector<KernelAccess> writes{};
  /// Of `reads`, what was touched before in the same phase: at most `most_reused` - 1 distances. The bytes of
  /// the others were touched a step ago. Both by lower/reuse_distance.hpp.
  std::vector<Reuse<Expr>> reused{};
  Expr reused_from_last_step{0};
  Expr bytes_read{0};  ///< of `reads`, and of data that is no tensor of the program
  Expr bytes_written{0};
  Expr workspace_bytes{0};
  Expr count{1};  ///< launches in a row
};

/// A node of the graph with its kernels. Views and free operators have none.
struct Step {
  std::string name{};
  std::string_view op{};
  Phase phase = Phase::forward;
  RegionId region = no_region;
  std::vector<TensorId> inputs{};  ///< with parameters
  std::vector<TensorId> outputs{};
  Expr parameters{0};      ///< learned values that this step is the first to use, per repetition
  Expr layer_elements{0};  ///< output elements if it is a convolution or a linear layer
  std::vector<Kernel> kernels{};
  bool called = true;  ///< the host calls it; false for views in compiled code
  bool reuses_inputs =
      false;  ///< results may take the memory of equally large operands that nobody needs any more
};

struct ProgramTensor {
  std::string name{};
  Shape shape{};
  DType dtype = DType::fp32;
  Expr bytes{0};
  TensorRole role = TensorRole::activation;
  RegionId region = no_region;
  TensorId storage = 0;
  std::optional<Expr> used_per_token{};  ///< of a learned tensor: the values that one token needs, if not all
};

struct Program {
  std::string model{};
  Task task = Task::inference;
  PrecisionPolicy precision{};
  std::optional<Optimizer> optimizer{};
  std::vector<Symbol> symbols{};
  std::vector<ProgramTensor> tensors{};
  std::vector<TypedRegion> regions{};
  std::vector<Step> steps{};
  std::vector<TensorId> inputs{};
  std::vector<TensorId> outputs{};
  std::vector<Constraint> constraints{};
  std::optional<Expr> tokens{};
  /// Of the files with the model's weights, if it runs in the format that they have: bytes for each stored
  /// value.
  std::optional<double> stored_bytes_per_value{};
  std::vector<std::string> notes{};
  Expr moved_bytes{0};  ///< by all kernels of a step: the reuse distance of what was touched a step ago

  Expr multiplicity(RegionId region) const;
};

/// The kernels of each node. All element types must be set. `channels_last`: images are stored
/// [batch, height, width, channels].
Program lower(const TypedGraph& graph, const PrecisionPolicy& policy, bool channels_last = false);

}  // namespace roofcast
