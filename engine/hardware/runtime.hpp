#pragma once
// What differs between frameworks, as data: mechanisms by name and costs with their source.

#include <map>
#include <string>

#include "engine/base/units.hpp"

namespace roofcast {

/// What the host does for each operator and each kernel, on a usual core.
struct HostCosts {
  Seconds call{};              ///< an operator: its module, dispatch, the result's memory
  Seconds training_call{};     ///< on top of it, to record what its gradient needs
  Seconds backward_call{};     ///< a step of the backward pass
  Seconds launch{};            ///< a kernel
  Seconds optimizer_tensor{};  ///< each learned tensor in the optimizer's step
  Seconds step{};              ///< once for a pass or a step of training
  double spread = 1;           ///< 80% of hosts need between 1 / spread and spread times as long
};

/// A framework and the way it runs a model. What `fused_attention` switches is `expand_attention` in
/// `engine/graph`, what `fuses_elementwise` does `fuse_elementwise` in `engine/lower`, and what
/// `folds_into_convolutions` does `fold_into_convolutions` there.
struct Runtime {
  std::string name{};  ///< file name: "pytorch-eager"
  std::string title{};
  bool fused_attention = true;  ///< one kernel that never writes the scores; false: matmul, softmax, matmul
  bool fuses_elementwise =
      false;  ///< chains of elementwise kernels become one, also with the reduction after them
  bool folds_into_convolutions =
      false;  ///< batch norm, sums and simple activations after a convolution become part of it
  bool channels_last = false;  ///< images are stored channels last, whatever the model was given
  bool replays = false;        ///< kernels are submitted as one recorded graph
  HostCosts host{};
  Seconds latency{};  ///< from submitting a kernel to its start
  Seconds gap{};      ///< between kernels that are already submitted
  double spread =
      1.1;          ///< versions and cards: 80% of times within this factor, if kernels and host were known
  Bytes context{};  ///< device memory taken before the first tensor: driver context, library handles
  std::map<std::string, std::string> sources{};
};

}  // namespace roofcast
