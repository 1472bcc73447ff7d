#pragma once
// What goes wrong because of input: a place, a message and a way out. `Result<T>` carries either a value or
// these.

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace roofcast {

/// Where in the user's input something stands. Line and column count from 1; 0 means "the whole file" or
/// unknown.
struct Location {
  std::string file{};
  int line = 0;
  int column = 0;

  friend bool operator==(const Location&, const Location&) = default;
};

/// One mistake. `message` is lower case with the culprit in quotes and no full stop; `hint` says what to do
/// about it.
struct Diagnostic {
  Location where{};
  std::string message{};
  std::string hint{};
};

/// All mistakes found before giving up, in the order of the file.
using Diagnostics = std::vector<Diagnostic>;

template <class T>
using Result = tl::expected<T, Diagnostics>;

/// A failed `Result` with a single mistake.
inline tl::unexpected<Diagnostics> fail(std::string message, Location where = {}, std::string hint = {}) {
  return tl::make_unexpected(Diagnostics{{std::move(where), std::move(message), std::move(hint)}});
}

/// `models/bert.toml:31:8: error: unknown operator 'matmull'`, and `  hint: ...` on a line of its own if
/// there is one. Control characters in the message are shown as `?`, so that a binary file cannot disturb a
/// terminal.
std::string to_string(const Diagnostic& diagnostic);

/// One after the other, each with its line ends.
std::string to_string(const Diagnostics& diagnostics);

/// The candidate nearest to `wrong` in edit distance, or empty when none is near enough to be meant.
std::string nearest(std::string_view wrong, const std::vector<std::string>& candidates);

/// "did you mean 'x'?" or, without a near candidate, `otherwise`.
std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& candidates,
                         std::string_view otherwise = {});

}  // namespace roofcast
