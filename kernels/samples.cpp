#include "kernels/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>
#include <span>
#include <system_error>
#include <type_traits>
#include <vector>

namespace roofcast {
namespace {

template <class Whole>
std::optional<Whole> whole(std::string_view text) {
  Whole value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// A column of sizes, and where a probe has it.
struct SizeColumn {
  std::string_view name{};
  std::int64_t (*value)(const Probe& probe) = nullptr;
  bool (*read)(Probe& probe, std::string_view text) = nullptr;  ///< false if it is no whole number
};

template <auto size>
constexpr SizeColumn own(std::string_view name) {
  return {name, [](const Probe& probe) { return probe.*size; },
          [](Probe& probe, std::string_view text) {
            const auto value = whole<std::int64_t>(text);
            probe.*size = value.value_or(0);
            return value.has_value();
          }};
}

/// Of `part`, sizes that only some probes have.
template <auto part, auto size>
constexpr SizeColumn of(std::string_view name) {
  return {name, [](const Probe& probe) -> std::int64_t { return (*(probe.*part)).*size; },
          [](Probe& probe, std::string_view text) {
            auto& sizes = probe.*part;
            if (!sizes) sizes.emplace();
            auto& place = (*sizes).*size;
            const auto value = whole<std::remove_reference_t<decltype(place)>>(text);
            place = value.value_or(0);
            return value.has_value();
          }};
}

constexpr std::array product_columns = {own<&Probe::m>("m"), own<&Probe::n>("n"), own<&Probe::k>("k")};
constexpr std::array stream_columns = {own<&Probe::m>("m"), own<&Probe::n>("n")};
constexpr std::array attention_columns = {of<&Probe::attention, &AttentionSizes::batch>("batch"),
                                          of<&Probe::attention, &AttentionSizes::query_length>("seq_q"),
                                          of<&Probe::attention, &AttentionSizes::key_length>("seq_kv"),
                                          of<&Probe::attention, &AttentionSizes::heads>("heads"),
                                          of<&Probe::attention, &AttentionSizes::kv_heads>("kv_heads"),
                                          of<&Probe::attention, &AttentionSizes::head_size>("head_dim")};
constexpr std::array convolution_columns = {
    of<&Probe::convolution, &ConvolutionSizes::batch>("batch"),
    of<&Probe::convolution, &ConvolutionSizes::in_channels>("in_ch"),
    of<&Probe::convolution, &ConvolutionSizes::out_channels>("out_ch"),
    of<&Probe::convolution, &ConvolutionSizes::kernel>("kernel"),
    of<&Probe::convolution, &ConvolutionSizes::in_size>("in_size"),
    of<&Probe::convolution, &ConvolutionSizes::stride>("stride"),
    of<&Probe::convolution, &ConvolutionSizes::padding>("pad")};

constexpr std::array collective_columns = {of<&Probe::collective, &CollectiveSizes::bytes>("bytes"),
                                           of<&Probe::collective, &CollectiveSizes::devices>("n_gpus")};

struct TableLayout {
  std::string_view file{};
  std::span<const SizeColumn> sizes{};
};

TableLayout layout_of(SampleTable table) {
  switch (table) {
    case SampleTable::products: return {"products.csv", product_columns};
    case SampleTable::attention: return {"attention.csv", attention_columns};
    case SampleTable::convolutions: return {"convolutions.csv", convolution_columns};
    case SampleTable::collectives: return {"collectives.csv", collective_columns};
    case SampleTable::streams: break;
  }
  return {"streams.csv", stream_columns};
}

constexpr std::string_view sustained_collector = "calibrate-sustained";

/// The program that ran the probe, by which `fit` and `validate` know how: hardware_db/harnesses.
std::string collector_of(const Probe& probe) {
  if (probe.load == Load::sustained) return std::string(sustained_collector);
  return fmt::format("calibrate-{}", to_string(probe.residency));
}

std::string sizes_of(const Probe& probe) {
  std::string text;
  for (const SizeColumn& column : layout_of(table_of(probe)).sizes)
    text += fmt::format("{}{}", text.empty() ? "" : ",", column.value(probe));
  return text;
}

constexpr std::string_view before_sizes = "source,hw,op,precision";
constexpr std::string_view after_sizes =
    "latency_us,framework,notes,ref_id,usable,reason,group,runtime_collector,weight_bytes_per_elt,residency,"
    "runs_in_batch,timings,deviation_us,low_us,high_us,least_us,clock_mhz,power_w,algorithm,date";

std::vector<std::string_view> fields_of(std::string_view row) {
  std::vector<std::string_view> fields;
  while (true) {
    const auto comma = row.find(',');
    fields.push_back(row.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    row.remove_prefix(comma + 1);
  }
}

struct WrittenRow {
  std::string hardware{};
  Probe probe{};
};

/// Of a row of `table`, what says which probe it was. Empty if it is not one of ours.
std::optional<WrittenRow> parse_row(SampleTable table, std::string_view line) {
  const std::string header = sample_header(table);
  const auto names = fields_of(header);
  const auto fields = fields_of(line);
  if (fields.size() != names.size()) return std::nullopt;
  const auto value = [&](std::string_view column) {
    return fields[static_cast<std::size_t>(std::ranges::find(names, column) - names.begin())];
  };
  WrittenRow row{
      std::string(value("hw")),
      Probe{.op = std::string(value("op")),
            .precision = std::string(value("precision")),
            .residency = value("residency") == "warm" ? Residency::warm : Residency::cold,
            .load = value("runtime_collector") == sustained_collector ? Load::sustained : Load::burst}};
  for (const SizeColumn& column : layout_of(table).sizes) {
    if (!column.read(row.probe, value(column.name))) return std::nullopt;
  }
  return row;
}

tl::unexpected<Diagnostics> system_failure(const std::filesystem::path& file, const char* what) {
  return fail(fmt::format("{}: {}", what, std::generic_category().message(errno)),
              Location{.file = file.string()});
}

}  // namespace

std::string csv_field(std::string text) {
  std::ranges::replace_if(
      text, [](char letter) { return letter == ',' || letter == '"' || letter == '\n' || letter == '\r'; },
      ' ');
  return text;
}

SampleTable table_of(const Probe& probe) {
  if (probe.attention) return SampleTable::attention;
  if (probe.convolution) return SampleTable::convolutions;
  if (probe.collective) return SampleTable::collectives;
  return is_product(probe) ? SampleTable::products : SampleTable::streams;
}

std::string sample_header(SampleTable table) {
  std::string header(before_sizes);
  for (const SizeColumn& column : layout_of(table).sizes) header += fmt::format(",{}", column.name);
  return fmt::format("{},{}", header, after_sizes);
}

std::string sample_row(const Sample& sample, const SampleOrigin& origin) {
  const Probe& probe = sample.probe;
  const std::string_view residency = to_string(probe.residency);
  const std::string who = fmt::format("calibrate,{},{},{},{}", csv_field(origin.hardware), probe.op,
                                      probe.precision, sizes_of(probe));
  const double weight_bytes = value_bytes(probe.precision);
  const std::string group = csv_field(probe.group);
  if (!sample.failure.empty()) {
    return fmt::format("{},,{},,,0,{},{},{},{},{},,,,,,,,,,{}", who, csv_field(origin.libraries),
                       csv_field(sample.failure), group, collector_of(probe), weight_bytes, residency,
                       csv_field(origin.date));
  }
  const Timing& timing = sample.timing;
  const Statistics& one = timing.of_one_run;
  const std::string clock = timing.clock ? fmt::format("{:.0f}", timing.clock->value / 1e6) : std::string{};
  const std::string power = timing.power ? fmt::format("{:.0f}", timing.power->value) : std::string{};
  return fmt::format("{},{:.6g},{},{},,1,,{},{},{},{},{},{},{:.4g},{:.6g},{:.6g},{:.6g},{},{},{},{}", who,
                     as_microseconds(one.median), csv_field(origin.libraries), flags(timing), group,
                     collector_of(probe), weight_bytes, residency, timing.runs_in_batch, one.count,
                     as_microseconds(one.deviation), as_microseconds(one.low), as_microseconds(one.high),
                     as_microseconds(one.least), clock, power, csv_field(sample.algorithm),
                     csv_field(origin.date));
}

Result<void> SampleFolder::read_table(SampleTable table, bool resume) {
  namespace fs = std::filesystem;
  const fs::path path = folder_ / layout_of(table).file;
  const std::string header = sample_header(table);
  std::error_code error;
  const bool exists = fs::exists(path, error) && fs::file_size(path, error) > 0;
  if (exists && !resume) {
    return fail("exists already", Location{.file = path.string()},
                "`--resume` goes on with it; or choose another folder");
  }
  if (!exists) return {};
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto whole_rows = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  int line = 0;
  for (std::size_t at = 0; at < whole_rows;) {
    const std::size_t end = text.find('\n', at);
    const std::string_view row = std::string_view(text).substr(at, end - at);
    at = end + 1;
    const Location where{.file = path.string(), .line = ++line};
    if (line == 1) {
      if (row != header) return fail("the columns are not those of this version", where);
      continue;
    }
    const auto written = parse_row(table, row);
    if (!written) return fail("not a row that calibrate has written", where);
    if (written->hardware != csv_field(origin_.hardware)) {
      return fail(fmt::format("a row of '{}', but this is '{}'", written->hardware, origin_.hardware), where,
                  "each card needs a folder of its own; `--hw` names the card");
    }
    done_.insert(name(written->probe));
  }
  if (whole_rows < text.size()) fs::resize_file(path, whole_rows, error);
  if (error) return fail("cannot be cut: " + error.message(), Location{.file = path.string()});
  return {};
}

Result<SampleFolder::File> SampleFolder::append_table(SampleTable table) const {
  const std::filesystem::path path = folder_ / layout_of(table).file;
  File file(std::fopen(path.c_str(), "ab"));
  if (!file) return system_failure(path, "cannot be opened");
  // What was cut off may have been the header.
  std::error_code error;
  if (std::filesystem::file_size(path, error) == 0 &&
      std::fputs((sample_header(table) + "\n").c_str(), file.get()) < 0)
    return system_failure(path, "cannot be written");
  return file;
}

Result<SampleFolder> SampleFolder::open(const std::filesystem::path& folder, const SampleOrigin& origin,
                                        bool resume) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return fail("cannot be made: " + error.message(), Location{.file = folder.string()});
  SampleFolder result(folder, origin);
  for (const SampleTable table : sample_tables) {
    if (const auto read = result.read_table(table, resume); !read) return tl::make_unexpected(read.error());
  }
  return result;
}

Result<void> SampleFolder::write(const Sample& sample) {
  const SampleTable table = table_of(sample.probe);
  File& file = files_[static_cast<std::size_t>(table)];
  if (!file) {
    auto opened = append_table(table);
    if (!opened) return tl::make_unexpected(opened.error());
    file = *std::move(opened);
  }
  const std::string line = sample_row(sample, origin_) + "\n";
  if (std::fputs(line.c_str(), file.get()) < 0 || std::fflush(file.get()) != 0) {
    return system_failure(folder_, "cannot be written");
  }
  done_.insert(name(sample.probe));
  return {};
}

}  // namespace roofcast
