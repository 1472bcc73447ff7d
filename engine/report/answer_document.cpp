#include <fmt/format.h>

#include <algorithm>

#include "engine/report/answer_report.hpp"
#include "engine/report/answer_tables.hpp"

namespace roofcast {
namespace {

void add_new(std::vector<std::string>& texts, const std::string& text) {
  if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
}

// Only of the rows that the reader is pointed to; the other rows' notes are in the formats for programs.
std::vector<std::string> notes_of(const Answer& answer) {
  std::vector<std::string> notes;
  for (const AnswerGroup& group : answer.groups) {
    if (!group.recommended) continue;
    for (const std::string& note : group.rows[*group.recommended].notes) add_new(notes, note);
  }
  return notes;
}

void add_list(Document& document, std::string title, std::vector<std::string> items) {
  if (!items.empty()) document.blocks.emplace_back(List{std::move(title), std::move(items)});
}

}  // namespace

Document answer_document(const Answer& answer, bool all) {
  Document document;
  const bool several = answer.groups.size() > 1;
  constexpr std::size_t most_verdicts = 4;  // beyond this the comparison says it better
  for (const AnswerGroup& group : answer.groups) {
    if (group.verdict.empty() || (answer.groups.size() > most_verdicts && !all)) continue;
    document.blocks.emplace_back(Paragraph{group.verdict, Emphasis::strong});
  }
  if (several) {
    Table comparison = comparison_table(answer.groups);
    if (!all) comparison.footer.emplace_back("--all prints every configuration of each, --format csv too");
    document.blocks.emplace_back(std::move(comparison));
  }
  for (const AnswerGroup& group : answer.groups) {
    if (group.rows.empty() || (several && !all)) continue;
    document.blocks.emplace_back(grid_table(group, all));
    document.blocks.emplace_back(memory_table(group));
  }
  add_list(document, "Assumptions", answer.assumptions);
  add_list(document, "Notes", notes_of(answer));
  std::vector<std::string> warnings;
  for (const Warning& warning : answer.warnings)
    warnings.push_back(fmt::format("{}: {}", warning.code, warning.text));
  add_list(document, "Warnings", std::move(warnings));
  return document;
}

}  // namespace roofcast
