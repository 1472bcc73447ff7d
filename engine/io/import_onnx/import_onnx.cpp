#include "engine/io/import_onnx/import_onnx.hpp"

#include "engine/io/import_onnx/importer.hpp"
#include "engine/io/import_onnx/read_model.hpp"

namespace roofcast {
namespace {

Result<Graph> import_model(const Result<onnx::Model>& model, const std::string& file,
                           const OpenOptions& options) {
  if (!model) return tl::unexpected(model.error());
  return onnx::Importer(*model, file, options).run();
}

}  // namespace

Result<Graph> import_onnx(const std::filesystem::path& path, const OpenOptions& options) {
  return import_model(onnx::read_model(path), path.string(), options);
}

Result<Graph> import_onnx_bytes(std::string_view bytes, const std::string& file, const OpenOptions& options) {
  return import_model(onnx::parse_model(bytes, file), file, options);
}

}  // namespace roofcast
