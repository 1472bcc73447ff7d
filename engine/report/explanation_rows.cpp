#include <fmt/format.h>

#include "engine/report/explanation_report.hpp"

namespace roofcast {
namespace {

struct Field {
  std::string key{};
  Cell (*cell)(const ExplainedKernel&) = nullptr;
};

Cell text(const std::string& value) {
  return value.empty() ? Cell{} : Cell{value};
}
Cell joined(const std::vector<std::string>& values) {
  return text(fmt::format("{}", fmt::join(values, " ")));
}

std::string terms_of(const ExplainedKernel& kernel) {
  std::string all;
  for (const TimeTerm& term : kernel.terms) {
    all +=
        fmt::format("{}{}: {} = {} s", all.empty() ? "" : "; ", term.name, term.formula, term.time.count());
  }
  return all;
}

std::vector<Field> fields() {
  using Kernel = ExplainedKernel;
  return {
      {"layer", [](const Kernel& kernel) { return text(kernel.layer); }},
      {"op", [](const Kernel& kernel) { return text(kernel.op); }},
      {"phase", [](const Kernel& kernel) { return text(kernel.phase); }},
      {"kernel", [](const Kernel& kernel) { return text(kernel.kernel); }},
      {"family", [](const Kernel& kernel) { return text(kernel.family); }},
      {"form", [](const Kernel& kernel) { return text(kernel.form); }},
      {"arithmetic", [](const Kernel& kernel) { return text(kernel.arithmetic); }},
      {"inputs", [](const Kernel& kernel) { return joined(kernel.inputs); }},
      {"outputs", [](const Kernel& kernel) { return joined(kernel.outputs); }},
      {"count", [](const Kernel& kernel) { return Cell{kernel.count}; }},
      {"parameters", [](const Kernel& kernel) { return Cell{kernel.parameters}; }},
      {"macs", [](const Kernel& kernel) { return Cell{kernel.macs}; }},
      {"flops", [](const Kernel& kernel) { return Cell{kernel.flops}; }},
      {"other_operations", [](const Kernel& kernel) { return Cell{kernel.other_operations}; }},
      {"executed_macs", [](const Kernel& kernel) { return Cell{kernel.executed_macs}; }},
      {"read_bytes", [](const Kernel& kernel) { return Cell{kernel.read.value}; }},
      {"written_bytes", [](const Kernel& kernel) { return Cell{kernel.written.value}; }},
      {"intensity_flops_per_byte", [](const Kernel& kernel) { return Cell{kernel.intensity}; }},
      {"time_s", [](const Kernel& kernel) { return Cell{kernel.time.count()}; }},
      {"total_time_s",
       [](const Kernel& kernel) { return Cell{kernel.time.count() * static_cast<double>(kernel.count)}; }},
      {"bound", [](const Kernel& kernel) { return Cell{std::string(to_string(kernel.bound))}; }},
      {"evidence", [](const Kernel& kernel) { return Cell{std::string(to_string(kernel.evidence))}; }},
      {"terms", [](const Kernel& kernel) { return text(terms_of(kernel)); }},
  };
}

}  // namespace

Document explanation_rows(const Explanation& explanation) {
  const std::vector<Field> all = fields();
  Table table;
  for (const Field& field : all) table.columns.push_back({.title = field.key, .key = field.key});
  for (const ExplainedKernel& kernel : explanation.kernels) {
    Row row;
    for (const Field& field : all) row.cells.push_back(field.cell(kernel));
    table.rows.push_back(std::move(row));
  }
  return {.blocks = {std::move(table)}};
}

}  // namespace roofcast
