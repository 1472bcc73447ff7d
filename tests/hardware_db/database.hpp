#pragma once
// The data that comes with the project, loaded once.

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/io/data_folder.hpp"

namespace roofcast {

inline std::filesystem::path source_dir() {
#ifdef ROOFCAST_SOURCE_DIR
  return ROOFCAST_SOURCE_DIR;
#else
  const char* given = std::getenv("ROOFCAST_SOURCE_DIR");
  return given != nullptr ? given : ".";
#endif
}

inline const DataFolder& data_folder() {
  static const DataFolder folder = [] {
    auto opened = DataFolder::open(source_dir());
    INFO("complaint: ", opened ? std::string("none") : to_string(opened.error()));
    REQUIRE(opened.has_value());
    return *opened;
  }();
  return folder;
}

/// Every card; a file that does not load fails the test.
inline const std::vector<Device>& all_devices() {
  static const std::vector<Device> devices = [] {
    std::vector<Device> loaded;
    for (const std::string& slug : data_folder().devices()) {
      auto device = data_folder().device(slug);
      INFO("complaint: ", device ? std::string("none") : to_string(device.error()));
      REQUIRE(device.has_value());
      loaded.push_back(*std::move(device));
    }
    return loaded;
  }();
  return devices;
}

inline Device card(const std::string& slug) {
  auto device = data_folder().device(slug);
  INFO("complaint: ", device ? std::string("none") : to_string(device.error()));
  REQUIRE(device.has_value());
  return *std::move(device);
}

inline double tera(const Device& device, Arithmetic arithmetic) {
  const auto peak = device.peak(arithmetic);
  return peak ? peak->value / 1e12 : 0.0;
}

}  // namespace roofcast
