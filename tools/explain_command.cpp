#include <fmt/format.h>

#include "engine/decide/estimate.hpp"
#include "engine/report/explanation_report.hpp"
#include "tools/commands.hpp"
#include "tools/load_run.hpp"
#include "tools/output.hpp"
#include "tools/version.hpp"

namespace roofcast {
namespace {

// What was not given is taken from the recommended configuration, or from the first if nothing fits.
Result<Request> one_configuration(const Run& run) {
  Request request = run.request;
  if (request.precisions.size() == 1 && request.batches.size() == 1) return request;
  const auto group = estimate(run.models.front().graph, run.platforms.front().platform, request);
  if (!group) return tl::make_unexpected(group.error());
  if (group->rows.empty()) return fail("there is no configuration to explain");
  const AnswerRow& row = group->rows[group->recommended.value_or(0)];
  request.precisions = {row.precision};
  request.batches = {row.batch};
  if (request.task == Task::inference) request.phases = {group->phase};
  return request;
}

Diagnostics too_many(const Run& run) {
  Diagnostics problems;
  const auto check = [&](std::size_t count, std::string_view option) {
    if (count > 1) problems.push_back({{}, fmt::format("explain takes one {}, not {}", option, count), {}});
  };
  check(run.platforms.size(), "--hw");
  check(run.models.size(), "--model");
  check(run.request.precisions.size(), "--precision");
  check(run.request.batches.size(), "--batch");
  check(run.request.phases.size(), "--phase");
  check(run.combinations.size(), "value of each symbol");
  return problems;
}

}  // namespace

int explain_command(const DataFolder& data, const Options& options) {
  if (const auto format = chosen_format(options.output); !format) return refuse(format.error());
  const auto run = load_run(data, options.run);
  if (!run) return refuse(run.error());
  if (const Diagnostics problems = too_many(*run); !problems.empty()) return refuse(problems);
  const auto request = one_configuration(*run);
  if (!request) return refuse(request.error());
  const auto explanation =
      explain(run->models.front().graph, run->platforms.front().platform, *request, options.expand);
  if (!explanation) return refuse(explanation.error());
  for (const Warning& warning : run->warnings) remark(options.output, warning.text);
  return write_report({.people = [&] { return explanation_document(*explanation); },
                       .rows = [&] { return explanation_rows(*explanation); },
                       .json = [&] { return explanation_json(*explanation, tool_version); }},
                      options.output);
}

}  // namespace roofcast
