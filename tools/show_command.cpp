#include <fmt/format.h>

#include "engine/decide/estimate.hpp"
#include "engine/report/device_report.hpp"
#include "engine/report/summary_report.hpp"
#include "tools/commands.hpp"
#include "tools/load_run.hpp"
#include "tools/output.hpp"
#include "tools/version.hpp"

namespace roofcast {
namespace {

int show_hardware(const DataFolder& data, const Options& options) {
  const auto found = data.find_device(options.name);
  if (!found) return refuse(found.error());
  if (!found->note.empty()) remark(options.output, found->note);
  return write_report({.people = [&] { return device_document(found->device); },
                       .rows = [&] { return device_rows(found->device); },
                       .json = [&] { return device_json(found->device, tool_version); }},
                      options.output);
}

int show_model(const DataFolder& data, const Options& options) {
  const auto values = parse_symbols(options.run.symbols);
  if (!values) return refuse(values.error());
  const auto combinations = combinations_of(*values);
  if (!combinations) return refuse(combinations.error());
  if (combinations->size() > 1) return refuse({{{}, "show takes one value of each symbol", {}}});
  const Bindings& symbols = combinations->front();
  const auto shapes = parse_shapes(options.run.shapes);
  if (!shapes) return refuse(shapes.error());
  const auto model =
      load_named_model(data, options.name,
                       {.symbols = symbols, .shapes = *shapes, .allow_unknown = options.run.allow_unknown});
  if (!model) return refuse(model.error());
  const auto summary = summarize(model->graph, symbols);
  if (!summary) return refuse(summary.error());
  return write_report({.people = [&] { return summary_document(*summary); },
                       .rows = [&] { return summary_rows(*summary); },
                       .json = [&] { return summary_json(*summary, tool_version); }},
                      options.output);
}

}  // namespace

int show_command(const DataFolder& data, const Options& options) {
  if (const auto format = chosen_format(options.output); !format) return refuse(format.error());
  if (options.topic == "hw") return show_hardware(data, options);
  if (options.topic == "model") return show_model(data, options);
  return refuse({{{},
                  fmt::format("cannot show '{}'", options.topic),
                  did_you_mean(options.topic, {"hw", "model"}, "known: hw NAME, model NAME")}});
}

}  // namespace roofcast
