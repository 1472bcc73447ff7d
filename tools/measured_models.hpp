#pragma once
// Which file the networks of a table of measurements are read from.

#include <string>

#include "engine/io/data_folder.hpp"
#include "engine/validate/predict_networks.hpp"

namespace roofcast {

/// Opens what FOLDER/models.csv names for a key and an image size, relative to FOLDER, or where that says
/// nothing the model of that name of ours.
Result<OpenMeasuredModel> measured_models(const DataFolder& data, const std::string& folder);

}  // namespace roofcast
