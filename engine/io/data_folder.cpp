#include "engine/io/data_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "engine/io/load_calibration.hpp"
#include "engine/io/load_device.hpp"
#include "engine/io/load_harness.hpp"
#include "engine/io/load_offers.hpp"
#include "engine/io/load_priors.hpp"
#include "engine/io/load_runtime.hpp"
#include "engine/io/named_file.hpp"
#include "engine/io/read_file.hpp"
#include "engine/io/weights/safetensors.hpp"

namespace roofcast {
namespace {

std::filesystem::path toml_file(const std::filesystem::path& folder, const std::string& stem) {
  return folder / (stem + ".toml");
}

// Reads hardware_db/<folder>/<name>.toml with its loader; an unknown name gets a suggestion. Only a listed
// name is turned into a path, so "../secret" is an unknown name.
template <class Load>
auto load_named(const std::filesystem::path& folder, std::string_view what, const std::string& name,
                Load&& load) -> decltype(load(std::string_view{}, std::string{})) {
  const std::vector<std::string> known = toml_stems(folder);
  if (!std::ranges::binary_search(known, name)) {
    return fail(fmt::format("unknown {} '{}'", what, name), {},
                did_you_mean(name, known, fmt::format("known: {}", fmt::join(known, ", "))));
  }
  const std::filesystem::path file = toml_file(folder, name);
  const auto text = read_text(file);
  if (!text) return tl::make_unexpected(text.error());
  return load(*text, file.string());
}

}  // namespace

std::filesystem::path profile_beside(const std::filesystem::path& card) {
  return std::filesystem::path(card).replace_extension(".profile.toml");
}

Result<DataFolder> DataFolder::open(const std::filesystem::path& root) {
  std::error_code error;
  for (const char* folder : {"hardware_db", "models"}) {
    if (std::filesystem::is_directory(root / folder, error)) continue;
    return fail(fmt::format("no folder '{}' in here", folder), Location{.file = root.string()},
                "the data folder holds hardware_db/ and models/");
  }
  return DataFolder(root);
}

std::vector<std::string> DataFolder::devices() const {
  return toml_stems(root_ / "hardware_db" / "gpus");
}
std::vector<std::string> DataFolder::runtimes() const {
  return toml_stems(root_ / "hardware_db" / "runtimes");
}
std::vector<std::string> DataFolder::models() const {
  return toml_stems(root_ / "models");
}

Result<Device> DataFolder::device(const std::string& slug) const {
  return load_named(root_ / "hardware_db" / "gpus", "card", slug, load_device);
}

Result<FoundDevice> DataFolder::find_device(const std::string& name) const {
  const auto existing = existing_file(name);
  if (!existing && !is_path(name)) return find_in_database(without_toml(name));
  const std::filesystem::path file = existing.value_or(name);  // reading what is no file says why it is none
  const auto text = read_text(file);
  if (!text) return tl::make_unexpected(text.error());
  auto device = load_device(*text, file.string());
  if (!device) return tl::make_unexpected(device.error());
  device->file = file.string();
  // Somebody who wrote just a name may not know that a file of that name lies in the current folder.
  const bool expected = is_path(name) || name.ends_with(".toml");
  return FoundDevice{*std::move(device),
                     expected
                         ? std::string{}
                         : fmt::format("'{}' was read from {}, not from the database", name, file.string())};
}

Result<std::vector<Offer>> DataFolder::offers_for(std::string_view slug) const {
  std::vector<Offer> offers;
  const std::filesystem::path folder = root_ / "hardware_db" / "clouds";
  const std::string quoted = fmt::format("\"{}\"", slug);
  for (const std::string& cloud : toml_stems(folder)) {
    const std::filesystem::path file = toml_file(folder, cloud);
    const auto text = read_text(file);
    if (!text) return tl::make_unexpected(text.error());
    if (text->find(quoted) == std::string::npos) continue;
    auto loaded = load_offers(*text, file.string());
    if (!loaded) return tl::make_unexpected(loaded.error());
    std::ranges::copy_if(*loaded, std::back_inserter(offers),
                         [&](const Offer& offer) { return offer.gpu == slug; });
  }
  return offers;
}

Result<Runtime> DataFolder::runtime(const std::string& name) const {
  return load_named(root_ / "hardware_db" / "runtimes", "runtime", name, load_runtime);
}

Result<Priors> DataFolder::priors(const std::string& name) const {
  const auto find = [&](const std::string& base) -> Result<Priors> {
    if (base == name) return fail(fmt::format("priors '{}' extend themselves", name));
    return priors(base);
  };
  return load_named(
      root_ / "hardware_db" / "priors", "set of priors", name,
      [&](std::string_view text, const std::string& file) { return load_priors(text, file, find); });
}

Result<Priors> DataFolder::priors_for(const Device& device) const {
  const std::vector<std::string> known = toml_stems(root_ / "hardware_db" / "priors");
  if (std::ranges::binary_search(known, device.compute_capability)) return priors(device.compute_capability);
  auto general = priors("base");
  constexpr double unknown_architecture = 2;
  if (general) general->widened *= unknown_architecture;
  return general;
}

std::vector<std::string> DataFolder::calibrations() const {
  return toml_stems(root_ / "hardware_db" / "calibrations");
}

Result<std::optional<FoundCalibration>> DataFolder::calibration_for(const Device& device) const {
  std::error_code error;
  const bool beside = !device.file.empty() && std::filesystem::exists(profile_beside(device.file), error);
  if (!beside && !std::ranges::binary_search(calibrations(), device.slug)) return std::nullopt;
  const auto architecture = priors_for(device);
  if (!architecture) return tl::make_unexpected(architecture.error());
  const std::filesystem::path file =
      beside ? profile_beside(device.file)
             : toml_file(std::filesystem::path("hardware_db") / "calibrations", device.slug);
  const std::filesystem::path place = beside ? file : root_ / file;
  const auto text = read_text(place);
  if (!text) return tl::make_unexpected(text.error());
  auto calibration = load_calibration(*text, place.string(), device, *architecture);
  if (!calibration) return tl::make_unexpected(calibration.error());
  return FoundCalibration{*std::move(calibration), file.string()};
}

Result<std::map<std::string, Harness, std::less<>>> DataFolder::harnesses() const {
  const std::filesystem::path folder = root_ / "hardware_db" / "harnesses";
  std::map<std::string, Harness, std::less<>> all;
  for (const std::string& name : toml_stems(folder)) {
    auto harness = load_named(folder, "harness", name, load_harness);
    if (!harness) return tl::make_unexpected(harness.error());
    all.emplace(name, *std::move(harness));
  }
  return all;
}

Result<std::filesystem::path> DataFolder::find_model_path(const std::string& name) const {
  if (auto file = existing_file(name)) return *std::move(file);
  if (name.ends_with(".onnx") || name.ends_with(".json") || name.ends_with(".gguf") ||
      is_safetensors_name(name))
    return name;
  const std::vector<std::string> known = models();
  std::error_code error;
  if (std::filesystem::is_directory(name, error) && !std::ranges::binary_search(known, name)) {
    return std::filesystem::path(name) / "config.json";
  }
  if (is_path(name)) return name;  // reading it says why it is none
  const std::string stem = without_toml(name);
  if (std::ranges::binary_search(known, stem)) return toml_file(root_ / "models", stem);
  const std::string guess = did_you_mean(stem, known);
  return fail(fmt::format("unknown model '{}'", name), {},
              fmt::format("{}{}`simulate list models` prints them all; a file of yours needs its path", guess,
                          guess.empty() ? "" : " "));
}

}  // namespace roofcast
