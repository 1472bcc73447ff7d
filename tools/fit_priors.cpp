// fit_priors: fits hardware_db/priors/*.toml to tables of measured operators.
//
//     tools/run fit_priors --measured ../shared/measured -o hardware_db/priors
//
// Reads the starting values of each architecture from what its file extends, fits on the half of the shape
// groups that `in_fitted_half` names, and prints the error on the other half before and after.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <set>

#include "engine/fit/fit_kernels.hpp"
#include "engine/fit/fit_networks.hpp"
#include "engine/fit/fit_residual.hpp"
#include "engine/io/data_folder.hpp"
#include "engine/io/load_priors.hpp"
#include "engine/io/measured_table.hpp"
#include "engine/validate/operator_kernel.hpp"
#include "engine/validate/predict_networks.hpp"
#include "engine/validate/split.hpp"
#include "tools/locate_data.hpp"
#include "tools/measured_models.hpp"
#include "tools/output.hpp"
#include "tools/write_file.hpp"

namespace roofcast {
namespace {

/// A row with what the fit needs of it.
struct Row {
  const MeasuredRow* measured = nullptr;
  std::string device{};
  std::string architecture{};
  KernelSample sample{};
  bool fitted = false;  ///< in the half that a fit may see
};

/// Parameters that are fitted together on the rows that depend on them.
struct Stage {
  std::string name{};
  std::vector<std::string> tables{};
  std::function<bool(const Row&)> takes{};
  std::function<Residual*(Priors&)> residual{};
  std::function<Spread&(Priors&)> spread{};
  double noise = 0.06;
  std::vector<std::string> sources{};  ///< only these, if any
};

const BoundKernel& kernel(const Row& row) {
  return row.sample.kernels.front();
}

MatrixUnit unit(const Row& row) {
  return matrix_unit(kernel(row).arithmetic, row.sample.machine);
}

template <class Form>
bool is(const Row& row) {
  return std::holds_alternative<Form>(kernel(row).form);
}

// Sources whose products run as networks would: not those of serving programs with kernels of their own.
bool is_library_product(const Row& row) {
  return row.measured->source != "vidur";
}

// Weights in 4 or 8 bits that are multiplied in 16: a kernel of its own.
bool stores_other_weights(const Row& row) {
  return std::get<OperatorRow>(row.measured->what).precision.starts_with('w');
}

std::vector<Stage> stages() {
  using Dim = std::int64_t;
  std::vector<Stage> all;
  for (const MatrixUnit wanted :
       {MatrixUnit::vector, MatrixUnit::tensor16, MatrixUnit::tensor32, MatrixUnit::tensor8}) {
    const std::string name(to_string(wanted));
    const auto index = static_cast<std::size_t>(wanted);
    all.push_back(
        {.name = "gemm." + name,
         .tables = {"gemm." + name, "power." + name},
         .takes =
             [wanted](const Row& row) {
               return is<Gemm<Dim>>(row) && unit(row) == wanted && is_library_product(row) &&
                      !stores_other_weights(row);
             },
         .residual = [index](Priors& priors) { return &priors.kernels.gemm[index].residual; },
         .spread = [index](Priors& priors) -> Spread& { return priors.kernels.gemm[index].spread; }});
  }
  const auto vector = static_cast<std::size_t>(MatrixUnit::vector);
  all.push_back(
      {.name = "convolution.vector",
       .tables = {"convolution.vector", "convolution.vector.product"},
       .takes = [](const Row& row) { return is<Convolution<Dim>>(row) && unit(row) == MatrixUnit::vector; },
       .residual = [](Priors& priors) { return &priors.kernels.convolution[vector].residual; },
       .spread = [](Priors& priors) -> Spread& { return priors.kernels.convolution[vector].spread; },
       .noise = 0.12});
  all.push_back(
      {.name = "attention",
       .tables = {"attention"},
       .takes = [](const Row& row) { return is<Attention<Dim>>(row) && unit(row) == MatrixUnit::tensor16; },
       .spread = [](Priors& priors) -> Spread& { return priors.kernels.attention.spread; },
       .noise = 0.1});
  for (const StreamKind kind :
       {StreamKind::elementwise, StreamKind::gated_activation, StreamKind::normalization,
        StreamKind::rms_normalization, StreamKind::softmax}) {
    const auto index = static_cast<std::size_t>(kind);
    all.push_back(
        {.name = "stream." + std::string(to_string(kind)),
         .tables = {"stream." + std::string(to_string(kind))},
         .takes =
             [kind](const Row& row) {
               const auto* stream = std::get_if<Stream<Dim>>(&kernel(row).form);
               // Vidur prints whole microseconds, and its tensors stay in the cache of an H100.
               const bool coarse = kind == StreamKind::elementwise && row.measured->source == "vidur";
               return stream != nullptr && stream->kind == kind && !coarse;
             },
         .spread = [index](Priors& priors) -> Spread& { return priors.kernels.stream[index].spread; },
         .noise = 0.03});
  }
  return all;
}

/// A row of a network with what the fit needs of it.
struct NetworkFitRow {
  const MeasuredRow* measured = nullptr;
  std::string architecture{};
  NetworkSample sample{};
  bool fitted = false;
};

// What nobody has timed kernel by kernel: convolutions on Tensor Cores, their gradients, and most streaming
// kernels.
const std::vector<std::string> network_tables = {"convolution.tensor16",
                                                 "convolution.tensor16.product",
                                                 "convolution.tensor32",
                                                 "convolution.tensor32.product",
                                                 "convolution.vector",
                                                 "stream.batch_normalization",
                                                 "stream.pooling",
                                                 "stream.copy",
                                                 "stream.reduction",
                                                 "stream.transpose",
                                                 "stream.optimizer",
                                                 "stream.elementwise",
                                                 "stream.normalization",
                                                 "stream.softmax",
                                                 "gather",
                                                 "attention",
                                                 "gemm.tensor16",
                                                 "gemm.tensor32",
                                                 "power.tensor16",
                                                 "power.tensor32"};

struct Errors {
  double median = 0;
  double p90 = 0;
  double bias = 0;
};

template <class Sample>
Errors summary(const std::vector<Sample>& samples, const Priors& priors) {
  std::vector<double> relative;
  for (const double error : errors(std::span<const Sample>(samples), priors))
    relative.push_back(std::exp(-error) - 1);
  if (relative.empty()) return {};
  std::ranges::sort(relative);
  Errors result{.bias = relative[relative.size() / 2]};
  for (double& error : relative) error = std::abs(error);
  std::ranges::sort(relative);
  result.median = relative[relative.size() / 2];
  result.p90 = relative[relative.size() * 9 / 10];
  return result;
}

// Every n-th sample, so that a fit takes seconds.
template <class Sample>
std::vector<Sample> thinned(const std::vector<Sample>& samples, std::size_t most) {
  if (samples.size() <= most) return samples;
  std::vector<Sample> result;
  const double step = static_cast<double>(samples.size()) / static_cast<double>(most);
  for (std::size_t i = 0; i < most; ++i)
    result.push_back(samples[static_cast<std::size_t>(static_cast<double>(i) * step)]);
  return result;
}

class Fitter {
 public:
  Fitter(const DataFolder& data, std::vector<Row> rows, std::vector<NetworkFitRow> networks)
      : data_(data), rows_(std::move(rows)), networks_(std::move(networks)) {}

