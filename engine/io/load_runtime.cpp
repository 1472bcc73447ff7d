#include "engine/io/load_runtime.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "engine/io/file_rules.hpp"

namespace roofcast {
namespace {

// One of two words, true for `yes`.
bool read_choice(TableReader& reader, std::string_view key, std::string_view yes, std::string_view no,
                 std::string_view hint) {
  const std::string word = reader.required_text(key);
  const bool is_text = reader.has(key) && reader.raw().get(key)->is_string();
  if (is_text && word != yes && word != no) {
    reader.complain(fmt::format("unknown {} '{}'", key, word), reader.where(key),
                    fmt::format("write \"{}\" or \"{}\": {}", yes, no, hint));
  }
  return word == yes;
}

Seconds read_microseconds(TableReader& table, std::string_view key) {
  const double value = table.required_number(key);
  if (!(value >= 0 && value <= 1e6)) {
    table.complain(fmt::format("'{}' must be between 0 and 1000000, not {}", key, value), table.where(key));
    return {};
  }
  return microseconds(value);
}

double read_spread(TableReader& reader) {
  const double spread = positive_number(reader, "spread", Presence::required).value_or(1);
  if (spread >= 1) return spread;
  reader.complain(fmt::format("'spread' must be at least 1, not {}", spread), reader.where("spread"),
                  "it is a factor: 80% of times lie within [p50 / spread, p50 * spread]");
  return 1;
}

HostCosts read_host(TableReader& reader) {
  TableReader table = reader.table("host", true);
  HostCosts costs{.call = read_microseconds(table, "call_us"),
                  .training_call = read_microseconds(table, "training_call_us"),
                  .backward_call = read_microseconds(table, "backward_call_us"),
                  .launch = read_microseconds(table, "launch_us"),
                  .optimizer_tensor = read_microseconds(table, "optimizer_tensor_us"),
                  .step = read_microseconds(table, "step_us"),
                  .spread = read_spread(table)};
  table.finish();
  return costs;
}

}  // namespace

Result<Runtime> load_runtime(std::string_view text, const std::string& file) {
  const auto parsed = parse_toml(text, file);
  if (!parsed) return tl::make_unexpected(parsed.error());
  Diagnostics problems;
  TableReader reader(*parsed, file, problems);
  Runtime runtime;
  runtime.name = std::filesystem::path(file).stem().string();
  check_schema(reader);
  runtime.title = filled_text(reader, "title");
  runtime.fused_attention =
      read_choice(reader, "attention", "fused", "unfused", "one kernel, or matmul, softmax, matmul");
  runtime.fuses_elementwise = read_choice(reader, "elementwise", "fused", "single",
                                          "chains of elementwise kernels as one, or each by itself");
  if (reader.has("images")) {
    runtime.channels_last = read_choice(reader, "images", "channels_last", "as_given",
                                        "stored channels last whatever the model was given, or not");
  }
  if (reader.has("convolutions")) {
    runtime.folds_into_convolutions =
        read_choice(reader, "convolutions", "folded", "single",
                    "with the batch norm, sum and simple activation after them, or each by itself");
  }
  runtime.replays = read_choice(reader, "submission", "graph", "stream",
                                "all kernels as one recorded graph, or one after the other");
  runtime.host = read_host(reader);
  TableReader device = reader.table("device", true);
  runtime.latency = read_microseconds(device, "latency_us");
  runtime.gap = read_microseconds(device, "gap_us");
  device.finish();
  runtime.spread = read_spread(reader);
  runtime.context = mebibytes(positive_number(reader, "context_mib", Presence::required).value_or(0));
  std::vector<std::string> sourced = {"attention", "elementwise", "submission", "host",
                                      "device",    "context_mib", "spread"};
  if (reader.has("images")) sourced.emplace_back("images");
  if (reader.has("convolutions")) sourced.emplace_back("convolutions");
  runtime.sources = read_sources(reader, sourced);
  reader.finish();
  if (!problems.empty()) return tl::make_unexpected(in_file_order(std::move(problems)));
  return runtime;
}

}  // namespace roofcast
