#pragma once
// A table of models that measurements name by a key: which file describes each, and at which sizes.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/diagnostics.hpp"
#include "engine/base/expression.hpp"
#include "engine/graph/graph.hpp"
#include "engine/io/csv_reader.hpp"
#include "engine/io/data_folder.hpp"

namespace roofcast {

/// One row of the table.
struct CatalogueEntry {
  std::string key{};
  std::filesystem::path file{};  ///< empty: models/KEY.toml of the data folder
  Bindings symbols{};            ///< of the model, such as masked_lm = 1
  std::map<std::string, std::int64_t>
      stated{};                                ///< sizes that the row says the model has, by the row's words
  std::optional<std::int64_t> image_size{};    ///< pixels per side; none: the model has no image, or any size
  std::optional<double> million_parameters{};  ///< as printed by the model's publishers
  Location where{};
};

/// Reads the columns model_key, file (relative to the table's folder), args, params_m and image_size of a
/// table. `args` are words such as `head=span` or `layers=24`; a word that nobody knows is an error.
Result<std::vector<CatalogueEntry>> read_catalogue(const CsvTable& table);
Result<std::vector<CatalogueEntry>> load_catalogue(const std::filesystem::path& path);

/// The row of a key. A key may have several rows, one for each image size; without an image size the first
/// counts. A row without an image size has all: the result has the one that is asked for.
Result<CatalogueEntry> find_entry(const std::vector<CatalogueEntry>& catalogue, const std::string& key,
                                  std::optional<std::int64_t> image_size = {});

/// A model and the sizes that it is meant to be predicted with.
struct CatalogueModel {
  Graph graph{};
  Bindings symbols{};
};

/// Opens the model of a row. `symbols`, such as batch and seq, come on top of the row's. A model with other
/// sizes than the row states is an error. A file that was exported at another image size is read at the
/// row's.
Result<CatalogueModel> open_entry(const DataFolder& data, const CatalogueEntry& entry,
                                  const Bindings& symbols = {});

}  // namespace roofcast
