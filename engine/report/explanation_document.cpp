#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/report/explanation_report.hpp"
#include "engine/report/numbers.hpp"

namespace roofcast {
namespace {

Seconds total_time(const ExplainedKernel& kernel) {
  return kernel.time * static_cast<double>(kernel.count);
}

std::string headline(const Explanation& explanation) {
  const AnswerRow& row = explanation.row;
  std::string text = fmt::format("{} on {}, {}, batch {}, {}", row.model, explanation.hw_name, row.precision,
                                 grouped(row.batch),
                                 row.task == Task::training ? std::string("training step")
                                 : is_serving_phase(row)    ? "inference, phase " + row.phase
                                                            : std::string("inference"));
  if (row.latency) {
    text += fmt::format(": {} ms ({}-{})", three_digits(as_milliseconds(row.latency->p50)),
                        three_digits(as_milliseconds(row.latency->p10)),
                        three_digits(as_milliseconds(row.latency->p90)));
  } else {
    text += ": does not fit";
  }
  text += fmt::format(", {} of {} GiB", three_digits(as_gibibytes(row.memory.needed)),
                      three_digits(as_gibibytes(row.memory.usable)));
  return text;
}

std::string totals(const Explanation& explanation) {
  return fmt::format("{} parameters, {} MACs and {} FLOPs of matrix products in one forward pass",
                     grouped(explanation.parameters), with_prefix(explanation.macs),
                     with_prefix(explanation.flops));
}

Table kernel_table(const Explanation& explanation) {
  using enum Alignment;
  Seconds all{};
  for (const ExplainedKernel& kernel : explanation.kernels) all += total_time(kernel);
  Table table{.title = "Kernels (time is all launches of a row together, the rest is one launch)"};
  table.columns = {{"layer", "layer", left},
                   {"op", "op", left, true},
                   {"kernel", "kernel", left},
                   {"count", "count", right},
                   {"time\nus", "time_us", right},
                   {"%", "percent", right},
                   {"MMAC", "mmac", right},
                   {"GFLOP", "gflop", right, true},
                   {"read\nMiB", "read_mib", right},
                   {"written\nMiB", "written_mib", right},
                   {"FLOP\n/byte", "intensity", right, true},
                   {"bound", "bound", left}};
  for (const ExplainedKernel& kernel : explanation.kernels) {
    const double share = all.count() > 0 ? total_time(kernel) / all : 0.0;
    table.rows.push_back(
        {{kernel.layer, kernel.op, kernel.kernel, grouped(kernel.count),
          three_digits(as_microseconds(total_time(kernel))), percent(share), three_digits(kernel.macs / 1e6),
          three_digits(kernel.flops / 1e9), three_digits(as_mebibytes(kernel.read)),
          three_digits(as_mebibytes(kernel.written)), three_digits(kernel.intensity),
          std::string(to_string(kernel.bound))}});
  }
  std::int64_t launches = 0;
  for (const ExplainedKernel& kernel : explanation.kernels) launches += kernel.count;
  table.footer.push_back(fmt::format("sum: {} us in {}; --format csv has every field",
                                     three_digits(as_microseconds(all)),
                                     counted(launches, "kernel launch", "es")));
  return table;
}

// Kernels with the same terms differ only in name: one entry for all of them, the most expensive first.
List formula_list(const Explanation& explanation) {
  std::vector<const ExplainedKernel*> order;
  for (const ExplainedKernel& kernel : explanation.kernels) order.push_back(&kernel);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [](const ExplainedKernel* kernel) { return total_time(*kernel).count(); });
  List list{.title = "How the times come about (one launch)"};
  std::set<std::string> seen;
  for (const ExplainedKernel* kernel : order) {
    std::string text = fmt::format("{} {}", kernel->kernel, kernel->form);
    if (!kernel->arithmetic.empty()) text += fmt::format(" [{}]", kernel->arithmetic);
    text += fmt::format(": {} us", three_digits(as_microseconds(kernel->time)));
    for (const TimeTerm& term : kernel->terms) {
      text +=
          fmt::format("; {} = {} = {} us", term.name, term.formula, three_digits(as_microseconds(term.time)));
    }
    if (seen.insert(text).second) list.items.push_back(std::move(text));
  }
  return list;
}

}  // namespace

Document explanation_document(const Explanation& explanation) {
  Document document;
  document.blocks.emplace_back(Paragraph{headline(explanation), Emphasis::strong});
  document.blocks.emplace_back(Paragraph{totals(explanation)});
  document.blocks.emplace_back(kernel_table(explanation));
  document.blocks.emplace_back(formula_list(explanation));
  if (!explanation.assumptions.empty())
    document.blocks.emplace_back(List{"Assumptions", explanation.assumptions});
  if (!explanation.row.notes.empty()) document.blocks.emplace_back(List{"Notes", explanation.row.notes});
  return document;
}

}  // namespace roofcast
