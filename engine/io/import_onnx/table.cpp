#include <algorithm>
#include <array>
#include <map>

#include "engine/io/import_onnx/handlers.hpp"

namespace roofcast::onnx {
namespace {

using Table = std::map<std::string_view, Handler>;

const Table& table() {
  static const Table all = [] {
    Table rows;
    for (const HandlerRows family :
         {linear_handlers(),        einsum_handlers(),     convolution_handlers(), pooling_handlers(),
          normalization_handlers(), activation_handlers(), elementwise_handlers(), selection_handlers(),
          reduction_handlers(),     shape_handlers(),      slice_handlers(),       copy_handlers(),
          indexing_handlers(),      source_handlers(),     control_handlers(),     recurrent_handlers(),
          quantization_handlers(),  attention_handlers(),  contrib_handlers(),     generation_handlers(),
          signal_handlers(),        sequence_handlers(),   loss_handlers(),        text_handlers(),
          classic_handlers()}) {
      for (const HandlerRow& row : family) rows.emplace(row.op, row.handler);
    }
    return rows;
  }();
  return all;
}

}  // namespace

// ONNX Runtime's operators have names of their own, so one table serves; layouts of its optimiser change no
// shape that matters. Other domains may mean anything by a known name.
Handler find_handler(std::string_view domain, std::string_view op) {
  constexpr std::array known = {std::string_view{},
                                std::string_view{"ai.onnx.ml"},
                                std::string_view{"com.microsoft"},
                                std::string_view{"com.microsoft.nchwc"},
                                std::string_view{"com.microsoft.experimental"},
                                std::string_view{"ai.onnx.preview.training"},
                                std::string_view{"ai.onnx.training"}};
  if (std::ranges::find(known, domain) == known.end()) return nullptr;
  const auto found = table().find(op);
  return found == table().end() ? nullptr : found->second;
}

std::vector<std::string> known_operators() {
  std::vector<std::string> names;
  for (const auto& [name, handler] : table()) names.emplace_back(name);
  return names;
}

}  // namespace roofcast::onnx
