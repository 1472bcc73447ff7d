#include "tools/measured_models.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include "engine/io/model_catalogue.hpp"
#include "engine/io/open_model.hpp"

namespace roofcast {
namespace {

using Catalogue = std::vector<CatalogueEntry>;

Result<Catalogue> catalogue_of(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "models.csv";
  std::error_code error;
  return std::filesystem::exists(file, error) ? load_catalogue(file) : Catalogue{};
}

Result<CatalogueModel> open_ours(const DataFolder& data, const std::string& key, std::int64_t image_size) {
  const auto path = data.find_model_path(key);
  if (!path) return tl::make_unexpected(path.error());
  return open_entry(data,
                    {.key = key,
                     .file = *path,
                     .image_size = image_size > 0 ? std::optional<std::int64_t>(image_size) : std::nullopt});
}

Result<CatalogueModel> open_model_of(const DataFolder& data, const Catalogue& catalogue,
                                     const std::string& key, std::int64_t image_size) {
  if (std::ranges::find(catalogue, key, &CatalogueEntry::key) == catalogue.end())
    return open_ours(data, key, image_size);
  const auto entry =
      find_entry(catalogue, key, image_size > 0 ? std::optional<std::int64_t>(image_size) : std::nullopt);
  if (!entry) return tl::make_unexpected(entry.error());
  return open_entry(data, *entry);
}

}  // namespace

Result<OpenMeasuredModel> measured_models(const DataFolder& data, const std::string& folder) {
  auto loaded = catalogue_of(folder);
  if (!loaded) return tl::make_unexpected(loaded.error());
  const auto catalogue = std::make_shared<const Catalogue>(*std::move(loaded));
  return OpenMeasuredModel{
      [&data, catalogue](const std::string& key, std::int64_t image_size) -> Result<MeasuredModel> {
        auto opened = open_model_of(data, *catalogue, key, image_size);
        if (!opened) return tl::make_unexpected(opened.error());
        MeasuredModel model{.graph = std::move(opened->graph)};
        // Symbols that only decided how the file was read are none of the graph's.
        for (const Symbol& symbol : model.graph.symbols) {
          if (const auto value = opened->symbols.find(symbol.name); value != opened->symbols.end())
            model.symbols.insert(*value);
        }
        return model;
      }};
}

}  // namespace roofcast
