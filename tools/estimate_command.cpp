#include <algorithm>
#include <mutex>
#include <optional>

#include "engine/base/threads.hpp"
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

/// One model on one card.
struct Outcome {
  Result<AnswerGroup> group{};
  std::vector<std::string> assumptions{};
};

// One model at one combination of values, on each card.
std::vector<Outcome> outcomes_of(const DataFolder& data, const Run& run, std::size_t which,
                                 std::size_t combination, const Progress& progress) {
  std::vector<Outcome> outcomes(run.platforms.size());
  Request request = run.request;
  request.symbols = run.combinations[combination];
  const Graph* model = &run.models[which].graph;
  std::optional<NamedModel> again;
  if (combination > 0) {  // sizes decide how some files are read
    OpenOptions open = run.open_options;
    open.symbols = request.symbols;
    auto read = load_named_model(data, run.models[which].file, open);
    if (!read) {
      for (Outcome& outcome : outcomes) outcome.group = tl::make_unexpected(read.error());
      return outcomes;
    }
    model = &again.emplace(*std::move(read)).graph;
  }
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const Platform& platform = run.platforms[i].platform;
    outcomes[i].group = estimate(*model, platform, request, progress);
    if (outcomes[i].group) outcomes[i].assumptions = assumptions(*model, platform, request);
  }
  return outcomes;
}

// By model, card and combination.
std::vector<Outcome> all_outcomes(const DataFolder& data, const Run& run, bool quiet) {
  ProgressLine line(!quiet);
  const std::size_t combinations = run.combinations.size();
  const std::size_t cards = run.platforms.size();
  const std::size_t total = run.models.size() * combinations;
  if (total == 1) {
    return outcomes_of(data, run, 0, 0, [&](std::size_t done, std::size_t of) { line.show(done, of); });
  }
  std::vector<Outcome> outcomes(total * cards);
  std::mutex mutex;
  std::size_t done = 0;
  for_each_block(total, 1, [&](std::size_t at, std::size_t) {
    const std::size_t model = at / combinations;
    const std::size_t combination = at % combinations;
    std::vector<Outcome> found = outcomes_of(data, run, model, combination, {});
    for (std::size_t card = 0; card < cards; ++card) {
      outcomes[(model * cards + card) * combinations + combination] = std::move(found[card]);
    }
    const std::scoped_lock lock(mutex);
    line.show(++done, total, combinations == 1 ? "models" : "models and sizes");
  });
  return outcomes;
}

Result<Answer> answer_of(const DataFolder& data, const Run& run, bool quiet) {
  Answer answer{.inputs = run.inputs, .warnings = run.warnings};
  Diagnostics problems;
  for (Outcome& outcome : all_outcomes(data, run, quiet)) {
    if (!outcome.group) {
      problems.insert(problems.end(), outcome.group.error().begin(), outcome.group.error().end());
      continue;
    }
    for (const std::string& skipped : outcome.group->skipped)
      answer.warnings.push_back({"W-SKIPPED", skipped});
    answer.groups.push_back(*std::move(outcome.group));
    add_new(answer.assumptions, outcome.assumptions);
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
  const auto answer = answer_of(data, *run, options.output.quiet);
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
