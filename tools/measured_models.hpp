#pragma once
// Which file the networks of a table of measurements are read from.

#include <string>

#include "engine/io/data_folder.hpp"
#include "engine/validate/predict_networks.hpp"

namespace roofcast {

/// Opens what the catalogue FOLDER/models.csv names for a key and an image size, or where that has no such
/// key the model of that name of ours. `data` must outlive the result.
Result<OpenMeasuredModel> measured_models(const DataFolder& data, const std::string& folder);

}  // namespace roofcast
