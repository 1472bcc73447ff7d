#pragma once
// Samples as tables of measured times (tests/validation/README.md): one for each kind of sizes.

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "engine/base/diagnostics.hpp"
#include "kernels/backend.hpp"
#include "kernels/measure.hpp"

namespace roofcast {

enum class SampleTable : std::uint8_t { products, attention, convolutions, collectives, streams };

inline constexpr std::array sample_tables = {SampleTable::products, SampleTable::attention,
                                             SampleTable::convolutions, SampleTable::collectives,
                                             SampleTable::streams};

SampleTable table_of(const Probe& probe);

/// What all rows of a folder have in common.
struct SampleOrigin {
  std::string hardware{};   ///< the card, as the tables call it
  std::string libraries{};  ///< who computed
  std::string date{};       ///< "2026-11-30"
};

/// Writes each sample at once, so that a run that is broken off keeps what it has. A table without a row is
/// not there.
class SampleFolder {
 public:
  /// Makes the folder. Tables that are there already are an error, unless `resume`: then their rows count as
  /// done, and a last row that was not written to its end is cut off. Rows of another card are an error.
  static Result<SampleFolder> open(const std::filesystem::path& folder, const SampleOrigin& origin,
                                   bool resume);

  bool is_done(const Probe& probe) const { return done_.contains(name(probe)); }
  std::size_t done() const { return done_.size(); }
  Result<void> write(const Sample& sample);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Close>;

  SampleFolder(std::filesystem::path folder, SampleOrigin origin)
      : folder_(std::move(folder)), origin_(std::move(origin)) {}
  Result<void> read_table(SampleTable table, bool resume);
  Result<File> append_table(SampleTable table) const;

  std::filesystem::path folder_{};
  SampleOrigin origin_{};
  std::array<File, sample_tables.size()> files_{};  ///< in their order; opened for the first row
  std::set<std::string, std::less<>> done_{};
};

/// Text for a field of a table, without what would need quotes.
std::string csv_field(std::string text);

/// The row of a sample, without its line end. No field holds a comma, quote or line break.
std::string sample_row(const Sample& sample, const SampleOrigin& origin);

/// The names of the columns, as a row.
std::string sample_header(SampleTable table);

}  // namespace roofcast
