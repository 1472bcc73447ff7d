#include "engine/io/open_model.hpp"

#include <fmt/format.h>

#include "engine/io/import_onnx/import_onnx.hpp"
#include "engine/io/load_model.hpp"
#include "engine/io/read_file.hpp"

namespace roofcast {

Result<Graph> open_model(const DataFolder& /*data*/, const std::filesystem::path& path,
                         const OpenOptions& options) {
  if (path.extension() == ".onnx") return import_onnx(path, options);
  const auto text = read_text(path);
  if (!text) return tl::unexpected(text.error());
  return load_model(*text, path.string());
}

}  // namespace roofcast
