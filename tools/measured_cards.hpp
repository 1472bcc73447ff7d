#pragma once
// Which cards a table of measurements means.

#include <map>
#include <string>

#include "engine/io/data_folder.hpp"
#include "engine/io/measured_table.hpp"

namespace roofcast {

/// The slug of each spelling: what devices.csv says, else what the database makes of the name. Cards are
/// loaded once. A spelling that nobody knows stays without a slug. `data` and `folder` outlive this.
class MeasuredCards {
 public:
  MeasuredCards(const DataFolder& data, const MeasuredFolder& folder) : data_(data), folder_(folder) {}

  std::string slug(const std::string& spelling);
  const std::map<std::string, Device, std::less<>>& devices() const { return devices_; }

 private:
  std::string look_up(const std::string& spelling);

  const DataFolder& data_;
  const MeasuredFolder& folder_;
  std::map<std::string, std::string> slugs_{};
  std::map<std::string, Device, std::less<>> devices_{};
};

}  // namespace roofcast