  Result<Priors> fit(const std::string& name) {
    auto priors = data_.priors(name);
    if (!priors) return priors;
    auto base = data_.priors("base");
    if (!base) return base;
    priors->fitted_on.clear();
    start_over(*priors, *base);
    for (const Stage& stage : stages()) fit_stage(stage, name, *priors);
    follow_elementwise(name, *priors, *base);
    fit_networks(name, *priors);
    if (!priors->fitted_on.empty()) {
      priors->sources["parameters"] =
          "fitted by tools/fit_priors to the rows below, half of the shape groups of each; what has no row "
          "is that of base.toml";
    }
    return priors;
  }

 private:
  void fit_stage(const Stage& stage, const std::string& architecture, Priors& priors) {
    std::vector<KernelSample> fitted;
    std::vector<KernelSample> kept;
    std::map<std::tuple<std::string, std::string, std::string>, int> used;
    for (const Row& row : rows_) {
      if (row.architecture != architecture || !stage.takes(row)) continue;
      (row.fitted ? fitted : kept).push_back(row.sample);
      if (row.fitted) ++used[{row.device, row.measured->source, std::string(kernel_kind(*row.measured))}];
    }
    constexpr std::size_t enough = 8;
    if (fitted.size() < enough) return;
    fitted_stages_.insert({architecture, stage.name});
    const Errors before = summary(kept, priors);
    priors =
        fit_parameters(priors, thinned(fitted, 1600), stage.tables, {.noise = stage.noise, .iterations = 25});
    const Errors after = summary(kept, priors);
    Errors corrected = after;
    if (stage.residual && fitted.size() >= 300) {
      Priors with_residual = priors;
      *stage.residual(with_residual) = residual_of(fitted, with_residual, stage.noise);
      corrected = summary(kept, with_residual);
      // A correction must earn its place on the rows that it has not seen.
      if (corrected.median < 0.98 * after.median && corrected.p90 < 1.02 * after.p90) {
        priors = std::move(with_residual);
      } else {
        corrected = after;
      }
    }
    // Half of the groups that the parameters have not seen would be best for the range; but those are kept
    // for validation. Parameters are few, so the fitted rows serve, widened by a tenth.
    Spread spread = spread_of(fitted, priors);
    constexpr double unseen = 1.1;
    stage.spread(priors) = {std::pow(spread.low, unseen), std::pow(spread.high, unseen)};
    for (const auto& [key, count] : used) {
      const auto& [device, source, kind] = key;
      priors.fitted_on.push_back({device, source, kind, GroupSplit::half, count});
    }
    fmt::print(
        "{:8} {:26} {:6} fitted {:6} kept: median {:5.1f}% -> {:4.1f}% -> {:4.1f}%, p90 {:4.0f}% -> "
        "{:3.0f}%, "
        "bias {:+.1f}%, range {:.2f}-{:.2f}\n",
        architecture, stage.name, fitted.size(), kept.size(), 100 * before.median, 100 * after.median,
        100 * corrected.median, 100 * before.p90, 100 * corrected.p90, 100 * corrected.bias,
        stage.spread(priors).low, stage.spread(priors).high);
    std::cout.flush();
  }

