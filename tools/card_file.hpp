#pragma once
// A processor that was measured, as a card file (hardware_db/README.md).

#include <string>

#include "kernels/backend.hpp"
#include "tools/measured_peaks.hpp"

namespace roofcast {

/// Peak and bandwidth are the best rates that were measured: multiply-adds in registers or, if they are not
/// known or slower, a product. What a processor does not have and the format asks for is filled with
/// placeholders; [sources] says which. Needs: a product and a stream above 0.
std::string card_file(const DeviceFacts& device, const MeasuredPeaks& peaks, const std::string& date);

}  // namespace roofcast
