#pragma once
// The priors of one card from those of its architecture and a few timings on that card.

#include <string>
#include <vector>

#include "engine/fit/fit_errors.hpp"
#include "engine/fit/fit_kernels.hpp"

namespace roofcast {

/// What became of the architecture's residual.
enum class CardResidual : std::uint8_t {
  architecture,  ///< it stays
  dropped,       ///< there is none
  corrected,     ///< it stays, with the card's own on top
  replaced       ///< only the card's own
};

std::string_view to_string(CardResidual residual);

/// What one stage did. The errors are of samples whose groups the fit they are judged by had not seen.
struct StageCalibration {
  std::string stage{};
  std::size_t samples = 0;  ///< that took part
  std::size_t groups = 0;
  FitErrors before{};       ///< with the architecture's priors
  FitErrors after{};        ///< with what was chosen
  bool kept = false;        ///< the card's own numbers are better; else nothing of this stage changed
  bool parameters = false;  ///< fitted, if `kept`
  CardResidual residual = CardResidual::architecture;
  Spread spread{};
  std::string reason{};  ///< why nothing changed
  std::size_t judged = 0;
  FitErrors judged_before{};
  FitErrors judged_after{};
  double judged_inside = 0;  ///< share of them within the range
};

struct CalibrationFit {
  Priors priors{};
  std::vector<StageCalibration> stages{};  ///< of which there are samples
};

/// Each stage of fit_stages by itself, so samples of one unit or kind of kernel leave the others alone.
///
/// Whole groups of samples are dealt to folds; what is fitted to all folds but one is tried on that one
/// (cross-validation). The card's own parameters, with the architecture's residual, without it, or with one
/// of the card's own, replace what is there if they lower both the median and the 90th percentile of these
/// errors by 2% of themselves; what wins is fitted to all samples. Its range holds 80% of the errors that
/// were held out. Parameters are pulled to the architecture's more than an architecture's are to the general
/// ones. It takes 8 samples of 8 groups. `Fold::judge` decides nothing. All samples are of one card; `split`
/// says how they were chosen among their sources' groups.
CalibrationFit fit_calibration(const Priors& architecture, std::span<const KernelSample> samples,
                               GroupSplit split);

}  // namespace roofcast
