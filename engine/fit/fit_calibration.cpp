#include "engine/fit/fit_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "engine/base/fnv1a64.hpp"
#include "engine/base/threads.hpp"
#include "engine/fit/fit_residual.hpp"
#include "engine/fit/fit_stages.hpp"

namespace roofcast {
namespace {

constexpr std::size_t fewest_samples = 8;
constexpr std::size_t fewest_groups = 8;  // fewer do not show how a fit continues between and beyond them
constexpr std::size_t fold_count = 5;
constexpr double residual_octaves = 2;

/// One way to make a card's numbers from the architecture's.
struct Recipe {
  bool parameters = false;  ///< fit them
  CardResidual residual = CardResidual::architecture;
};

// The first is what the architecture has. Each later one must beat the best of those before it, so what is
// simple goes first.
constexpr std::array<Recipe, 6> recipes = {{{false, CardResidual::architecture},
                                            {true, CardResidual::architecture},
                                            {true, CardResidual::dropped},
                                            {false, CardResidual::corrected},
                                            {true, CardResidual::corrected},
                                            {true, CardResidual::replaced}}};

bool drops(CardResidual residual) {
  return residual == CardResidual::dropped || residual == CardResidual::replaced;
}

bool adds(CardResidual residual) {
  return residual == CardResidual::corrected || residual == CardResidual::replaced;
}

Priors with_parameters(const FitStage& stage, const Priors& start, const std::vector<KernelSample>& samples) {
  // A card is nearer to its architecture than an architecture to the general numbers. Half the squared
  // spreads, tried with the A100 and the H100 left out of the priors they start from: 100 and 1,000 products
  // each.
  constexpr double nearness = 2;
  return fit_parameters(
      start, std::span<const KernelSample>(samples), stage.tables,
      {.noise = stage.noise, .iterations = 12, .prior_weight = nearness * std::max(1.0, stage.prior_weight)});
}

// What is left of the errors on top of the residual that is there; both are sums, so their points are joined.
void add_residual(const FitStage& stage, Priors& priors, const std::vector<KernelSample>& samples) {
  Residual& residual = *stage.residual(priors);
  const std::vector<double> rest = errors(samples, priors);
  std::vector<ResidualSample> points;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    points.push_back({features(samples[i].kernels.front().form), rest[i]});
  }
  const double length = residual.points.empty() ? residual_octaves : residual.length;
  const Residual own =
      fit_residual(points, {.length = length, .amplitude = 0.15, .noise = 1.5 * stage.noise, .points = 512});
  residual.length = length;
  residual.points.insert(residual.points.end(), own.points.begin(), own.points.end());
  residual.weights.insert(residual.weights.end(), own.weights.begin(), own.weights.end());
}

/// The numbers of all recipes from the same samples.
class Kitchen {
 public:
  Kitchen(const FitStage& stage, const Priors& architecture, std::vector<KernelSample> samples)
      : stage_(stage), architecture_(architecture), samples_(std::move(samples)) {}

  /// Recipes that this stage has no use for give nothing.
  std::optional<Priors> cook(const Recipe& recipe) {
    if (recipe.residual != CardResidual::architecture && !stage_.residual) return std::nullopt;
    Priors priors = architecture_;
    if (drops(recipe.residual)) {
      if (stage_.residual(priors)->points.empty()) return std::nullopt;
      *stage_.residual(priors) = {};
    }
    if (recipe.parameters) {
      std::optional<Priors>& fitted = drops(recipe.residual) ? without_residual_ : with_residual_;
      if (!fitted) fitted = with_parameters(stage_, priors, samples_);
      priors = *fitted;
    }
    if (adds(recipe.residual)) add_residual(stage_, priors, samples_);
    return priors;
  }

 private:
  const FitStage& stage_;
  const Priors& architecture_;
  std::vector<KernelSample> samples_;
  std::optional<Priors> with_residual_{};
  std::optional<Priors> without_residual_{};
};

// The fold of each sample: groups in the order of their hashes are dealt in turn, so folds are alike in size
// and do not depend on the order of the samples.
std::vector<std::size_t> folds_of(const std::vector<KernelSample>& samples) {
  std::map<std::pair<std::uint64_t, std::string>, std::size_t> groups;
  const auto key = [](const KernelSample& sample) {
    std::string name = fmt::format("{}:{}", sample.source, sample.group);
    const std::uint64_t hash = fnv1a64(name + ":calibration");
    return std::pair{hash, std::move(name)};
  };
  for (const KernelSample& sample : samples) groups.emplace(key(sample), 0);
  std::size_t next = 0;
  for (auto& [group, fold] : groups) fold = next++ % fold_count;
  std::vector<std::size_t> folds;
  for (const KernelSample& sample : samples) folds.push_back(groups.at(key(sample)));
  return folds;
}

std::size_t count_groups(const std::vector<KernelSample>& samples) {
  std::vector<std::pair<std::string, std::string>> groups;
  for (const KernelSample& sample : samples) groups.emplace_back(sample.source, sample.group);
  std::ranges::sort(groups);
  return static_cast<std::size_t>(std::unique(groups.begin(), groups.end()) - groups.begin());
}

/// Errors of samples under fits that had not seen their groups, by recipe; empty where a recipe is of no use.
using HeldOut = std::array<std::vector<double>, recipes.size()>;

HeldOut held_out_errors(const FitStage& stage, const Priors& architecture,
                        const std::vector<KernelSample>& samples) {
  const std::vector<std::size_t> folds = folds_of(samples);
  std::array<HeldOut, fold_count> by_fold;
  for_each_block(fold_count, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t fold = first; fold < last; ++fold) {
      std::vector<KernelSample> seen;
      std::vector<KernelSample> tried;
      for (std::size_t i = 0; i < samples.size(); ++i)
        (folds[i] == fold ? tried : seen).push_back(samples[i]);
      if (tried.empty()) continue;
      Kitchen kitchen(stage, architecture, std::move(seen));
      for (std::size_t i = 0; i < recipes.size(); ++i) {
        if (const auto priors = kitchen.cook(recipes[i])) by_fold[fold][i] = errors(tried, *priors);
      }
    }
  });
  HeldOut all;
  for (const HeldOut& fold : by_fold) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i].insert(all[i].end(), fold[i].begin(), fold[i].end());
  }
  return all;
}

