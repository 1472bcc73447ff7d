#include "engine/io/load_model.hpp"

#include "engine/io/model_file.hpp"

namespace roofcast {
namespace {

Result<Graph> load(std::string_view text, const std::string& file, const BuildOptions& options) {
  const auto model = read_model_file(text, file);
  if (!model) return tl::unexpected(model.error());
  return build_graph(*model, options);
}

}  // namespace

Result<Graph> load_model(std::string_view text, const std::string& file, const Bindings& symbols) {
  return load(text, file, {.symbols = symbols});
}

Result<Graph> load_model_unrolled(std::string_view text, const std::string& file) {
  return load(text, file, {.unroll = true});
}

}  // namespace roofcast
