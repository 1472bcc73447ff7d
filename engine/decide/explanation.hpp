#pragma once
// One configuration taken apart: every layer, every kernel, every term of its time.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/evidence.hpp"
#include "engine/base/stored_weights.hpp"
#include "engine/base/units.hpp"
#include "engine/decide/answer.hpp"
#include "engine/kernel_time/terms.hpp"

namespace roofcast {

/// A kernel of a layer; repeated layers appear once with their count unless the request expands them.
struct ExplainedKernel {
  std::string layer{};                ///< "encoder.query"; with `expand` "encoder.3.query"
  std::string op{};                   ///< operator: "linear"
  std::string phase{};                ///< "forward", "backward" or "optimizer"
  std::string kernel{};               ///< "gemm"
  std::string family{};               ///< kernel family that sets the efficiencies
  std::string form{};                 ///< "m=4096 n=768 k=768"
  std::string arithmetic{};           ///< "fp16 Tensor Core"
  std::vector<std::string> inputs{};  ///< "8x128x768:fp16", one a tensor
  std::vector<std::string> outputs{};
  std::int64_t count = 1;  ///< how often it runs: repetitions times launches in a row
  // Everything below is for one launch.
  std::int64_t parameters = 0;  ///< learned values of the layer, on its first forward kernel
  double macs = 0;
  double flops = 0;  ///< 2 x MACs
  double other_operations = 0;
  double executed_macs = 0;  ///< what this kernel really multiplies: with recomputation
  Bytes read{};
  Bytes written{};
  double intensity = 0;  ///< operations per byte moved
  Seconds time{};
  Bound bound = Bound::memory;
  Evidence evidence = Evidence::data_sheet;
  std::vector<TimeTerm> terms{};
};

struct Explanation {
  AnswerRow row{};  ///< the configuration and its totals
  std::string hw_name{};
  std::vector<ExplainedKernel> kernels{};
  std::int64_t parameters = 0;
  double macs = 0;
  double flops = 0;
  std::vector<std::string> assumptions{};
};

/// What a model is, at its symbols' values; for `show model`.
struct ModelSummary {
  std::string name{};
  std::string file{};
  std::int64_t parameters = 0;            ///< learned values, shared ones once
  std::int64_t parameters_active = 0;     ///< those that one token needs; fewer with experts
  std::int64_t statistics = 0;            ///< stored values that are not learned, such as running means
  std::int64_t initializer_elements = 0;  ///< elements of everything that the model's file stores
  std::int64_t macs = 0;                  ///< one forward pass at the bound symbols (whole batch)
  std::int64_t flops = 0;                 ///< 2 x MACs
  std::int64_t other_operations = 0;      ///< of everything that is no matrix product
  std::int64_t activation_elements = 0;   ///< output elements of convolutions and linear layers
  std::int64_t nodes = 0;  ///< operators executed, repeated blocks counted as often as they run
  std::vector<std::pair<std::string, std::int64_t>> symbols{};
  std::vector<std::pair<std::string, std::string>> inputs{};  ///< name, "8x128:int64"
  std::vector<std::pair<std::string, std::string>> outputs{};
  std::vector<std::pair<std::string, std::int64_t>> operators{};  ///< operator name, how many
  std::vector<std::string> notes{};
  std::optional<StoredWeights> weights{};  ///< of the files that hold the model's weights
  bool weights_only = false;               ///< there is nothing else: all counts are unknown
};

}  // namespace roofcast
