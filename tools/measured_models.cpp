#include "tools/measured_models.hpp"

#include <filesystem>
#include <memory>
#include <system_error>

#include "engine/io/model_catalogue.hpp"

namespace roofcast {
namespace {

using Catalogue = std::vector<CatalogueEntry>;

// Without a table all models are ours.
Result<CatalogueEntry> entry_of(const Catalogue& catalogue, const std::string& key, std::int64_t image_size) {
  const auto size = image_size > 0 ? std::optional{image_size} : std::nullopt;
  if (catalogue.empty()) return CatalogueEntry{.key = key, .image_size = size};
  return find_entry(catalogue, key, size);
}

}  // namespace

Result<OpenMeasuredModel> measured_models(const DataFolder& data, const std::string& folder) {
  const std::filesystem::path path = std::filesystem::path(folder) / "models.csv";
  std::error_code error;
  auto catalogue = std::filesystem::exists(path, error) ? load_catalogue(path) : Catalogue{};
  if (!catalogue) return tl::make_unexpected(catalogue.error());
  const auto shared = std::make_shared<const Catalogue>(*std::move(catalogue));
  return OpenMeasuredModel{
      [&data, shared](const std::string& key, std::int64_t image_size) -> Result<MeasuredModel> {
        const auto entry = entry_of(*shared, key, image_size);
        if (!entry) return tl::make_unexpected(entry.error());
        auto model = open_entry(data, *entry);
        if (!model) return tl::make_unexpected(model.error());
        return MeasuredModel{.graph = std::move(model->graph), .symbols = std::move(model->symbols)};
      }};
}

}  // namespace roofcast