  // How much of the bandwidth streaming kernels reach is mostly a property of the memory: those that nobody
  // timed differ from the general values as elementwise kernels do.
  void follow_elementwise(const std::string& architecture, Priors& priors, const Priors& base) const {
    if (!fitted_stages_.contains({architecture, "stream.elementwise"})) return;
    constexpr auto elementwise = static_cast<std::size_t>(StreamKind::elementwise);
    const double ratio =
        priors.kernels.stream[elementwise].bandwidth_share / base.kernels.stream[elementwise].bandwidth_share;
    for (const StreamKind kind : {StreamKind::batch_normalization, StreamKind::reduction, StreamKind::pooling,
                                  StreamKind::copy, StreamKind::transpose, StreamKind::optimizer}) {
      const auto index = static_cast<std::size_t>(kind);
      priors.kernels.stream[index].bandwidth_share =
          std::min(1.0, ratio * base.kernels.stream[index].bandwidth_share);
    }
  }

  // Starts from what the kernels' own timings gave, and holds on to it the more the better it was known.
  void fit_networks(const std::string& architecture, Priors& priors) {
    std::vector<NetworkSample> fitted;
    std::vector<NetworkSample> kept;
    std::map<std::pair<std::string, std::string>, int> used;
    for (const NetworkFitRow& row : networks_) {
      if (row.architecture != architecture) continue;
      (row.fitted ? fitted : kept).push_back(row.sample);
      if (row.fitted) ++used[{row.sample.device, row.measured->source}];
    }
    constexpr std::size_t enough = 100;
    if (fitted.size() < enough) return;
    std::vector<std::string> tables;
    for (const std::string& table : network_tables) {
      const bool timed = std::ranges::any_of(stages(), [&](const Stage& stage) {
        return std::ranges::find(stage.tables, table) != stage.tables.end() &&
               fitted_stages_.contains({architecture, stage.name});
      });
      if (!timed) tables.push_back(table);
    }
    const Errors before = summary(kept, priors);
    priors = fit_parameters(priors, std::span<const NetworkSample>(thinned(fitted, 400)), tables,
                            {.noise = 0.08, .iterations = 15, .prior_weight = 4});
    fit_spreads(architecture, fitted, priors);
    const Errors after = summary(kept, priors);
    for (const auto& [key, count] : used) {
      priors.fitted_on.push_back({key.first, key.second, "network", GroupSplit::half, count});
    }
    fmt::print(
        "{:8} {:26} {:6} fitted {:6} kept: median {:5.1f}% -> {:4.1f}%, p90 {:4.0f}% -> {:3.0f}%, bias "
        "{:+.1f}%\n",
        architecture, "networks", fitted.size(), kept.size(), 100 * before.median, 100 * after.median,
        100 * before.p90, 100 * after.p90, 100 * after.bias);
    std::cout.flush();
  }

