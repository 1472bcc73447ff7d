#pragma once
// A card's data sheet, and the list of all cards.

#include <string>
#include <string_view>
#include <vector>

#include "engine/hardware/device.hpp"
#include "engine/report/document.hpp"

namespace roofcast {

/// All facts with their sources, and each peak rate next to the quoted one.
Document device_document(const Device& device);

/// One row a fact: card, fact, value, unit.
Document device_rows(const Device& device);

std::string device_json(const Device& device, std::string_view tool_version);

/// One row a card with the figures that tell cards apart.
Document device_list(const std::vector<Device>& devices);
Document device_list_rows(const std::vector<Device>& devices);

}  // namespace roofcast
