#pragma once
// The folder with hardware_db/ and models/: what is in it, and what a name means.

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostics.hpp"
#include "engine/hardware/calibration.hpp"
#include "engine/hardware/device.hpp"
#include "engine/hardware/harness.hpp"
#include "engine/hardware/price.hpp"
#include "engine/hardware/priors.hpp"
#include "engine/hardware/runtime.hpp"

namespace roofcast {

/// A card and, if its name left a choice, what was taken.
struct FoundDevice {
  Device device{};
  std::string note{};
};

/// A profile and its file: below the root, or the one beside the card's file.
struct FoundCalibration {
  Calibration calibration{};
  std::string file{};
};

/// "folder/local.profile.toml" of the card file "folder/local.toml": where its profile belongs.
std::filesystem::path profile_beside(const std::filesystem::path& card);

/// A root that is known to hold both folders. Files are read when they are asked for, and only those that can
/// matter: a single prediction must not parse the whole database.
class DataFolder {
 public:
  static Result<DataFolder> open(const std::filesystem::path& root);

  const std::filesystem::path& root() const { return root_; }

  /// Names without `.toml`, sorted.
  std::vector<std::string> devices() const;
  std::vector<std::string> runtimes() const;
  std::vector<std::string> models() const;
  /// The folder with the families of config.json.
  std::filesystem::path families() const { return root_ / "models" / "families"; }

  /// A file (a path, `NAME.toml` or, for `NAME`, a `NAME.toml` in the current folder), else a card of the
  /// database by slug, name or alias, else one that an ambiguous name is taken for.
  Result<FoundDevice> find_device(const std::string& name) const;
  /// A card of the database by its slug.
  Result<Device> device(const std::string& slug) const;

  /// All clouds' offers of a card, by cloud, in the order of the files.
  Result<std::vector<Offer>> offers_for(std::string_view slug) const;

  Result<Runtime> runtime(const std::string& name) const;
  /// A set of priors by its name, with what it extends.
  Result<Priors> priors(const std::string& name) const;
  /// All ways of timing operators that are known, by name.
  Result<std::map<std::string, Harness, std::less<>>> harnesses() const;
  /// Those of the card's compute capability, else the general ones with wider ranges.
  Result<Priors> priors_for(const Device& device) const;
  /// Cards that have a profile, by slug, sorted.
  std::vector<std::string> calibrations() const;
  /// The card's own profile, if there is one: beside its file if it has one of its own, else of the database.
  Result<std::optional<FoundCalibration>> calibration_for(const Device& device) const;

  /// The file of a model: as given, with `.toml` added, the config.json of a folder, or in models/. A path,
  /// or a name with the ending of another format, is returned whether it exists or not.
  Result<std::filesystem::path> find_model_path(const std::string& name) const;

 private:
  explicit DataFolder(std::filesystem::path root) : root_(std::move(root)) {}
  Result<FoundDevice> find_in_database(const std::string& name) const;

  std::filesystem::path root_;
};

}  // namespace roofcast
