#pragma once
// Where the program's data lies. The engine never reads the environment; this is the place that does.

#include "engine/io/data_folder.hpp"

namespace roofcast {

/// $ROOFCAST_DATA if set, else ../share/roofcast beside the executable's folder, else the nearest folder
/// above the executable that holds hardware_db/ and models/. `argv0` helps where the system does not tell the
/// executable's path.
Result<DataFolder> locate_data(const char* argv0);

}  // namespace roofcast
