#include "engine/io/load_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/io/read_priors.hpp"

namespace roofcast {
namespace {

CalibrationMethod read_method(TableReader& table) {
  const std::string method = filled_text(table, "method");
  if (method == "published") return CalibrationMethod::published;
  if (method != "measured" && !method.empty()) {
    table.complain(fmt::format("unknown method '{}'", method), table.where("method"),
                   "write \"measured\" or \"published\"");
  }
  return CalibrationMethod::measured;
}

Provenance read_provenance(TableReader& file) {
  TableReader table = file.table("provenance", true);
  Provenance provenance;
  if (!file.has("provenance")) return provenance;
  provenance.device = filled_text(table, "device");
  provenance.date = table.has("date") ? read_date(table, "date") : table.required_text("date");
  provenance.method = read_method(table);
  provenance.samples = positive_integer(table, "samples", Presence::required).value_or(0);
  provenance.samples_hash = filled_text(table, "samples_hash");
  provenance.tool_version = table.text("tool_version").value_or("");
  provenance.driver = table.text("driver").value_or("");
  provenance.libraries = table.text("libraries").value_or("");
  provenance.clocks = table.text("clocks").value_or("");
  if (const auto watts = positive_number(table, "power_limit_watts", Presence::optional))
    provenance.power_limit = Watts{*watts};
  table.finish();
  return provenance;
}

double read_error(TableReader& table, std::string_view key) {
  const double error = table.required_number(key);
  if (!(error >= 0))
    table.complain(fmt::format("'{}' must be at least 0, not {}", key, error), table.where(key));
  return error;
}

std::vector<HeldOutErrors> read_held_out(TableReader& file) {
  std::vector<HeldOutErrors> all;
  if (!file.has("held_out")) {
    file.expect("held_out");
    return all;
  }
  TableReader stages = file.table("held_out");
  std::vector<std::string> names;
  for (const auto& [key, node] : stages.raw()) names.emplace_back(key.str());
  std::ranges::sort(names);
  for (const std::string& name : names) {
    TableReader table = stages.table(name, true);
    if (!stages.has_table(name)) continue;
    HeldOutErrors errors{.stage = name};
    errors.samples = positive_integer(table, "samples", Presence::required).value_or(0);
    errors.median = read_error(table, "median");
    errors.p90 = read_error(table, "p90");
    table.finish();
    all.push_back(std::move(errors));
  }
  return all;
}

}  // namespace

Result<Calibration> load_calibration(std::string_view text, const std::string& file, const Device& device,
                                     const Priors& architecture) {
  const auto parsed = parse_toml(text, file);
  if (!parsed) return tl::make_unexpected(parsed.error());
  Diagnostics problems;
  TableReader reader(*parsed, file, problems);
  // What it extends is checked below, with its place.
  auto read = read_priors(
      reader, file, [&](const std::string& /*name*/) -> Result<Priors> { return architecture; }, problems);
  if (!read) return tl::make_unexpected(read.error());
  Calibration calibration{.priors = std::move(read->priors)};
  calibration.title = std::move(calibration.priors.title);
  calibration.priors.name = architecture.name;
  calibration.priors.title = architecture.title;
  calibration.provenance = read_provenance(reader);
  calibration.held_out = read_held_out(reader);
  reader.finish();
  if (read->extends != architecture.name) {
    reader.complain(fmt::format("the profile extends '{}', but the priors of '{}' are '{}'", read->extends,
                                device.slug, architecture.name),
                    reader.where("extends"), "fit it again for this card");
  }
  const std::string& measured = calibration.provenance.device;
  if (!measured.empty() && measured != device.slug) {
    TableReader provenance = reader.table("provenance");
    provenance.complain(fmt::format("the profile is of '{}', not of '{}'", measured, device.slug),
                        provenance.where("device"), "a profile holds for one card and has its name");
  }
  if (!problems.empty()) return tl::make_unexpected(in_file_order(std::move(problems)));
  return calibration;
}

}  // namespace roofcast
