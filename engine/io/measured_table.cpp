#include "engine/io/measured_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "engine/io/measured_fields.hpp"

namespace roofcast {
namespace {

using Columns = std::vector<std::string_view>;

struct KindRule {
  TableKind kind = TableKind::other;
  Columns signature{};  ///< a table that has all of these is of this kind
  Columns required{};   ///< and needs these as well
};

// The first that fits: columns of earlier kinds do not occur in later ones.
const std::vector<KindRule>& kind_rules() {
  static const std::vector<KindRule> rules = {
      {TableKind::networks,
       {"model_key", "task"},
       {"source", "hw", "batch_size", "storage_dtype", "compute_dtype", "runtime"}},
      {TableKind::convolutions,
       {"op", "in_ch", "out_ch"},
       {"source", "hw", "precision", "batch", "kernel", "in_size", "stride", "pad", "latency_us"}},
      {TableKind::attention,
       {"op", "seq_q", "seq_kv"},
       {"source", "hw", "precision", "batch", "heads", "kv_heads", "head_dim", "latency_us"}},
      {TableKind::products, {"op", "m", "n", "k"}, {"source", "hw", "precision", "latency_us"}},
      {TableKind::streams, {"op", "m", "n"}, {"source", "hw", "precision", "latency_us"}},
  };
  return rules;
}

bool has_all(const CsvTable& table, const Columns& columns) {
  return std::ranges::all_of(columns, [&](std::string_view column) { return table.has_column(column); });
}

std::string name_of(const CsvTable& table) {
  return std::filesystem::path(table.file).filename().string();
}

// A memory table has the columns of a table of networks, but its usable rows are those whose memory is known.
bool is_about_memory(const CsvTable& table) {
  return name_of(table).starts_with("memory");
}

std::string why_left_out(const CsvTable& table) {
  if (has_all(table, {"op", "bytes", "n_gpus"})) return "collectives are not compared yet";
  if (has_all(table, {"metric", "value", "unit"})) return "micro-benchmarks are not compared yet";
  return "its columns are not those of measured operators or networks";
}

// Fused mixtures of experts look like products and are several.
bool is_not_compared_yet(std::string_view op) {
  return op.starts_with("moe");
}

OperatorRow read_operator(FieldReader& fields, TableKind kind) {
  OperatorRow row{.op = fields.text("op"), .precision = fields.text("precision")};
  switch (kind) {
    case TableKind::products:
      row.batch = fields.size_or("batch", 1);
      row.m = fields.size("m");
      row.n = fields.size("n");
      row.k = fields.size("k");
      break;
    case TableKind::streams:
      if (row.op == "gemm" || row.op == "bmm")
        fields.complain("op", fmt::format("'{}' needs a column 'k'", row.op));
      row.m = fields.size("m");
      row.n = fields.size("n");
      break;
    case TableKind::convolutions:
      row.batch = fields.size("batch");
      row.in_channels = fields.size("in_ch");
      row.out_channels = fields.size("out_ch");
      row.kernel_size = fields.size("kernel");
      row.input_size = fields.size("in_size");
      row.stride = fields.size("stride");
      row.padding = fields.count("pad");
      break;
    case TableKind::attention:
      row.batch = fields.size("batch");
      row.query_length = fields.size("seq_q");
      row.key_length = fields.size("seq_kv");
      row.heads = fields.size("heads");
      row.kv_heads = fields.size("kv_heads");
      row.head_size = fields.size("head_dim");
      row.kv_dtype = fields.dtype_if_given("kv_dtype");
      break;
    case TableKind::networks:
    case TableKind::other: break;
  }
  if (fields.is_given("weight_bytes_per_elt")) row.weight_bytes = fields.positive("weight_bytes_per_elt");
  return row;
}

/// The time of one batch, where a table only has how much there was in a second.
///
/// images/s, sequences/s, ...: batch / throughput. tokens/s: tokens of a pass / throughput, which are
/// batch * seq_in, batch for one more token of each sequence, batch * seq_out of those that are generated.
Seconds time_of_throughput(FieldReader& fields, const NetworkRow& row) {
  const std::string unit = fields.text_or("throughput_unit", "");
  const double rate = fields.positive("throughput");
  const auto batch = static_cast<double>(row.batch);
  if (unit.find("tokens/s") == std::string::npos) return Seconds{batch / rate};
  const bool generated = unit.starts_with("output") || row.phase == MeasuredPhase::mixed;
  const std::int64_t tokens = row.phase == MeasuredPhase::decode ? 1
                              : generated                        ? row.output_length
                                                                 : row.input_length;
  if (tokens == 0) {
    fields.complain("throughput_unit", fmt::format("'{}' needs the number of tokens", unit),
                    "'seq_in' of a pass over a text, 'seq_out' of generated tokens");
  }
  return Seconds{batch * static_cast<double>(tokens) / rate};
}

NetworkRow read_network(FieldReader& fields) {
  NetworkRow row{.model = fields.text("model_key"), .batch = fields.size("batch_size")};
  row.image_size = fields.size_or("image_size", 0);
  row.task = fields.choice<Task>("task", {{"inference", Task::inference}, {"training", Task::training}});
  row.input_length = fields.count_or("seq_in", 0);
  row.output_length = fields.count_or("seq_out", 0);
  row.storage = fields.dtype("storage_dtype");
  const bool computes_tf32 = fields.text("compute_dtype") == "tf32";
  row.compute = computes_tf32 ? DType::fp32 : fields.dtype("compute_dtype");
  row.tf32 = fields.choice_or<Tf32>(
      "tf32", Tf32::off,
      {{"on", Tf32::on}, {"off", Tf32::off}, {"na", Tf32::off}, {"matmul_off_conv_on", Tf32::convolutions}});
  if (computes_tf32 && row.tf32 == Tf32::off) row.tf32 = Tf32::on;
  const auto unless = [&](std::string_view column, std::initializer_list<std::string_view> usual) {
    std::string value = fields.text_or(column, "");
    return std::ranges::find(usual, value) == usual.end() ? value : std::string{};
  };
  row.weight_format = unless("weight_dtype", {"same"});
  row.kv_format = unless("kv_dtype", {"same", "na", "unknown", to_string(row.storage)});
  row.optimizer = fields.text_or("optimizer", "none");
  row.adapter = unless("adapter", {"none"});
  row.recomputes = fields.text_or("grad_checkpointing", "0") == "1";
  const std::string scope = fields.text_or("scope", "end_to_end");
  row.device_only = scope == "device" || scope == "layer_scaled";
  row.attention = fields.choice_or<AttentionKind>("attention", AttentionKind::unknown,
                                                  {{"eager", AttentionKind::written_out},
                                                   {"sdpa", AttentionKind::fused},
                                                   {"flash", AttentionKind::fused},
                                                   {"none", AttentionKind::unknown},
                                                   {"unknown", AttentionKind::unknown}});
  row.layout = fields.choice_or<ImageLayout>(
      "layout", ImageLayout::none,
      {{"none", ImageLayout::none}, {"nchw", ImageLayout::nchw}, {"nhwc", ImageLayout::nhwc}});
  row.phase = fields.choice_or<MeasuredPhase>("phase", MeasuredPhase::whole,
                                              {{"none", MeasuredPhase::whole},
                                               {"prefill", MeasuredPhase::prefill},
                                               {"decode", MeasuredPhase::decode},
                                               {"mixed", MeasuredPhase::mixed}});
  return row;
}

// Rows without a group are alone.
std::string shape_text(const OperatorRow& row) {
  return fmt::format("{}:{}x{}x{}:{}x{}x{}:{}x{}x{}", row.op, row.m, row.n, row.k, row.in_channels,
                     row.out_channels, row.kernel_size, row.heads, row.kv_heads, row.head_size);
}

MeasuredRow read_row(FieldReader& fields, TableKind kind) {
  MeasuredRow row{.source = fields.text("source"), .hardware = fields.text("hw"), .where = fields.where()};
  if (kind == TableKind::networks) {
    NetworkRow network = read_network(fields);
    row.group = network.model;
    row.runtime = fields.text("runtime");
    constexpr double per_millisecond = 1e-3;
    row.measured = fields.is_given("latency_ms") ? Seconds{fields.positive("latency_ms") * per_millisecond}
                                                 : time_of_throughput(fields, network);
    row.what = std::move(network);
    return row;
  }
  OperatorRow op = read_operator(fields, kind);
  row.group = fields.text_or("group", shape_text(op));
  row.runtime = fields.text_or("runtime_collector", "");
  row.measured = microseconds(fields.positive("latency_us"));
  row.what = std::move(op);
  return row;
}

// Why a row cannot be compared; empty if it can.
std::string why_unusable(FieldReader& fields, TableKind kind) {
  if (fields.text_or("usable", "1") != "1") return fields.text_or("reason", "no reason given");
  if (kind == TableKind::networks && fields.text_or("n_gpus", "1") != "1") return "multi_gpu";
  if (kind != TableKind::networks && is_not_compared_yet(fields.text_or("op", ""))) {
    return fmt::format("{} is not compared yet", fields.text("op"));
  }
  return {};
}

}  // namespace

Result<MeasuredTable> read_measured_table(const CsvTable& table) {
  MeasuredTable result{.file = name_of(table)};
  const auto rule = std::ranges::find_if(
      kind_rules(), [&](const KindRule& candidate) { return has_all(table, candidate.signature); });
  if (rule == kind_rules().end()) {
    result.note = why_left_out(table);
    return result;
  }
  if (rule->kind == TableKind::networks && is_about_memory(table)) {
    result.note = "memory is not compared yet";
    return result;
  }
  Columns required = rule->required;
  if (rule->kind == TableKind::networks && !table.has_column("throughput")) required.push_back("latency_ms");
  if (Diagnostics missing = missing_columns(table, required); !missing.empty()) {
    return tl::make_unexpected(std::move(missing));
  }
  result.kind = rule->kind;
  const ColumnIndex index(table);
  Diagnostics problems;
  for (const CsvRow& csv_row : table.rows) {
    FieldReader fields(index, csv_row, problems);
    if (const std::string reason = why_unusable(fields, result.kind); !reason.empty()) {
      ++result.left_out[reason];
    } else {
      result.rows.push_back(read_row(fields, result.kind));
    }
  }
  if (!problems.empty()) return tl::make_unexpected(std::move(problems));
  return result;
}

Result<MeasuredFolder> read_measured_folder(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".csv") files.push_back(entry->path());
  }
  if (error) {
    return fail("cannot be read as a folder: " + error.message(), Location{.file = folder.string()},
                "--measured takes a folder with tables of measurements");
  }
  std::ranges::sort(files);
  MeasuredFolder result;
  Diagnostics problems;
  for (const std::filesystem::path& file : files) {
    const auto table = read_csv(file);
    if (!table) {
      problems.insert(problems.end(), table.error().begin(), table.error().end());
      continue;
    }
    if (has_all(*table, {"hw", "slug"})) {
      for (const CsvRow& row : table->rows)
        result.devices.emplace(table->field(row, "hw"), table->field(row, "slug"));
      continue;
    }
    if (has_all(*table, {"model_key", "file"}) || has_all(*table, {"ref_id", "source_ref"})) continue;
    auto measured = read_measured_table(*table);
    if (measured) {
      result.tables.push_back(*std::move(measured));
    } else {
      problems.insert(problems.end(), measured.error().begin(), measured.error().end());
    }
  }
  if (!problems.empty()) return tl::make_unexpected(std::move(problems));
  if (std::ranges::all_of(result.tables,
                          [](const MeasuredTable& table) { return table.kind == TableKind::other; })) {
    return fail("no table of measured operators or networks in here", Location{.file = folder.string()},
                "tests/validation/README.md says which columns they have");
  }
  return result;
}

}  // namespace roofcast
