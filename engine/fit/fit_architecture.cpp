#include "engine/fit/fit_architecture.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "engine/fit/fit_residual.hpp"
#include "engine/fit/fit_stages.hpp"

namespace roofcast {
namespace {

// What nobody has timed kernel by kernel: convolutions on Tensor Cores, their gradients, and most streaming
// kernels.
const std::vector<std::string> network_tables = {"convolution.tensor16",
                                                 "convolution.tensor16.product",
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
                                                 "power.tensor16"};

constexpr std::size_t index_of(MatrixUnit unit) {
  return static_cast<std::size_t>(unit);
}

/// Samples by what they are for.
template <class Sample>
struct Folds {
  std::vector<Sample> fit{};
  std::vector<Sample> calibrate{};
  std::vector<Sample> judge{};

  void add(const Sample& sample) {
    (sample.fold == Fold::fit ? fit : sample.fold == Fold::calibrate ? calibrate : judge).push_back(sample);
  }

  /// Everything but what judges.
  std::vector<Sample> seen() const {
    std::vector<Sample> both = fit;
    both.insert(both.end(), calibrate.begin(), calibrate.end());
    return both;
  }
};

template <class Sample>
FitErrors summary(const std::vector<Sample>& samples, const Priors& priors) {
  return fit_errors(errors(std::span<const Sample>(samples), priors));
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

// Back to the general values, but with the tiles that the architecture's libraries have.
Priors start_over(const Priors& own, const Priors& base) {
  const auto keep_tiles = [](const GemmParameters& from, GemmParameters& to) {
    to.tiles = from.tiles;
    to.batched_tiles = from.batched_tiles;
    to.edge = from.edge;
  };
  Priors priors = own;
  priors.fitted_on.clear();
  priors.kernels = base.kernels;
  for (std::size_t unit = 0; unit < matrix_units; ++unit) {
    keep_tiles(own.kernels.gemm[unit], priors.kernels.gemm[unit]);
    keep_tiles(own.kernels.convolution[unit].product, priors.kernels.convolution[unit].product);
  }
  return priors;
}

class Fitter {
 public:
  Fitter(const Priors& own, const Priors& base) : base_(base), priors_(start_over(own, base)) {}

  ArchitectureFit run(std::span<const KernelSample> operators, std::span<const NetworkSample> networks) {
    for (const FitStage& stage : fit_stages()) {
      fit_stage(stage, operators);
      if (stage.name == "gemm.vector") start_convolutions_at_products();
    }
    follow_elementwise();
    follow_timed_products();
    follow_timed_power();
    fit_networks(networks);
    follow_tensor16();
    return {std::move(priors_), std::move(reports_)};
  }

 private:
  void fit_stage(const FitStage& stage, std::span<const KernelSample> operators) {
    Folds<KernelSample> samples;
    std::map<std::tuple<std::string, std::string, std::string>, int> used;
    for (const KernelSample& sample : operators) {
      if (!stage.takes(sample)) continue;
      samples.add(sample);
      if (sample.fold != Fold::judge) ++used[{sample.device, sample.source, sample.kernel}];
    }
    constexpr std::size_t enough = 8;
    if (samples.fit.size() < enough || samples.calibrate.size() < enough) return;
    timed_.insert(stage.tables.begin(), stage.tables.end());
    FitReport report{.stage = stage.name,
                     .fitted = samples.fit.size(),
                     .calibrated = samples.calibrate.size(),
                     .judged = samples.judge.size(),
                     .before = summary(samples.judge, priors_)};
    const Priors start = priors_;
    const Priors trial = fit_operators(stage, start, samples.fit);
    const bool residual = stage.residual && residual_helps(stage, trial, samples);
    const Priors calibrated = residual ? with_residual(stage, trial, samples.fit) : trial;
    const Spread spread = spread_of(samples.calibrate, calibrated);

    const std::vector<KernelSample> seen = samples.seen();
    priors_ = fit_operators(stage, start, seen);
    report.parameters = summary(samples.judge, priors_);
    if (residual) priors_ = with_residual(stage, priors_, seen);
    stage.spread(priors_) = spread;
    report.after = summary(samples.judge, priors_);
    report.spread = stage.spread(priors_);
    reports_.push_back(std::move(report));
    for (const auto& [key, count] : used) {
      const auto& [device, source, kind] = key;
      priors_.fitted_on.push_back({device, source, kind, GroupSplit::half, count});
    }
  }

  static Priors fit_operators(const FitStage& stage, const Priors& start,
                              const std::vector<KernelSample>& samples) {
    constexpr std::size_t most = 1600;
    return fit_parameters(start, std::span<const KernelSample>(thinned(samples, most)), stage.tables,
                          {.noise = stage.noise, .iterations = 25, .prior_weight = stage.prior_weight});
  }

  static Priors with_residual(const FitStage& stage, Priors priors,
                              const std::vector<KernelSample>& samples) {
    const std::vector<double> rest = errors(samples, priors);
    std::vector<ResidualSample> points;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      points.push_back({features(samples[i].kernels.front().form), rest[i]});
    }
    *stage.residual(priors) =
        fit_residual(points, {.length = 2, .amplitude = 0.15, .noise = 1.5 * stage.noise, .points = 256});
    return priors;
  }

  static bool residual_helps(const FitStage& stage, const Priors& trial, const Folds<KernelSample>& samples) {
    constexpr std::size_t enough = 200;
    if (samples.fit.size() < enough) return false;
    const FitErrors without = summary(samples.calibrate, trial);
    const FitErrors with = summary(samples.calibrate, with_residual(stage, trial, samples.fit));
    return with.median < 0.98 * without.median && with.p90 <= without.p90;
  }

  // How much of the bandwidth streaming kernels reach is mostly a property of the memory: those that nobody
  // timed differ from the general values as elementwise kernels do.
  void follow_elementwise() {
    if (!timed_.contains("stream.elementwise")) return;
    constexpr auto elementwise = static_cast<std::size_t>(StreamKind::elementwise);
    const double ratio = priors_.kernels.stream[elementwise].bandwidth_share /
                         base_.kernels.stream[elementwise].bandwidth_share;
    for (const StreamKind kind : {StreamKind::batch_normalization, StreamKind::reduction, StreamKind::pooling,
                                  StreamKind::copy, StreamKind::transpose, StreamKind::optimizer}) {
      const auto index = static_cast<std::size_t>(kind);
      priors_.kernels.stream[index].bandwidth_share =
          std::min(1.0, ratio * base_.kernels.stream[index].bandwidth_share);
    }
  }

  static void follow_product(const GemmParameters& from, GemmParameters& to) {
    GemmParameters copy = from;
    copy.tiles = to.tiles;
    copy.batched_tiles = to.batched_tiles;
    copy.edge = to.edge;
    copy.residual = {};
    copy.spread = to.spread;
    to = std::move(copy);
  }

  // What times of convolutions say of their products is little; what those of products say is much.
  void start_convolutions_at_products() {
    constexpr std::size_t vector = index_of(MatrixUnit::vector);
    KernelParameters& kernels = priors_.kernels;
    if (timed_.contains("gemm.vector"))
      follow_product(kernels.gemm[vector], kernels.convolution[vector].product);
  }

  // Tensor Cores take their operands the same way whatever the type: rates are shares of the type's peak and
  // traffic is in bytes. A convolution is a product that gathers one operand.
  void follow_timed_products() {
    if (!timed_.contains("gemm.tensor16")) return;
    KernelParameters& kernels = priors_.kernels;
    const GemmParameters& from = kernels.gemm[index_of(MatrixUnit::tensor16)];
    follow_product(from, kernels.convolution[index_of(MatrixUnit::tensor16)].product);
    for (const MatrixUnit unit : {MatrixUnit::tensor32, MatrixUnit::tensor8}) {
      const std::string name = "gemm." + std::string(to_string(unit));
      if (!timed_.contains(name)) follow_product(from, kernels.gemm[index_of(unit)]);
      follow_product(kernels.gemm[index_of(unit)], kernels.convolution[index_of(unit)].product);
    }
  }

  // One silicon process: where one unit draws more than elsewhere, so do the others.
  void follow_timed_power() {
    const auto ratio = [&](MatrixUnit unit) {
      return priors_.kernels.power[index_of(unit)].watts_per_tera /
             base_.kernels.power[index_of(unit)].watts_per_tera;
    };
    const auto timed = [&](MatrixUnit unit) {
      return timed_.contains("power." + std::string(to_string(unit)));
    };
    const MatrixUnit from = timed(MatrixUnit::tensor16) ? MatrixUnit::tensor16 : MatrixUnit::vector;
    if (!timed(from)) return;
    for (const MatrixUnit unit : {MatrixUnit::tensor32, MatrixUnit::tensor16, MatrixUnit::tensor8}) {
      if (timed(unit)) continue;
      PowerParameters& power = priors_.kernels.power[index_of(unit)];
      power.watts_per_tera = ratio(from) * base_.kernels.power[index_of(unit)].watts_per_tera;
      power.clock_exponent = priors_.kernels.power[index_of(from)].clock_exponent;
    }
  }

  // Networks are timed in 16 bits; in TF32 and 8 bits they run through kernels of the same kind.
  void follow_tensor16() {
    if (timed_.contains("gemm.tensor16") || !timed_.contains("networks")) return;
    KernelParameters& kernels = priors_.kernels;
    const ConvolutionParameters& from = kernels.convolution[index_of(MatrixUnit::tensor16)];
    for (const MatrixUnit unit : {MatrixUnit::tensor32, MatrixUnit::tensor8}) {
      follow_product(kernels.gemm[index_of(MatrixUnit::tensor16)], kernels.gemm[index_of(unit)]);
      ConvolutionParameters& to = kernels.convolution[index_of(unit)];
      ConvolutionParameters copy = from;
      copy.product = to.product;
      copy.residual = {};
      copy.spread = to.spread;
      to = std::move(copy);
      follow_product(from.product, to.product);
    }
  }

  // Starts from what the kernels' own timings gave, and leaves those alone.
  void fit_networks(std::span<const NetworkSample> networks) {
    Folds<NetworkSample> samples;
    std::map<std::pair<std::string, std::string>, int> used;
    for (const NetworkSample& sample : networks) {
      samples.add(sample);
      if (sample.fold != Fold::judge) ++used[{sample.device, sample.source}];
    }
    constexpr std::size_t enough = 60;
    if (samples.fit.size() < enough || samples.calibrate.size() < enough / 2) return;
    std::vector<std::string> tables;
    for (const std::string& table : network_tables) {
      if (!timed_.contains(table)) tables.push_back(table);
    }
    FitReport report{.stage = "networks",
                     .fitted = samples.fit.size(),
                     .calibrated = samples.calibrate.size(),
                     .judged = samples.judge.size(),
                     .before = summary(samples.judge, priors_)};
    const auto fit = [&](const std::vector<NetworkSample>& of) {
      constexpr std::size_t most = 400;
      return fit_parameters(priors_, std::span<const NetworkSample>(thinned(of, most)), tables,
                            {.noise = 0.08, .iterations = 15, .prior_weight = 4});
    };
    report.spread = network_spread(fit(samples.fit), samples.calibrate);
    priors_ = fit(samples.seen());
    timed_.insert("networks");
    set_untimed_spreads(priors_, report.spread);
    report.parameters = report.after = summary(samples.judge, priors_);
    reports_.push_back(std::move(report));
    for (const auto& [key, count] : used) {
      priors_.fitted_on.push_back({key.first, key.second, "network", GroupSplit::half, count});
    }
  }

  // The ranges of the families that nobody timed one by one, all alike.
  void set_untimed_spreads(Priors& priors, const Spread& spread) const {
    const auto set = [&](const std::string& table, Spread& of) {
      if (!timed_.contains(table)) of = spread;
    };
    KernelParameters& kernels = priors.kernels;
    for (std::size_t unit = 0; unit < matrix_units; ++unit) {
      const std::string name(to_string(static_cast<MatrixUnit>(unit)));
      set("gemm." + name, kernels.gemm[unit].spread);
      set("convolution." + name, kernels.convolution[unit].spread);
    }
    for (std::size_t kind = 0; kind < stream_kinds; ++kind) {
      set("stream." + std::string(to_string(static_cast<StreamKind>(kind))), kernels.stream[kind].spread);
    }
    set("attention", kernels.attention.spread);
    set("gather", kernels.gather.spread);
  }

  // As wide as makes 80% of networks, which `trial` has not seen, lie within their ranges.
  Spread network_spread(Priors trial, const std::vector<NetworkSample>& calibrate) const {
    constexpr double wanted = 0.8;
    double narrow = 0.1;  // no kernel is better known from networks
    double wide = 0.8;
    for (int step = 0; step < 8; ++step) {
      const double middle = std::sqrt(narrow * wide);
      set_untimed_spreads(trial, {std::exp(-middle), std::exp(middle)});
      (covered(calibrate, trial) < wanted ? narrow : wide) = middle;
    }
    return {std::exp(-wide), std::exp(wide)};
  }

  const Priors& base_;
  Priors priors_;
  std::set<std::string, std::less<>> timed_{};  // tables that operators were timed for
  std::vector<FitReport> reports_{};
};

}  // namespace

ArchitectureFit fit_architecture(const Priors& own, const Priors& base,
                                 std::span<const KernelSample> operators,
                                 std::span<const NetworkSample> networks) {
  return Fitter(own, base).run(operators, networks);
}

}  // namespace roofcast
