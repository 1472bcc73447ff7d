#include <fmt/format.h>

#include "engine/ops/operator.hpp"
#include "engine/report/device_report.hpp"
#include "engine/report/rows_json.hpp"
#include "tools/commands.hpp"
#include "tools/output.hpp"

namespace roofcast {
namespace {

int list_hardware(const DataFolder& data, const OutputOptions& output) {
  std::vector<Device> devices;
  Diagnostics problems;
  for (const std::string& slug : data.devices()) {
    auto device = data.device(slug);
    if (device) {
      devices.push_back(*std::move(device));
    } else {
      problems.insert(problems.end(), device.error().begin(), device.error().end());
    }
  }
  if (!problems.empty()) return refuse(problems);
  return write_report({.people = [&] { return device_list(devices); },
                       .rows = [&] { return device_list_rows(devices); },
                       .json = [&] { return rows_json(device_list_rows(devices), "hw"); }},
                      output);
}

int list_table(Table table, const std::string& name, const OutputOptions& output) {
  const Document document{.blocks = {std::move(table)}};
  return write_report({.people = [&] { return document; },
                       .rows = [&] { return document; },
                       .json = [&] { return rows_json(document, name); }},
                      output);
}

Table model_table(const DataFolder& data) {
  Table table;
  table.columns = {{"model", "model"}, {"file", "file"}};
  for (const std::string& name : data.models()) {
    table.rows.push_back({{name, (data.root() / "models" / (name + ".toml")).string()}});
  }
  return table;
}

Table operator_list() {
  Table table;
  table.columns = {{"operator", "operator"}, {"what it does", "summary"}};
  for (const Operator* op : operator_table()) {
    if (op->in_model_files) table.rows.push_back({{std::string(op->name), std::string(op->summary)}});
  }
  return table;
}

Table runtime_table(const DataFolder& data) {
  Table table;
  table.columns = {{"runtime", "runtime"}, {"what it is", "title"}};
  for (const std::string& name : data.runtimes()) {
    const auto runtime = data.runtime(name);
    table.rows.push_back({{name, runtime ? runtime->title : std::string("its file has mistakes")}});
  }
  return table;
}

// How far each stage of a profile is off.
std::string errors_of(const Calibration& calibration) {
  std::vector<std::string> stages;
  for (const HeldOutErrors& errors : calibration.held_out)
    stages.push_back(fmt::format("{} {:.1f}%", errors.stage, 100 * errors.median));
  return fmt::format("{}", fmt::join(stages, ", "));
}

int list_calibrations(const DataFolder& data, const OutputOptions& output) {
  Table table;
  table.columns = {{"card", "hw"},
                   {"date", "date"},
                   {"samples", "samples"},
                   {"method", "method"},
                   {"median error of samples held out", "held_out"}};
  Diagnostics problems;
  for (const std::string& slug : data.calibrations()) {
    const auto device = data.device(slug);
    const auto found = device ? data.calibration_for(*device) : tl::make_unexpected(device.error());
    if (!found) {
      problems.insert(problems.end(), found.error().begin(), found.error().end());
      continue;
    }
    const Calibration& calibration = (*found)->calibration;
    const Provenance& provenance = calibration.provenance;
    table.rows.push_back({{slug, provenance.date, std::to_string(provenance.samples),
                           std::string(to_string(provenance.method)), errors_of(calibration)}});
  }
  if (!problems.empty()) return refuse(problems);
  return list_table(std::move(table), "calibrations", output);
}

}  // namespace

int list_command(const DataFolder& data, const Options& options) {
  if (const auto format = chosen_format(options.output); !format) return refuse(format.error());
  if (options.topic == "hw") return list_hardware(data, options.output);
  if (options.topic == "models") return list_table(model_table(data), "models", options.output);
  if (options.topic == "operators") return list_table(operator_list(), "operators", options.output);
  if (options.topic == "runtimes") return list_table(runtime_table(data), "runtimes", options.output);
  if (options.topic == "calibrations") return list_calibrations(data, options.output);
  return refuse({{{},
                  fmt::format("there is no list of '{}'", options.topic),
                  did_you_mean(options.topic, {"hw", "models", "operators", "runtimes", "calibrations"},
                               "known: hw, models, operators, runtimes, calibrations")}});
}

}  // namespace roofcast
