// The index of a model that is spread over several safetensors files.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/io/weights/safetensors.hpp"

namespace roofcast {
namespace {

constexpr std::size_t most_tensors = 1'000'000;

// A name of a file in the same folder, nothing that leads elsewhere.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

// What nlohmann::json::sax_parse calls. Only "metadata" and "weight_map" matter; deeper values are skipped.
class IndexEvents {
 public:
  SafetensorsIndex index{};
  bool has_map = false;
  std::string problem{};

  bool start_object(std::size_t /*size*/) {
    if (depth_ == 1 && part_ == "weight_map") has_map = true;
    return deeper();
  }
  bool start_array(std::size_t /*size*/) { return deeper(); }
  bool end_object() { return shallower(); }
  bool end_array() { return shallower(); }
  bool key(std::string& text) {
    if (depth_ == 1) part_ = text;
    if (depth_ == 2) name_ = text;
    return true;
  }
  bool string(std::string& text) {
    if (!in_map()) return value();
    if (!is_plain_name(text))
      return complain(fmt::format("tensor '{}' is said to be in '{}', which is no file name", name_, text));
    if (index.weight_map.size() == most_tensors)
      return complain(fmt::format("names more than {} tensors", most_tensors));
    index.weight_map.emplace_back(name_, text);
    return true;
  }
  bool number_unsigned(std::uint64_t number) {
    if (!is_total()) return value();
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return complain("'total_size' is too large");
    index.total_size = static_cast<std::int64_t>(number);
    return true;
  }
  bool number_integer(std::int64_t /*number*/) {
    return is_total() ? complain("'total_size' is negative") : value();
  }
  bool number_float(double number, const std::string& /*text*/) {
    if (!is_total()) return value();
    // Some writers put 1.6e10; up to 2^53 that is exact.
    if (!(number >= 0 && number < 9007199254740992.0 && number == std::floor(number)))
      return complain("'total_size' is no whole number of bytes");
    index.total_size = static_cast<std::int64_t>(number);
    return true;
  }
  bool boolean(bool /*value*/) { return value(); }
  bool binary(nlohmann::json::binary_t& /*value*/) { return false; }
  bool null() { return value(); }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& /*error*/) {
    return complain(fmt::format("is not valid JSON at byte {}", position));
  }

 private:
  static constexpr int deepest = 16;
  bool in_map() const { return depth_ == 2 && part_ == "weight_map"; }
  bool is_total() const { return depth_ == 2 && part_ == "metadata" && name_ == "total_size"; }
  bool deeper() {
    if (in_map()) return value();
    return ++depth_ <= deepest || complain("is nested too deeply");
  }
  bool shallower() {
    --depth_;
    return true;
  }
  bool value() {
    if (in_map()) return complain(fmt::format("the file of tensor '{}' is no text", name_));
    if (depth_ == 0) return complain("is no object");
    return true;
  }
  bool complain(std::string text) {
    if (problem.empty()) problem = std::move(text);
    return false;
  }

  int depth_ = 0;
  std::string part_{};
  std::string name_{};
};

}  // namespace

Result<SafetensorsIndex> read_safetensors_index(std::string_view text, const std::string& file) {
  const Location where{.file = file};
  IndexEvents events;
  const bool parsed = nlohmann::json::sax_parse(text.begin(), text.end(), &events);
  if (!parsed) return fail(events.problem.empty() ? "is no index" : events.problem, where);
  if (!events.has_map) return fail("has no 'weight_map': not an index of safetensors files", where);
  SafetensorsIndex& index = events.index;
  std::ranges::sort(index.weight_map);
  const auto twice =
      std::ranges::adjacent_find(index.weight_map, {}, &std::pair<std::string, std::string>::first);
  if (twice != index.weight_map.end())
    return fail(fmt::format("tensor '{}' is there twice", twice->first), where);
  for (const auto& entry : index.weight_map) index.files.push_back(entry.second);
  std::ranges::sort(index.files);
  index.files.erase(std::unique(index.files.begin(), index.files.end()), index.files.end());
  return std::move(index);
}

}  // namespace roofcast
