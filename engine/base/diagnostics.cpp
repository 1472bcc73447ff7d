#include "engine/base/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace roofcast {
namespace {

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    shown += (code < 0x20 || code == 0x7f) ? '?' : letter;
  }
  constexpr std::size_t longest = 400;
  if (shown.size() > longest) {
    // A UTF-8 character that starts before the cut and ends after it goes as a whole.
    std::size_t cut = longest;
    while (cut > 0 && (static_cast<unsigned char>(shown[cut]) & 0xC0U) == 0x80U) --cut;
    shown.resize(cut);
    shown += " ...";
  }
  return shown;
}

// Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, substitutions, neighbour
// swaps.
std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> before_last(right.size() + 1);
  std::vector<std::size_t> last(right.size() + 1);
  std::vector<std::size_t> current(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t change = left[i - 1] == right[j - 1] ? 0 : 1;
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
        current[j] = std::min(current[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, current);
  }
  return last[right.size()];
}

}  // namespace

std::string to_string(const Diagnostic& diagnostic) {
  std::string text;
  if (!diagnostic.where.file.empty()) {
    text += printable(diagnostic.where.file) + ":";
    if (diagnostic.where.line > 0) text += fmt::format("{}:", diagnostic.where.line);
    if (diagnostic.where.line > 0 && diagnostic.where.column > 0) {
      text += fmt::format("{}:", diagnostic.where.column);
    }
    text += " ";
  }
  text += "error: " + printable(diagnostic.message);
  if (!diagnostic.hint.empty()) text += "\n  hint: " + printable(diagnostic.hint);
  return text;
}

std::string to_string(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += to_string(diagnostic) + "\n";
  return text;
}

std::string nearest(std::string_view wrong, const std::vector<std::string>& candidates) {
  constexpr std::size_t longest_name = 64;  // beyond this nobody mistyped a name
  if (wrong.empty() || wrong.size() > longest_name) return {};
  const std::size_t allowed = std::max<std::size_t>(1, wrong.size() / 3);
  std::string best;
  std::size_t best_distance = allowed + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > longest_name) continue;
    const std::size_t distance = edit_distance(wrong, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& candidates,
                         std::string_view otherwise) {
  const std::string found = nearest(wrong, candidates);
  return found.empty() ? std::string(otherwise) : fmt::format("did you mean '{}'?", found);
}

}  // namespace roofcast
