#include "engine/io/open_model.hpp"

#include <fmt/format.h>

#include "engine/io/import_config/import_config.hpp"
#include "engine/io/import_onnx/import_onnx.hpp"
#include "engine/io/load_model.hpp"
#include "engine/io/model_variant.hpp"
#include "engine/io/read_file.hpp"
#include "engine/io/weights/open_weights.hpp"
#include "engine/io/weights/safetensors.hpp"

namespace roofcast {

Result<Graph> open_model(const DataFolder& data, const std::filesystem::path& path,
                         const OpenOptions& options) {
  const std::string name = path.filename().string();
  if (name.ends_with(".gguf")) return open_gguf(data, path, options);
  if (is_safetensors_name(name)) return open_safetensors(data, path, options);
  if (path.extension() == ".onnx") return import_onnx(path, options);
  const auto text = read_text(path);
  if (!text) return tl::unexpected(text.error());
  if (path.extension() == ".json") {
    auto graph = import_config(*text, path.string(), data.families(), options.symbols);
    return graph ? with_weights_beside(*std::move(graph), path) : std::move(graph);
  }
  if (is_variant(*text)) return load_variant(*text, path, data.families(), options.symbols);
  return load_model(*text, path.string(), options.symbols);
}

}  // namespace roofcast
