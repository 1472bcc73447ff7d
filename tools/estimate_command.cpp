#include <algorithm>

#include "engine/decide/estimate.hpp"
#include "engine/report/answer_report.hpp"
#include "tools/commands.hpp"
#include "tools/load_run.hpp"
#include "tools/output.hpp"
#include "tools/progress.hpp"
#include "tools/version.hpp"

namespace roofcast {
namespace {

void add_new(std::vector<std::string>& texts, const std::vector<std::string>& more) {
  for (const std::string& text : more) {
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
  }
}

bool anything_fits(const Answer& answer) {
  // A row that fits is recommended, with phases only if it fits in all of them.
  return std::ranges::any_of(answer.groups,
                             [](const AnswerGroup& group) { return group.recommended.has_value(); });
}

Result<Answer> answer_of(const Run& run, bool quiet) {
  Answer answer{.inputs = run.inputs, .warnings = run.warnings};
  Diagnostics problems;
  ProgressLine line(!quiet);
  for (const NamedModel& model : run.models) {
    for (const NamedPlatform& named : run.platforms) {
      auto group = estimate(model.graph, named.platform, run.request,
                            [&](std::size_t done, std::size_t total) { line.show(done, total); });
      if (!group) {
        problems.insert(problems.end(), group.error().begin(), group.error().end());
        continue;
      }
      for (const std::string& skipped : group->skipped) answer.warnings.push_back({"W-SKIPPED", skipped});
      answer.groups.push_back(*std::move(group));
      add_new(answer.assumptions, assumptions(model.graph, named.platform, run.request));
    }
  }
  if (answer.groups.empty()) return tl::make_unexpected(std::move(problems));
  // Of several cards and models some may be impossible; the others still get their answer.
  for (const Diagnostic& problem : problems) answer.warnings.push_back({"W-SKIPPED", problem.message});
  return answer;
}

}  // namespace

int estimate_command(const DataFolder& data, const Options& options) {
  if (const auto format = chosen_format(options.output); !format) return refuse(format.error());
  const auto run = load_run(data, options.run);
  if (!run) return refuse(run.error());
  const auto answer = answer_of(*run, options.output.quiet);
  if (!answer) return refuse(answer.error());
  // Somebody who lists batch sizes wants to see each of them.
  const bool all = options.all || !options.run.batches.empty();
  const int written = write_report({.people = [&] { return answer_document(*answer, all); },
                                    .rows = [&] { return answer_rows(*answer); },
                                    .json = [&] { return answer_json(*answer, tool_version); }},
                                   options.output);
  if (written != exit_ok) return written;
  const bool skipped =
      std::ranges::any_of(answer->warnings, [](const Warning& w) { return w.code == "W-SKIPPED"; });
  if (skipped) return exit_some_failed;
  return options.require_fit && !anything_fits(*answer) ? exit_does_not_fit : exit_ok;
}

}  // namespace roofcast
