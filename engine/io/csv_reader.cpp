#include "engine/io/csv_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/io/read_file.hpp"

namespace roofcast {
namespace {

constexpr std::uintmax_t most_bytes = std::uintmax_t{256} << 20U;

// The text from its start to its end, a record at a time.
class CsvScanner {
 public:
  CsvScanner(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  bool done() {
    while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) {
      if (text_[at_++] == '\n') next_line(at_);
    }
    return at_ == text_.size();
  }

  Result<CsvRow> record() {
    CsvRow row{.line = line_};
    for (bool more = true; more;) {
      row.columns.push_back(static_cast<int>(at_ - line_start_) + 1);
      auto field = text_.substr(at_).starts_with('"') ? quoted() : plain();
      if (!field) return tl::unexpected(field.error());
      row.fields.push_back(*std::move(field));
      more = at_ < text_.size() && text_[at_] == ',';
      if (more) ++at_;
    }
    return row;
  }

 private:
  void next_line(std::size_t start) {
    ++line_;
    line_start_ = start;
  }

  Result<std::string> plain() {
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    std::string field(text_.substr(at_, end - at_));
    at_ = end;
    return field;
  }

  Result<std::string> quoted() {
    const int first_line = line_;
    std::string field;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"' && !text_.substr(at_ + 1).starts_with('"')) break;
      if (text_[at_] == '"') ++at_;
      if (text_[at_] == '\n') next_line(at_ + 1);
      field += text_[at_];
    }
    if (at_ == text_.size()) return fail("a quoted field does not end", {file_, first_line, 0});
    ++at_;
    if (at_ < text_.size() && std::string_view(",\r\n").find(text_[at_]) == std::string_view::npos) {
      return fail("text after the end of a quoted field", {file_, line_, 0},
                  "quotes inside a quoted field are written twice");
    }
    return field;
  }

  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
};

}  // namespace

bool CsvTable::has_column(std::string_view column) const {
  return std::ranges::find(columns, column) != columns.end();
}

std::string_view CsvTable::field(const CsvRow& row, std::string_view column) const {
  const auto index = static_cast<std::size_t>(std::ranges::find(columns, column) - columns.begin());
  return index < row.fields.size() ? std::string_view(row.fields[index]) : std::string_view{};
}

Location CsvTable::where(const CsvRow& row, std::string_view column) const {
  const auto index = static_cast<std::size_t>(std::ranges::find(columns, column) - columns.begin());
  return {file, row.line, index < row.columns.size() ? row.columns[index] : 0};
}

Result<CsvTable> parse_csv(std::string_view text, const std::string& file) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // the mark that spreadsheets write first
  CsvScanner scanner(text, file);
  if (scanner.done())
    return fail("the file is empty", Location{file, 0, 0}, "the first line names the columns");
  auto header = scanner.record();
  if (!header) return tl::unexpected(header.error());
  CsvTable table{.file = file, .columns = std::move(header->fields)};
  Diagnostics problems;
  for (auto column = table.columns.begin(); column != table.columns.end(); ++column) {
    if (std::find(table.columns.begin(), column, *column) == column) continue;
    problems.push_back({{file, header->line, 0}, fmt::format("two columns are named '{}'", *column), {}});
  }
  while (!scanner.done()) {
    auto row = scanner.record();
    if (!row) {  // where the next record starts is open
      problems.insert(problems.end(), row.error().begin(), row.error().end());
      break;
    }
    if (row->fields.size() != table.columns.size()) {
      problems.push_back({{file, row->line, 0},
                          fmt::format("{} fields, but {} columns", row->fields.size(), table.columns.size()),
                          "fields with commas are written in quotes"});
    }
    table.rows.push_back(*std::move(row));
  }
  if (!problems.empty()) return tl::unexpected(std::move(problems));
  return table;
}

Result<CsvTable> read_csv(const std::filesystem::path& path) {
  const auto text = read_text(path, most_bytes);
  if (!text) return tl::unexpected(text.error());
  return parse_csv(*text, path.string());
}

Diagnostics missing_columns(const CsvTable& table, std::span<const std::string_view> wanted) {
  Diagnostics problems;
  for (const std::string_view column : wanted) {
    if (table.has_column(column)) continue;
    problems.push_back(
        {{table.file, 1, 0}, fmt::format("no column '{}'", column), did_you_mean(column, table.columns)});
  }
  return problems;
}

}  // namespace roofcast
