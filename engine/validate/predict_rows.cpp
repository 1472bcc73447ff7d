#include "engine/validate/predict_rows.hpp"

#include "engine/validate/operator_kernel.hpp"
#include "engine/validate/predict_operator.hpp"
#include "engine/validate/roofline.hpp"

namespace roofcast {
namespace {

Outcome predict_one(const MeasuredRow& measured, const OperatorRow& row, const MeasuredPlatforms& platforms,
                    bool baseline) {
  const auto device = platforms.devices.find(measured.device);
  if (device == platforms.devices.end()) return {no_prediction("device:" + measured.hardware)};
  const TimeModel model = time_model(device->second, platforms.priors.find(measured.device)->second);
  const auto prediction =
      predict_operator(row, device->second, model, harness_of(measured, platforms.harnesses));
  if (!prediction) return {tl::make_unexpected(prediction.error())};
  Outcome outcome{prediction->time};
  if (const auto kernels = operator_kernels(row); baseline && kernels) {
    Seconds plain{};
    for (const BoundKernel& kernel : *kernels) plain += roofline(kernel, device->second);
    outcome.baseline = plain;
  }
  return outcome;
}

}  // namespace

std::vector<Outcome> predict_rows(std::span<const MeasuredRow> rows, const MeasuredPlatforms& platforms,
                                  const OpenMeasuredModel& open, const PredictRowsOptions& options) {
  std::vector<Outcome> outcomes(rows.size());
  std::vector<std::size_t> networks;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto* row = std::get_if<OperatorRow>(&rows[i].what);
    if (row == nullptr) {
      networks.push_back(i);
    } else {
      outcomes[i] = predict_one(rows[i], *row, platforms, options.baseline);
    }
  }
  if (options.done) options.done(rows.size() - networks.size());
  predict_networks(rows, networks, platforms, open, options.baseline, options.done, outcomes);
  return outcomes;
}

}  // namespace roofcast
