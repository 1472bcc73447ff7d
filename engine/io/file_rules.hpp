#pragma once
// Rules that hold for every data file: its schema, numbers that must make sense, a source for each table.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/toml_reader.hpp"

namespace roofcast {

enum class Presence : std::uint8_t { optional, required };

/// `schema` must be there and be `known`.
void check_schema(TableReader& file, std::int64_t known = 1);

/// A text that must be there and not be empty.
std::string filled_text(TableReader& table, std::string_view key);

/// A finite number above zero; anything else is a mistake and gives nothing.
std::optional<double> positive_number(TableReader& table, std::string_view key, Presence presence);

/// An integer from 1 to 10^9.
std::optional<int> positive_integer(TableReader& table, std::string_view key, Presence presence);

/// The table [sources]: a text for each of `needed`, and nothing else but `also`.
std::map<std::string, std::string> read_sources(TableReader& file, const std::vector<std::string>& needed,
                                                const std::vector<std::string>& also = {});

/// `YYYY-MM` or `YYYY-MM-DD`, or empty when the key is absent.
std::string read_date(TableReader& table, std::string_view key);

/// The mistakes by line and column; those about the whole file come first.
Diagnostics in_file_order(Diagnostics problems);

}  // namespace roofcast
