#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "engine/io/measured_table.hpp"
#include "engine/report/csv.hpp"
#include "engine/report/validation_report.hpp"
#include "engine/validate/operator_kernel.hpp"
#include "engine/validate/predict_rows.hpp"
#include "tools/commands.hpp"
#include "tools/measured_cards.hpp"
#include "tools/measured_models.hpp"
#include "tools/output.hpp"
#include "tools/parse_values.hpp"
#include "tools/progress.hpp"
#include "tools/version.hpp"
#include "tools/write_file.hpp"

namespace roofcast {
namespace {

void add(Diagnostics& problems, const Diagnostics& more) {
  problems.insert(problems.end(), more.begin(), more.end());
}

std::vector<ScoreAxis> read_axes(const std::string& text, Diagnostics& problems) {
  std::vector<ScoreAxis> axes;
  if (text.empty()) return axes;
  const std::vector<std::string> known(score_axes.begin(), score_axes.end());
  for (const std::string& name : split_list(text)) {
    if (const auto axis = parse_score_axis(name)) {
      if (std::ranges::find(axes, *axis) == axes.end()) axes.push_back(*axis);
    } else {
      problems.push_back({{},
                          fmt::format("--by: unknown '{}'", name),
                          did_you_mean(name, known, fmt::format("known: {}", fmt::join(known, ", ")))});
    }
  }
  return axes;
}

/// What `--only` keeps. Names of tables are those of their files, with or without ".csv".
struct Selection {
  std::set<std::string> tables{};
  std::set<std::string> kinds{};

  bool all() const { return tables.empty() && kinds.empty(); }
  bool has_table(const std::string& file) const {
    return tables.contains(file) || tables.contains(file.substr(0, file.rfind(".csv")));
  }
  bool keeps(const MeasuredTable& table, const MeasuredRow& row) const {
    if (all() || has_table(table.file) || kinds.contains(std::string(kernel_kind(row)))) return true;
    return kinds.contains("operators") && std::holds_alternative<OperatorRow>(row.what);
  }
};

Selection read_selection(const std::string& text, const MeasuredFolder& folder, Diagnostics& problems) {
  if (text.empty()) return {};
  std::vector<std::string> known = known_operators();
  known.insert(known.end(), {"operators", "network"});
  Selection selection;
  for (const std::string& name : split_list(text)) {
    const bool table = std::ranges::any_of(folder.tables, [&](const MeasuredTable& candidate) {
      return candidate.file == name || candidate.file == name + ".csv";
    });
    if (table) {
      selection.tables.insert(name);
    } else if (std::ranges::find(known, name) != known.end()) {
      selection.kinds.insert(name);
    } else {
      std::vector<std::string> candidates = known;
      for (const MeasuredTable& other : folder.tables) candidates.push_back(other.file);
      problems.push_back(
          {{},
           fmt::format("--only: no table and no kind of row '{}'", name),
           did_you_mean(name, candidates, fmt::format("kinds are {}", fmt::join(known, ", ")))});
    }
  }
  return selection;
}

Result<MeasuredPlatforms> load_platforms(const DataFolder& data) {
  MeasuredPlatforms platforms;
  Diagnostics problems;
  for (const std::string& name : data.runtimes()) {
    auto runtime = data.runtime(name);
    if (runtime) {
      platforms.runtimes.emplace(name, *std::move(runtime));
    } else {
      add(problems, runtime.error());
    }
  }
  auto harnesses = data.harnesses();
  if (!harnesses) add(problems, harnesses.error());
  if (!problems.empty()) return tl::make_unexpected(std::move(problems));
  platforms.harnesses = *std::move(harnesses);
  return platforms;
}

// Takes the rows that are asked for out of the tables.
std::vector<MeasuredRow> take_rows(MeasuredFolder& folder, const Selection& selection, MeasuredCards& cards,
                                   Validation& validation) {
  std::vector<MeasuredRow> rows;
  for (MeasuredTable& table : folder.tables) {
    ComparedTable compared{.file = table.file, .note = table.note};
    for (MeasuredRow& row : table.rows) {
      if (!selection.keeps(table, row)) continue;
      ++compared.rows;
      row.device = cards.slug(row.hardware);
      rows.push_back(std::move(row));
    }
    // Of a table that is taken in part nobody knows what its unusable rows would have been.
    if (compared.rows == std::ssize(table.rows)) compared.left_out = table.left_out;
    if (selection.all() || compared.rows > 0 || selection.has_table(table.file))
      validation.tables.push_back(std::move(compared));
  }
  return rows;
}

int write_rows(const std::string& file, const Document& rows) {
  const std::string problem = write_file(file, write_csv(rows));
  if (problem.empty()) return exit_ok;
  refuse({{Location{.file = file}, "cannot be written: " + problem, {}}});
  return exit_internal;
}

}  // namespace

int validate_command(const DataFolder& data, const Options& options) {
  const ValidateOptions& asked = options.validate;
  if (const auto format = chosen_format(options.output); !format) return refuse(format.error());
  Diagnostics problems;
  const std::vector<ScoreAxis> axes = read_axes(asked.by, problems);
  if (!asked.baseline.empty() && asked.baseline != "roofline") {
    problems.push_back({{}, fmt::format("--baseline: unknown '{}'", asked.baseline), "known: roofline"});
  }
  auto platforms = load_platforms(data);
  if (!platforms) add(problems, platforms.error());
  auto folder = read_measured_folder(asked.measured);
  if (!folder) add(problems, folder.error());
  const auto models = measured_models(data, asked.measured);
  if (!models) add(problems, models.error());
  const Selection selection = folder ? read_selection(asked.only, *folder, problems) : Selection{};
  if (!problems.empty()) return refuse(problems);

  Validation validation{.measured = asked.measured, .baseline = asked.baseline};
  MeasuredCards cards(data, *folder);
  const std::vector<MeasuredRow> rows = take_rows(*folder, selection, cards, validation);
  platforms->devices = cards.devices();
  for (const auto& [slug, device] : platforms->devices) {
    auto priors = data.priors_for(device);
    if (!priors) return refuse(priors.error());
    if (asked.calibrated) {
      const auto own = data.calibration_for(device);
      if (!own) return refuse(own.error());
      if (*own) *priors = priors_of((*own)->calibration, device, (*own)->file);
    }
    platforms->priors.emplace(slug, *std::move(priors));
  }

  std::vector<Outcome> outcomes;
  {
    ProgressLine progress(!options.output.quiet);
    std::mutex mutex;
    std::size_t done = 0;
    outcomes = predict_rows(rows, *platforms, *models,
                            {.baseline = !asked.baseline.empty(), .done = [&](std::size_t more) {
                               const std::scoped_lock lock(mutex);
                               progress.show(done += more, rows.size(), "rows");
                             }});
  }
  std::vector<FittedOn> provenance;
  for (const auto& [slug, priors] : platforms->priors) {
    provenance.insert(provenance.end(), priors.fitted_on.begin(), priors.fitted_on.end());
  }
  validation.scores = score(rows, outcomes, axes, provenance);
  if (!asked.rows.empty()) {
    if (const int code = write_rows(asked.rows, validation_rows(rows, outcomes, provenance)); code != exit_ok)
      return code;
  }
  return write_report({.people = [&] { return validation_document(validation); },
                       .rows = [&] { return validation_groups(validation); },
                       .json = [&] { return validation_json(validation, tool_version); }},
                      options.output);
}

}  // namespace roofcast
