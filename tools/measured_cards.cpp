#include "tools/measured_cards.hpp"

namespace roofcast {

std::string MeasuredCards::slug(const std::string& spelling) {
  const auto [entry, added] = slugs_.try_emplace(spelling);
  if (added) entry->second = look_up(spelling);
  return entry->second;
}

std::string MeasuredCards::look_up(const std::string& spelling) {
  const auto known = folder_.devices.find(spelling);
  auto found = data_.find_device(known != folder_.devices.end() ? known->second : spelling);
  if (!found) return {};
  const std::string slug = found->device.slug;
  devices_.emplace(slug, std::move(found->device));
  return slug;
}

}  // namespace roofcast
