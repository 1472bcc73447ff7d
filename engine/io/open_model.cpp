#include "engine/io/open_model.hpp"

#include <fmt/format.h>

#include "engine/io/import_config/import_config.hpp"
#include "engine/io/load_model.hpp"
#include "engine/io/read_file.hpp"

namespace roofcast {

Result<Graph> open_model(const DataFolder& data, const std::filesystem::path& path,
                         const OpenOptions& options) {
  const auto text = read_text(path);
  if (!text) return tl::unexpected(text.error());
  if (path.extension() == ".json") {
    return import_config(*text, path.string(), data.families(), options.symbols);
  }
  return load_model(*text, path.string(), options.symbols);
}

}  // namespace roofcast