  // Ranges of the families that nobody timed one by one: as wide as makes 80% of the networks lie within
  // theirs.
  void fit_spreads(const std::string& architecture, const std::vector<NetworkSample>& fitted,
                   Priors& priors) const {
    std::vector<Spread*> untimed;
    for (const MatrixUnit unit : {MatrixUnit::tensor16, MatrixUnit::tensor32}) {
      untimed.push_back(&priors.kernels.convolution[static_cast<std::size_t>(unit)].spread);
    }
    if (!fitted_stages_.contains({architecture, "convolution.vector"}))
      untimed.push_back(&priors.kernels.convolution[static_cast<std::size_t>(MatrixUnit::vector)].spread);
    for (const MatrixUnit unit : {MatrixUnit::vector, MatrixUnit::tensor16, MatrixUnit::tensor32}) {
      if (!fitted_stages_.contains({architecture, "gemm." + std::string(to_string(unit))}))
        untimed.push_back(&priors.kernels.gemm[static_cast<std::size_t>(unit)].spread);
    }
    for (std::size_t kind = 0; kind < stream_kinds; ++kind) {
      const std::string name(to_string(static_cast<StreamKind>(kind)));
      if (!fitted_stages_.contains({architecture, "stream." + name}))
        untimed.push_back(&priors.kernels.stream[kind].spread);
    }
    if (!fitted_stages_.contains({architecture, "attention"}))
      untimed.push_back(&priors.kernels.attention.spread);
    untimed.push_back(&priors.kernels.gather.spread);
    const std::vector<NetworkSample> some = thinned(fitted, 200);
    double narrow = 0.02;
    double wide = 0.8;
    constexpr double wanted = 0.88;  // of the fitted ones, so that about 80% of others do
    for (int step = 0; step < 7; ++step) {
      const double middle = std::sqrt(narrow * wide);
      for (Spread* spread : untimed) *spread = {std::exp(-middle), std::exp(middle)};
      (covered(some, priors) < wanted ? narrow : wide) = middle;
    }
    for (Spread* spread : untimed) *spread = {std::exp(-wide), std::exp(wide)};
  }

  // Back to the general values, but with the tiles that the architecture's libraries have.
  static void start_over(Priors& priors, const Priors& base) {
    const KernelParameters own = priors.kernels;
    priors.kernels = base.kernels;
    for (std::size_t unit = 0; unit < matrix_units; ++unit) {
      keep_tiles(own.gemm[unit], priors.kernels.gemm[unit]);
      keep_tiles(own.convolution[unit].product, priors.kernels.convolution[unit].product);
    }
  }

  static void keep_tiles(const GemmParameters& from, GemmParameters& to) {
    to.tiles = from.tiles;
    to.batched_tiles = from.batched_tiles;
    to.edge = from.edge;
  }

  static Residual residual_of(const std::vector<KernelSample>& samples, const Priors& priors, double noise) {
    const std::vector<double> rest = errors(samples, priors);
    std::vector<ResidualSample> points;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      points.push_back({features(samples[i].kernels.front().form), rest[i]});
    }
    return fit_residual(points, {.length = 3, .amplitude = 0.15, .noise = 1.5 * noise, .points = 80});
  }

