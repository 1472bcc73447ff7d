#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/io/load_priors.hpp"
#include "engine/io/toml_text.hpp"

namespace roofcast {
namespace {

std::string tile_list(const std::vector<Tile>& tiles) {
  std::vector<std::string> names;
  for (const Tile& tile : tiles) names.push_back(fmt::format("\"{}x{}\"", tile.m, tile.n));
  return fmt::format("[{}]", fmt::join(names, ", "));
}

bool same(const std::vector<Tile>& left, const std::vector<Tile>& right) {
  return std::ranges::equal(left, right,
                            [](const Tile& a, const Tile& b) { return a.m == b.m && a.n == b.n; });
}

std::string gemm_lines(const GemmParameters& gemm, const GemmParameters& base) {
  std::string lines;
  if (!same(gemm.tiles, base.tiles)) lines += fmt::format("tiles = {}\n", tile_list(gemm.tiles));
  if (!same(gemm.batched_tiles, base.batched_tiles))
    lines += fmt::format("batched_tiles = {}\n", tile_list(gemm.batched_tiles));
  if (gemm.edge != base.edge) lines += fmt::format("edge = {}\n", gemm.edge);
  return lines;
}

std::string spread_line(const Spread& spread, const Spread& base) {
  if (spread.low == base.low && spread.high == base.high) return {};
  return fmt::format("spread = [{:.3g}, {:.3g}]\n", spread.low, spread.high);
}

std::string residual_table(const std::string& table, const Residual& residual, const Residual& base) {
  if (residual.weights == base.weights) return {};
  std::string text =
      fmt::format("\n[{}.residual]  # of the logarithm of times, over log2 of four sizes\n", table);
  text += fmt::format("length_octaves = {}\npoints = [", residual.length);
  for (std::size_t i = 0; i < residual.points.size(); ++i) {
    const Features& point = residual.points[i];
    text += fmt::format("{}[{:.3g}, {:.3g}, {:.3g}, {:.3g}],", i % 4 == 0 ? "\n  " : " ", point[0], point[1],
                        point[2], point[3]);
  }
  text += "\n]\nweights = [";
  for (std::size_t i = 0; i < residual.weights.size(); ++i) {
    text += fmt::format("{}{:.3g},", i % 12 == 0 ? "\n  " : " ", residual.weights[i]);
  }
  return text + "\n]\n";
}

}  // namespace

std::string write_priors(const Priors& priors, const Priors& base) {
  std::string text = fmt::format("schema = 1\ntitle = {}\nextends = {}\n", toml_string(priors.title),
                                 toml_string(base.name));
  if (priors.widened != base.widened)
    text += fmt::format("widened = {:.3g}\n", priors.widened / base.widened);
  if (priors.memory_spread != base.memory_spread)
    text += fmt::format("memory_spread = {:.3g}\n", priors.memory_spread);

  Priors changed = priors;
  Priors start = base;
  const std::vector<NamedParameter> values = named_parameters(changed.kernels);
  const std::vector<NamedParameter> starts = named_parameters(start.kernels);
  std::vector<std::string> order;
  std::map<std::string, std::string> tables;
  const auto append = [&](const std::string& table, const std::string& lines) {
    if (lines.empty()) return;
    const auto [entry, is_new] = tables.try_emplace(table);
    if (is_new) order.push_back(table);
    entry->second += lines;
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (*values[i].value == *starts[i].value) continue;
    append(values[i].table, fmt::format("{} = {:.4g}\n", values[i].key, *values[i].value));
  }
  std::map<std::string, std::string> residuals;
  for (std::size_t unit = 0; unit < matrix_units; ++unit) {
    const std::string name(to_string(static_cast<MatrixUnit>(unit)));
    const GemmParameters& gemm = priors.kernels.gemm[unit];
    const GemmParameters& gemm_base = base.kernels.gemm[unit];
    append("gemm." + name, gemm_lines(gemm, gemm_base) + spread_line(gemm.spread, gemm_base.spread));
    residuals["gemm." + name] = residual_table("gemm." + name, gemm.residual, gemm_base.residual);
    const ConvolutionParameters& convolution = priors.kernels.convolution[unit];
    const ConvolutionParameters& convolution_base = base.kernels.convolution[unit];
    append("convolution." + name, spread_line(convolution.spread, convolution_base.spread));
    append("convolution." + name + ".product", gemm_lines(convolution.product, convolution_base.product));
    residuals["convolution." + name] =
        residual_table("convolution." + name, convolution.residual, convolution_base.residual);
  }
  append("attention", spread_line(priors.kernels.attention.spread, base.kernels.attention.spread));
  for (std::size_t kind = 0; kind < stream_kinds; ++kind) {
    append("stream." + std::string(to_string(static_cast<StreamKind>(kind))),
           spread_line(priors.kernels.stream[kind].spread, base.kernels.stream[kind].spread));
  }
  append("gather", spread_line(priors.kernels.gather.spread, base.kernels.gather.spread));
  for (const std::string& table : order) text += fmt::format("\n[{}]\n{}", table, tables[table]);
  for (const auto& [table, residual] : residuals) text += residual;
  for (std::size_t i = base.fitted_on.size(); i < priors.fitted_on.size(); ++i) {
    const FittedOn& entry = priors.fitted_on[i];
    text += fmt::format("\n[[fitted_on]]\ndevice = {}\nsource = {}\nkernel = {}\nsplit = \"{}\"\nrows = {}\n",
                        toml_string(entry.device), toml_string(entry.source), toml_string(entry.kernel),
                        entry.split == GroupSplit::all ? "all" : "half", entry.rows);
  }
  text += "\n[sources]\n";
  for (const auto& [key, source] : priors.sources) text += fmt::format("{} = {}\n", key, toml_string(source));
  return text;
}

}  // namespace roofcast
