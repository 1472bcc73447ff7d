#include "tools/measured_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <system_error>

#include "engine/io/csv_reader.hpp"
#include "engine/io/open_model.hpp"

namespace roofcast {
namespace {

/// (key, image size) -> file; size 0: any.
using Files = std::map<std::pair<std::string, std::int64_t>, std::string>;

Result<Files> read_files(const std::filesystem::path& path) {
  Files files;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return files;
  const auto table = read_csv(path);
  if (!table) return tl::make_unexpected(table.error());
  for (const CsvRow& row : table->rows) {
    std::int64_t size = 0;
    const std::string_view text = table->field(row, "image_size");
    std::from_chars(text.data(), text.data() + text.size(), size);
    files.emplace(std::pair{std::string(table->field(row, "model_key")), size}, table->field(row, "file"));
  }
  return files;
}

std::string file_of(const Files& files, const std::string& key, std::int64_t image_size) {
  for (const std::int64_t size : {image_size, std::int64_t{0}}) {
    if (const auto found = files.find({key, size}); found != files.end()) return found->second;
  }
  return {};
}

}  // namespace

Result<OpenMeasuredModel> measured_models(const DataFolder& data, const std::string& folder) {
  auto files = read_files(std::filesystem::path(folder) / "models.csv");
  if (!files) return tl::make_unexpected(files.error());
  const auto shared = std::make_shared<const Files>(*std::move(files));
  return OpenMeasuredModel{
      [&data, folder, shared](const std::string& key, std::int64_t image_size) -> Result<MeasuredModel> {
        const std::string file = file_of(*shared, key, image_size);
        const auto path = file.empty() ? data.find_model_path(key)
                                       : Result<std::filesystem::path>(std::filesystem::path(folder) / file);
        if (!path) return tl::make_unexpected(path.error());
        auto graph = open_model(data, *path);
        if (!graph) return tl::make_unexpected(graph.error());
        MeasuredModel model{.graph = *std::move(graph)};
        const bool resizable = std::ranges::any_of(
            model.graph.symbols, [](const Symbol& symbol) { return symbol.name == "image_size"; });
        if (resizable && image_size > 0) model.symbols["image_size"] = image_size;
        return model;
      }};
}

}  // namespace roofcast
