#include "engine/io/measured_fields.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace roofcast {

ColumnIndex::ColumnIndex(const CsvTable& table) : table_(&table) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) places_[table.columns[i]] = i;
}

std::string_view ColumnIndex::field(const CsvRow& row, std::string_view column) const {
  const auto place = places_.find(column);
  return place == places_.end() ? std::string_view{} : std::string_view(row.fields[place->second]);
}

std::string FieldReader::text(std::string_view column) {
  const std::string_view field = index_.field(row_, column);
  if (field.empty()) complain(column, fmt::format("'{}' is empty", column));
  return std::string(field);
}

std::string FieldReader::text_or(std::string_view column, std::string_view otherwise) const {
  const std::string_view field = index_.field(row_, column);
  return std::string(field.empty() ? otherwise : field);
}

std::optional<double> FieldReader::number(std::string_view column) {
  const std::string_view field = index_.field(row_, column);
  if (field.empty()) {
    complain(column, fmt::format("'{}' is empty", column));
    return std::nullopt;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error == std::errc{} && end == field.data() + field.size() && std::isfinite(value)) return value;
  complain(column, fmt::format("'{}' must be a number, not '{}'", column, field));
  return std::nullopt;
}

double FieldReader::positive(std::string_view column) {
  const auto value = number(column);
  if (!value) return 1.0;
  if (*value > 0) return *value;
  complain(column, fmt::format("'{}' must be more than 0, not {}", column, *value));
  return 1.0;
}

std::int64_t FieldReader::whole(std::string_view column, std::int64_t least) {
  const auto value = number(column);
  if (!value) return 1;
  constexpr double most = 9007199254740992.0;  // 2^53: whole numbers are exact up to here
  if (*value == std::floor(*value) && *value >= static_cast<double>(least) && *value <= most)
    return static_cast<std::int64_t>(*value);
  complain(column, fmt::format("'{}' must be a whole number from {}, not {}", column, least, *value));
  return 1;
}

std::int64_t FieldReader::size_or(std::string_view column, std::int64_t otherwise) {
  return is_given(column) ? size(column) : otherwise;
}

std::int64_t FieldReader::count_or(std::string_view column, std::int64_t otherwise) {
  return is_given(column) ? count(column) : otherwise;
}

DType FieldReader::dtype(std::string_view column) {
  const std::string_view field = index_.field(row_, column);
  if (const auto type = parse_dtype(field)) return *type;
  complain(column, fmt::format("'{}': unknown element type '{}'", column, field),
           "fp32, fp16, bf16, fp8, int8 and so on");
  return DType::fp32;
}

std::optional<DType> FieldReader::dtype_if_given(std::string_view column) {
  if (!is_given(column)) return std::nullopt;
  return dtype(column);
}

void FieldReader::complain(std::string_view column, std::string message, std::string hint) {
  problems_.push_back({index_.table().where(row_, column), std::move(message), std::move(hint)});
}

void FieldReader::complain_choice(std::string_view column, const std::vector<std::string>& names) {
  const std::string given(index_.field(row_, column));
  complain(column, fmt::format("'{}': unknown value '{}'", column, given),
           did_you_mean(given, names, fmt::format("known: {}", fmt::join(names, ", "))));
}

}  // namespace roofcast
