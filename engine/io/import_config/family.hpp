#pragma once
// The families of models/families/: which file describes the model of a configuration.

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/diagnostics.hpp"
#include "engine/io/import_config/config.hpp"
#include "engine/io/model_file.hpp"
#include "engine/io/toml_reader.hpp"

namespace roofcast {

/// The table [config] of a family's file.
struct FamilyRules {
  std::vector<std::string> model_types{};
  std::vector<std::string> architectures{};  ///< or diffusers' _class_name
  std::vector<std::string> shared{};         ///< files of shared/ whose blocks it uses
};

FamilyRules read_family_rules(TableReader table);

/// A family's file and the part of the configuration that it describes.
struct Family {
  TextFile file{};
  std::vector<TextFile> shared{};
  Config config{};
  std::vector<std::string> notes{};  ///< what of the model it leaves out
};

/// The family of `config` among the files of `folder`: by model_type, else by class, else by the keys that
/// are there. A model inside another (text_config) stands for the whole if no family knows the whole.
Result<Family> find_family(const std::filesystem::path& folder, const Config& config);

}  // namespace roofcast
