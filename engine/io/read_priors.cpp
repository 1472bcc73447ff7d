#include "engine/io/read_priors.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "engine/io/file_rules.hpp"

namespace roofcast {
namespace {

std::optional<Tile> parse_tile(std::string_view text) {
  const auto cross = text.find('x');
  if (cross == std::string_view::npos) return std::nullopt;
  int m = 0;
  int n = 0;
  const auto first = std::from_chars(text.data(), text.data() + cross, m);
  const auto second = std::from_chars(text.data() + cross + 1, text.data() + text.size(), n);
  const bool whole = first.ptr == text.data() + cross && second.ptr == text.data() + text.size();
  if (first.ec != std::errc{} || second.ec != std::errc{} || !whole || m < 1 || n < 1 || m > 1024 || n > 1024)
    return std::nullopt;
  return Tile{static_cast<double>(m), static_cast<double>(n)};
}

void read_tiles(TableReader& table, std::string_view key, std::vector<Tile>& tiles) {
  if (!table.has(key)) return;
  tiles.clear();
  const std::string hint = "write rows x columns: \"128x64\"";
  const toml::array* list = table.raw().get(key)->as_array();
  if (list != nullptr && list->empty())
    table.complain(fmt::format("'{}' is empty", key), table.where(key), hint);
  for (const std::string& text : table.text_or_texts(key)) {
    if (const auto tile = parse_tile(text)) {
      tiles.push_back(*tile);
    } else {
      table.complain(fmt::format("'{}' is no tile", text), table.where(key), hint);
    }
  }
}

std::vector<double> read_numbers(TableReader& table, const toml::node& node, std::string_view key) {
  std::vector<double> numbers;
  const toml::array* list = node.as_array();
  if (list != nullptr) {
    for (const toml::node& entry : *list) {
      if (const auto number = entry.value<double>()) numbers.push_back(*number);
    }
  }
  if (list == nullptr || numbers.size() != list->size()) {
    table.complain(fmt::format("'{}' must be a list of numbers", key), table.where(key));
    numbers.clear();
  }
  return numbers;
}

void read_spread(TableReader& table, Spread& spread) {
  if (!table.has("spread")) return;
  table.expect("spread");
  const auto range = read_numbers(table, *table.raw().get("spread"), "spread");
  if (range.size() == 2 && range[0] > 0 && range[0] <= 1 && range[1] >= 1) {
    spread = {range[0], range[1]};
  } else {
    table.complain("'spread' must be two factors, at most 1 and at least 1", table.where("spread"),
                   "80% of times lie within these times the median: spread = [0.9, 1.15]");
  }
}

void read_residual(TableReader& parent, Residual& residual) {
  if (!parent.has("residual")) return;
  TableReader table = parent.table("residual", true);
  residual = {};
  residual.length = positive_number(table, "length_octaves", Presence::required).value_or(1);
  table.expect("points");
  table.expect("weights");
  const auto* points = table.has("points") ? table.raw().get("points")->as_array() : nullptr;
  const auto* weights = table.has("weights") ? table.raw().get("weights") : nullptr;
  if (points == nullptr || weights == nullptr) {
    table.complain("a residual needs 'points' and 'weights'", table.where());
    return;
  }
  for (const toml::node& entry : *points) {
    const auto numbers = read_numbers(table, entry, "points");
    if (numbers.size() != 4) {
      table.complain("a point of 'points' needs four numbers", table.where("points"));
      return;
    }
    residual.points.push_back({numbers[0], numbers[1], numbers[2], numbers[3]});
  }
  residual.weights = read_numbers(table, *weights, "weights");
  if (residual.weights.size() != residual.points.size()) {
    table.complain(
        fmt::format("{} 'points' but {} 'weights'", residual.points.size(), residual.weights.size()),
        table.where("weights"));
    residual = {};
  }
  table.finish();
}

void read_gemm_lists(TableReader& table, GemmParameters& gemm) {
  read_tiles(table, "tiles", gemm.tiles);
  read_tiles(table, "batched_tiles", gemm.batched_tiles);
  constexpr double largest_tile = 1024;
  const auto edge = table.number("edge");
  if (!edge) return;
  if (*edge >= 0 && *edge <= largest_tile) {
    gemm.edge = *edge;
  } else {
    table.complain(fmt::format("'edge' must be between 0 and {}, not {}", largest_tile, *edge),
                   table.where("edge"));
  }
}

// A file that extends nothing starts without any.
void complain_without_tiles(TableReader& file, const KernelParameters& kernels) {
  for (std::size_t unit = 0; unit < matrix_units; ++unit) {
    const std::string_view name = to_string(static_cast<MatrixUnit>(unit));
    for (const auto& [table, gemm] :
         {std::pair{fmt::format("gemm.{}", name), &kernels.gemm[unit]},
          std::pair{fmt::format("convolution.{}.product", name), &kernels.convolution[unit].product}}) {
      if (!gemm->tiles.empty()) continue;
      file.complain(fmt::format("[{}] has no 'tiles'", table), file.where(),
                    "list those that libraries have kernels for, or extend another file");
    }
  }
}

// The numbers of one table, by their names.
void read_numbers_of(TableReader& table, const std::string& path, std::vector<NamedParameter>& all) {
  for (NamedParameter& parameter : all) {
    if (parameter.table != path) continue;
    table.expect(parameter.key);
    const auto value = table.number(parameter.key);
    if (!value) continue;
    if (!(*value >= parameter.low && *value <= parameter.high)) {
      table.complain(fmt::format("'{}' must be between {} and {}, not {}", parameter.key, parameter.low,
                                 parameter.high, *value),
                     table.where(parameter.key));
      continue;
    }
    *parameter.value = *value;
  }
}

template <class ReadMore>
void read_table(TableReader& parent, std::string_view key, const std::string& path,
                std::vector<NamedParameter>& all, ReadMore&& read_more) {
  parent.expect(key);
  if (!parent.has(key)) return;
  TableReader table = parent.table(key, true);
  read_numbers_of(table, path, all);
  read_more(table);
  table.finish();
}

void read_parameters(TableReader& file, KernelParameters& kernels) {
  std::vector<NamedParameter> all = named_parameters(kernels);
  const auto spread_only = [](Spread& spread) {
    return [&spread](TableReader& table) { read_spread(table, spread); };
  };
  if (file.has("gemm")) {
    TableReader gemms = file.table("gemm");
    for (std::size_t unit = 0; unit < matrix_units; ++unit) {
      const std::string name(to_string(static_cast<MatrixUnit>(unit)));
      GemmParameters& gemm = kernels.gemm[unit];
      read_table(gemms, name, "gemm." + name, all, [&](TableReader& table) {
        read_gemm_lists(table, gemm);
        read_residual(table, gemm.residual);
        read_spread(table, gemm.spread);
      });
    }
    gemms.finish();
  }
  if (file.has("convolution")) {
    TableReader convolutions = file.table("convolution");
    for (std::size_t unit = 0; unit < matrix_units; ++unit) {
      const std::string name(to_string(static_cast<MatrixUnit>(unit)));
      ConvolutionParameters& convolution = kernels.convolution[unit];
      read_table(convolutions, name, "convolution." + name, all, [&](TableReader& table) {
        read_table(table, "product", "convolution." + name + ".product", all,
                   [&](TableReader& product) { read_gemm_lists(product, convolution.product); });
        read_residual(table, convolution.residual);
        read_spread(table, convolution.spread);
      });
    }
    convolutions.finish();
  }
  read_table(file, "attention", "attention", all, spread_only(kernels.attention.spread));
  if (file.has("stream")) {
    TableReader streams = file.table("stream");
    for (std::size_t kind = 0; kind < stream_kinds; ++kind) {
      const std::string name(to_string(static_cast<StreamKind>(kind)));
      read_table(streams, name, "stream." + name, all, spread_only(kernels.stream[kind].spread));
    }
    streams.finish();
  }
  read_table(file, "gather", "gather", all, spread_only(kernels.gather.spread));
  if (file.has("power")) {
    TableReader powers = file.table("power");
    for (std::size_t unit = 0; unit < matrix_units; ++unit) {
      const std::string name(to_string(static_cast<MatrixUnit>(unit)));
      read_table(powers, name, "power." + name, all, [](TableReader& /*table*/) {});
    }
    powers.finish();
  }
  read_table(file, "cache", "cache", all, [](TableReader& /*table*/) {});
}

std::vector<FittedOn> read_fitted_on(TableReader& file) {
  std::vector<FittedOn> entries;
  for (TableReader& table : file.tables("fitted_on")) {
    FittedOn entry{.device = table.text("device").value_or(""),
                   .source = filled_text(table, "source"),
                   .kernel = table.text("kernel").value_or("")};
    const std::string split = filled_text(table, "split");
    if (split != "half" && split != "all") {
      table.complain(fmt::format("unknown split '{}'", split), table.where("split"),
                     "write \"half\" or \"all\"");
    }
    entry.split = split == "all" ? GroupSplit::all : GroupSplit::half;
    entry.rows = positive_integer(table, "rows", Presence::required).value_or(0);
    table.finish();
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace

Result<ReadPriors> read_priors(TableReader& reader, const std::string& file, const FindPriors& find,
                               const Diagnostics& problems) {
  check_schema(reader);
  ReadPriors result;
  Priors& priors = result.priors;
  if (const auto base = reader.text("extends")) {
    auto found = find(*base);
    if (!found) return tl::make_unexpected(found.error());
    priors = *std::move(found);
    result.extends = *base;
  }
  priors.name = std::filesystem::path(file).stem().string();
  priors.title = filled_text(reader, "title");
  if (const auto widened = reader.number("widened")) {
    if (!(*widened >= 1 && *widened <= 10)) {
      reader.complain(fmt::format("'widened' must be between 1 and 10, not {}", *widened),
                      reader.where("widened"));
    }
    priors.widened *= *widened;
  }
  if (const auto spread = positive_number(reader, "memory_spread", Presence::optional))
    priors.memory_spread = *spread;
  if (priors.memory_spread > 1.0) {
    reader.complain(fmt::format("'memory_spread' must be at most 1, not {}", priors.memory_spread),
                    reader.where("memory_spread"),
                    "it is the part of the needed memory that may come on top");
  }
  read_parameters(reader, priors.kernels);
  if (problems.empty()) complain_without_tiles(reader, priors.kernels);
  auto entries = read_fitted_on(reader);
  priors.fitted_on.insert(priors.fitted_on.end(), entries.begin(), entries.end());
  priors.sources = read_sources(reader, {"parameters"});
  return result;
}

}  // namespace roofcast