std::size_t best_recipe(const HeldOut& held_out) {
  constexpr double worth_having = 0.98;
  std::size_t best = 0;
  for (std::size_t i = 1; i < held_out.size(); ++i) {
    if (held_out[i].empty()) continue;
    const FitErrors now = fit_errors(held_out[best]);
    const FitErrors then = fit_errors(held_out[i]);
    if (then.median < worth_having * now.median && then.p90 < worth_having * now.p90) best = i;
  }
  return best;
}

/// The range that holds 80% of further samples: of n errors that were held out the ones of rank (n + 1) / 10
/// from either end, but if they are few no less than the architecture's. Source: Vovk, "Cross-conformal
/// predictors", 2015.
Spread conformal_spread(std::vector<double> held_out, const Spread& architecture) {
  constexpr std::size_t enough = 20;
  constexpr double narrowest = 0.01;
  std::ranges::sort(held_out);
  const std::size_t rank = std::max<std::size_t>((held_out.size() + 1) / 10, 1);
  const double low = held_out[rank - 1];
  const double high = held_out[held_out.size() - rank];
  const Spread own{.low = std::exp(std::min(low, -narrowest)), .high = std::exp(std::max(high, narrowest))};
  if (held_out.size() >= enough) return own;
  return {.low = std::min(own.low, architecture.low), .high = std::max(own.high, architecture.high)};
}

Spread to_the_power(const Spread& spread, double exponent) {
  return {.low = std::pow(spread.low, exponent), .high = std::pow(spread.high, exponent)};
}

double share_inside(const std::vector<double>& logarithms, const Spread& spread) {
  if (logarithms.empty()) return 0;
  const auto inside = std::ranges::count_if(logarithms, [&](double error) {
    return error >= std::log(spread.low) && error <= std::log(spread.high);
  });
  return static_cast<double>(inside) / static_cast<double>(logarithms.size());
}

// What the card's numbers of this stage rest on.
void add_provenance(const std::vector<KernelSample>& samples, GroupSplit split, Priors& priors) {
  std::map<std::tuple<std::string, std::string, std::string>, int> used;
  for (const KernelSample& sample : samples) ++used[{sample.device, sample.source, sample.kernel}];
  for (const auto& [key, count] : used) {
    const auto& [device, source, kernel] = key;
    priors.fitted_on.push_back({device, source, kernel, split, count});
  }
}

// Stages have no tables in common, so each one starts from what those before it left.
std::optional<StageCalibration> calibrate_stage(const FitStage& stage, std::span<const KernelSample> all,
                                                GroupSplit split, Priors& priors) {
  std::vector<KernelSample> samples;
  std::vector<KernelSample> judging;
  for (const KernelSample& sample : all) {
    if (stage.takes(sample)) (sample.fold == Fold::judge ? judging : samples).push_back(sample);
  }
  if (samples.empty()) return std::nullopt;
  StageCalibration report{.stage = stage.name,
                          .samples = samples.size(),
                          .groups = count_groups(samples),
                          .spread = to_the_power(stage.spread(priors), priors.widened),
                          .judged = judging.size()};
  const std::vector<double> judged_before = errors(judging, priors);
  report.judged_before = fit_errors(judged_before);
  if (samples.size() < fewest_samples || report.groups < fewest_groups) {
    report.before = report.after = fit_errors(errors(samples, priors));
    report.reason = samples.size() < fewest_samples
                        ? fmt::format("fewer than {} samples", fewest_samples)
                        : fmt::format("samples of fewer than {} groups of shapes", fewest_groups);
  } else {
    const HeldOut held_out = held_out_errors(stage, priors, samples);
    const std::size_t best = best_recipe(held_out);
    report.before = fit_errors(held_out.front());
    report.after = fit_errors(held_out[best]);
    report.kept = best != 0;
    if (report.kept) {
      report.parameters = recipes[best].parameters;
      report.residual = recipes[best].residual;
      priors = *Kitchen(stage, priors, samples).cook(recipes[best]);
      report.spread = conformal_spread(held_out[best], report.spread);
      // The card was measured: what its architecture borrows widens its range no more.
      stage.spread(priors) = to_the_power(report.spread, 1 / priors.widened);
      add_provenance(samples, split, priors);
    } else {
      report.reason = "not better on samples that were held out";
    }
  }
  const std::vector<double> judged_after = errors(judging, priors);
  report.judged_after = fit_errors(judged_after);
  report.judged_inside = share_inside(judged_after, report.spread);
  return report;
}

}  // namespace

std::string_view to_string(CardResidual residual) {
  switch (residual) {
    case CardResidual::architecture: return "as the architecture";
    case CardResidual::dropped: return "dropped";
    case CardResidual::corrected: return "corrected";
    case CardResidual::replaced: return "replaced";
  }
  return "?";
}

CalibrationFit fit_calibration(const Priors& architecture, std::span<const KernelSample> samples,
                               GroupSplit split) {
  CalibrationFit fit{.priors = architecture};
  for (const FitStage& stage : fit_stages()) {
    if (auto report = calibrate_stage(stage, samples, split, fit.priors))
      fit.stages.push_back(*std::move(report));
  }
  return fit;
}

}  // namespace roofcast
