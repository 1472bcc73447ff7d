#include "engine/report/json.hpp"

#include <cmath>

namespace roofcast {

Json json_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (value == std::floor(value) && std::abs(value) < exact) return static_cast<std::int64_t>(value);
  return value;
}

Json json_number(const std::optional<double>& value) {
  return value ? json_number(*value) : Json(nullptr);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json json_object(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Json object = Json::object();
  for (const auto& [name, value] : pairs) {
    if (object.contains(name)) {
      object[name] = object[name].get<std::string>() + ", " + value;
    } else {
      object[name] = value;
    }
  }
  return object;
}

Json json_cell(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return *integer;
  if (const auto* number = std::get_if<double>(&cell)) return json_number(*number);
  if (const auto* flag = std::get_if<bool>(&cell)) return *flag;
  return nullptr;
}

std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace roofcast