  const DataFolder& data_;
  std::vector<Row> rows_;
  std::vector<NetworkFitRow> networks_;
  std::set<std::pair<std::string, std::string>> fitted_stages_{};
};

Harness harness_of(const MeasuredRow& row, const std::map<std::string, Harness, std::less<>>& harnesses) {
  for (const std::string& name : {row.source, row.runtime}) {
    const auto known = harnesses.find(name);
    if (known != harnesses.end()) return known->second;
  }
  return {};
}

std::vector<Row> read_rows(const DataFolder& data, const MeasuredFolder& folder,
                           const std::map<std::string, Harness, std::less<>>& harnesses,
                           const std::vector<std::string>& left_out) {
  std::map<std::string, std::optional<Device>> devices;
  std::vector<Row> rows;
  for (const MeasuredTable& table : folder.tables) {
    for (const MeasuredRow& measured : table.rows) {
      const auto* op = std::get_if<OperatorRow>(&measured.what);
      if (op == nullptr) continue;
      const auto [entry, added] = devices.try_emplace(measured.hardware);
      if (added) {
        const auto known = folder.devices.find(measured.hardware);
        auto found = data.find_device(known != folder.devices.end() ? known->second : measured.hardware);
        if (found) entry->second = std::move(found->device);
      }
      if (!entry->second) continue;
      const Device& device = *entry->second;
      if (std::ranges::find(left_out, device.slug) != left_out.end()) continue;
      auto kernels = operator_kernels(*op);
      if (!kernels || kernels->empty()) continue;
      if (kernels->front().macs > 0 && !device.matrix_peak(kernels->front().arithmetic)) continue;
      rows.push_back({.measured = &measured,
                      .device = device.slug,
                      .architecture = device.compute_capability,
                      .sample = {.kernels = *std::move(kernels),
                                 .machine = machine_of(device),
                                 .harness = harness_of(measured, harnesses),
                                 .measured = measured.measured},
                      .fitted = in_fitted_half(measured.source, measured.group)});
    }
  }
  return rows;
}

// Networks under PyTorch, a whole model in the fit or none of it.
Result<std::vector<NetworkFitRow>> read_networks(const DataFolder& data, const MeasuredFolder& folder,
                                                 const std::string& measured,
                                                 const std::vector<std::string>& left_out) {
  MeasuredPlatforms platforms;
  auto runtime = data.runtime("pytorch-eager");
  if (!runtime) return tl::make_unexpected(runtime.error());
  platforms.runtimes.emplace(runtime->name, *runtime);
  std::vector<MeasuredRow> rows;
  std::vector<const MeasuredRow*> originals;
  for (const MeasuredTable& table : folder.tables) {
    for (const MeasuredRow& row : table.rows) {
      if (!std::holds_alternative<NetworkRow>(row.what)) continue;
      const auto known = folder.devices.find(row.hardware);
      auto found = data.find_device(known != folder.devices.end() ? known->second : row.hardware);
      if (!found || std::ranges::find(left_out, found->device.slug) != left_out.end()) continue;
      rows.push_back(row);
      rows.back().device = found->device.slug;
      originals.push_back(&row);
      platforms.devices.emplace(found->device.slug, found->device);
    }
  }
  const auto models = measured_models(data, measured);
  if (!models) return tl::make_unexpected(models.error());
  std::vector<NetworkFitRow> networks;
  auto samples = network_samples(rows, platforms, *models);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // Loading and copying inputs is no property of a card.
    if (!samples[i] || !std::get<NetworkRow>(rows[i].what).device_only) continue;
    const Device& device = platforms.devices.find(rows[i].device)->second;
    samples[i]->machine = machine_of(device);
    networks.push_back({.measured = originals[i],
                        .architecture = device.compute_capability,
                        .sample = *std::move(samples[i]),
                        .fitted = in_fitted_half(rows[i].source, rows[i].group)});
  }
  return networks;
}

int run(int argc, char** argv) {
  CLI::App app{"Fits the priors of architectures to tables of measured operators."};
  std::string measured;
  std::string output;
  std::vector<std::string> architectures = {"6.1", "7.0", "7.5", "8.0", "8.6", "9.0"};
  std::vector<std::string> left_out;
  app.add_option("--measured", measured, "Folder with the tables")->required();
  app.add_option("-o,--output", output, "Folder for the files; without it nothing is written");
  app.add_option("--architecture", architectures, "Compute capabilities to fit")->delimiter(',');
  app.add_option("--leave-out", left_out, "Cards whose rows are not used, to judge the fit on them")
      ->delimiter(',');
  CLI11_PARSE(app, argc, argv);
  const auto data = locate_data(argv[0]);
  if (!data) return refuse(data.error());
  const auto folder = read_measured_folder(measured);
  if (!folder) return refuse(folder.error());
  const auto harnesses = data->harnesses();
  if (!harnesses) return refuse(harnesses.error());
  auto networks = read_networks(*data, *folder, measured, left_out);
  if (!networks) return refuse(networks.error());
  Fitter fitter(*data, read_rows(*data, *folder, *harnesses, left_out), *std::move(networks));
  for (const std::string& name : architectures) {
    const auto priors = fitter.fit(name);
    if (!priors) return refuse(priors.error());
    if (output.empty()) continue;
    const auto base = data->priors("base");
    if (!base) return refuse(base.error());
    const std::string file = fmt::format("{}/{}.toml", output, name);
    if (const std::string problem = write_file(file, write_priors(*priors, *base)); !problem.empty()) {
      return refuse({{Location{.file = file}, "cannot be written: " + problem, {}}});
    }
  }
  return exit_ok;
}

}  // namespace
}  // namespace roofcast

int main(int argc, char** argv) {
  return roofcast::run(argc, argv);
}
