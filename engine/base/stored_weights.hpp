#pragma once
// What the files with a model's weights hold: tensors, their types as the file spells them, exact bytes.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace roofcast {

struct StoredTensor {
  std::string name{};
  std::string dtype{};  ///< as the format spells it: "BF16", "Q4_K"
  std::vector<std::int64_t> shape{};
  std::int64_t elements = 1;
  std::int64_t bytes = 0;
};

struct StoredWeights {
  std::string format{};                    ///< "safetensors" or "gguf"
  std::vector<StoredTensor> tensors{};     ///< empty where only an index is there
  std::int64_t bytes = 0;                  ///< of all tensors, without headers
  std::optional<std::int64_t> elements{};  ///< absent where only an index is there
  std::vector<std::pair<std::string, std::int64_t>> bytes_by_dtype{};  ///< most bytes first
  std::vector<std::string> files{};                                    ///< whose headers, or index, were read
  std::vector<std::string> notes{};
};

}  // namespace roofcast
