#include "tools/calibrate_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/base/fnv1a64.hpp"
#include "engine/fit/spread_over_groups.hpp"
#include "engine/io/measured_table.hpp"
#include "engine/validate/predict_operator.hpp"
#include "tools/measured_cards.hpp"

namespace roofcast {
namespace {

// One table, with the devices.csv beside it if there is one.
Result<MeasuredFolder> read_single_table(const std::filesystem::path& file) {
  const auto csv = read_csv(file);
  if (!csv) return tl::make_unexpected(csv.error());
  auto table = read_measured_table(*csv);
  if (!table) return tl::make_unexpected(table.error());
  if (!table->note.empty()) {
    return fail(table->note, Location{.file = file.string()},
                "tests/validation/README.md says which columns a table has");
  }
  MeasuredFolder folder;
  folder.tables.push_back(*std::move(table));
  const std::filesystem::path devices = file.parent_path() / "devices.csv";
  if (!std::filesystem::exists(devices)) return folder;
  const auto spellings = read_csv(devices);
  if (!spellings) return tl::make_unexpected(spellings.error());
  for (const CsvRow& row : spellings->rows)
    folder.devices.emplace(spellings->field(row, "hw"), spellings->field(row, "slug"));
  return folder;
}

// What was measured, whatever the table's other columns and the order of its rows.
std::string text_of(const MeasuredRow& row) {
  const auto& op = std::get<OperatorRow>(row.what);
  return fmt::format("{},{},{},{},{}x{}x{}x{},{:.6g}\n", row.source, op.op, op.precision, row.group, op.batch,
                     op.m, op.n, op.k, row.measured.count() * 1e6);
}

bool is_asked_for(const std::vector<std::string>& names, std::string_view name) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

}  // namespace

Result<ChosenSamples> choose_samples(const DataFolder& data, const Device& device,
                                     const SampleChoice& choice) {
  const auto folder = std::filesystem::is_directory(choice.path) ? read_measured_folder(choice.path)
                                                                 : read_single_table(choice.path);
  if (!folder) return tl::make_unexpected(folder.error());
  const auto harnesses = data.harnesses();
  if (!harnesses) return tl::make_unexpected(harnesses.error());
  MeasuredCards cards(data, *folder);

  ChosenSamples result;
  std::vector<KernelSample> to_fit;
  std::vector<std::string> groups;
  std::vector<std::string> texts;
  for (const MeasuredTable& table : folder->tables) {
    for (const MeasuredRow& row : table.rows) {
      const auto* op = std::get_if<OperatorRow>(&row.what);
      if (op == nullptr || !is_asked_for(choice.kernels, op->op) ||
          !is_asked_for(choice.precisions, op->precision) || cards.slug(row.hardware) != device.slug)
        continue;
      auto sample = operator_sample(row, device, harness_of(row, *harnesses));
      if (!sample) continue;
      if (choice.split == GroupSplit::all) sample->fold = Fold::fit;
      if (sample->fold == Fold::judge) {
        result.samples.push_back(*std::move(sample));
        continue;
      }
      groups.push_back(fmt::format("{}:{}", row.source, row.group));
      texts.push_back(text_of(row));
      to_fit.push_back(*std::move(sample));
    }
  }
  if (to_fit.empty()) {
    return fail(fmt::format("no rows of '{}' that a fit could use", device.slug),
                Location{.file = choice.path}, "rows name the card in the column 'hw'");
  }
  std::vector<std::string> chosen;
  std::vector<std::string> sources;
  for (const std::size_t index : spread_over_groups(groups, choice.most == 0 ? groups.size() : choice.most)) {
    if (std::ranges::find(sources, to_fit[index].source) == sources.end())
      sources.push_back(to_fit[index].source);
    result.samples.push_back(std::move(to_fit[index]));
    chosen.push_back(std::move(texts[index]));
  }
  result.fitted = chosen.size();
  std::ranges::sort(sources);
  result.sources = std::move(sources);
  std::ranges::sort(chosen);
  result.hash = fmt::format("fnv1a64:{:016x}", fnv1a64(fmt::format("{}", fmt::join(chosen, ""))));
  return result;
}

}  // namespace roofcast
