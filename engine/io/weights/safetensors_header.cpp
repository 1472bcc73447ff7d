// The JSON header of a safetensors file. It is read as a stream of events, so a hostile header costs no more
// than its length: nothing is nested and no tree is built.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "engine/base/checked_arithmetic.hpp"
#include "engine/io/weights/safetensors.hpp"
#include "engine/io/weights/totals.hpp"

namespace roofcast {
namespace {

constexpr std::uint64_t length_bytes = 8;
constexpr std::uint64_t longest_header = 100'000'000;  // MAX_HEADER_SIZE of the reference implementation
constexpr std::size_t most_tensors = 1'000'000;        // the largest published models have about 100,000
constexpr std::size_t most_dimensions = 64;
constexpr std::size_t most_problems = 10;

struct ElementType {
  std::string_view name{};
  std::int64_t bits = 0;
};

// Source: safetensors/src/tensor.rs of huggingface/safetensors, `Dtype::bitsize`, and the FNUZ types of later
// releases; read 2026-12.
constexpr std::array<ElementType, 22> element_types = {{
    {"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6},     {"F6_E3M2", 6},     {"U8", 8},   {"I8", 8},
    {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8},     {"I16", 16},        {"U16", 16}, {"F16", 16},
    {"BF16", 16},   {"I32", 32},    {"U32", 32},        {"F32", 32},        {"C64", 64}, {"F64", 64},
    {"I64", 64},    {"U64", 64},    {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8},
}};

std::optional<std::int64_t> bits_of(std::string_view dtype) {
  const auto* found = std::ranges::find(element_types, dtype, &ElementType::name);
  if (found == element_types.end()) return std::nullopt;
  return found->bits;
}

struct Entry {
  StoredTensor tensor{};
  std::vector<std::int64_t> offsets{};
  bool has_shape = false;
};

// What nlohmann::json::sax_parse calls. Depth 1 holds the names of tensors, depth 2 their three keys.
class HeaderEvents {
 public:
  std::vector<Entry> entries{};
  std::string problem{};

  bool start_object(std::size_t /*size*/) {
    ++depth_;
    if (depth_ == 1) return !in_list_;
    if (depth_ > 2 || in_list_) return unexpected("an object");
    if (in_metadata()) return true;
    if (entries.size() == most_tensors)
      return complain(fmt::format("has more than {} tensors", most_tensors));
    entries.push_back({.tensor = {.name = name_}});
    return true;
  }
  bool end_object() {
    --depth_;
    if (depth_ != 1 || in_metadata()) return true;
    const Entry& entry = entries.back();
    if (entry.tensor.dtype.empty()) return missing("dtype");
    if (!entry.has_shape) return missing("shape");
    if (entry.offsets.size() != 2) return missing("data_offsets");
    return true;
  }
  bool key(std::string& text) {
    if (depth_ == 1) {
      name_ = text;
      return true;
    }
    field_ = text;
    const bool known = in_metadata() || field_ == "dtype" || field_ == "shape" || field_ == "data_offsets";
    return known || complain(fmt::format("tensor '{}': unknown key '{}'", name_, field_));
  }
  bool start_array(std::size_t /*size*/) {
    if (depth_ != 2 || in_list_ || in_metadata() || (field_ != "shape" && field_ != "data_offsets")) {
      return unexpected("a list");
    }
    in_list_ = true;
    if (field_ == "shape") entries.back().has_shape = true;
    return true;
  }
  bool end_array() {
    in_list_ = false;
    return true;
  }
  bool number_unsigned(std::uint64_t number) {
    if (!in_list_) return unexpected("a number");
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return complain(fmt::format("tensor '{}': {} in '{}' is too large", name_, number, field_));
    }
    auto& list = field_ == "shape" ? entries.back().tensor.shape : entries.back().offsets;
    if (list.size() == (field_ == "shape" ? most_dimensions : 2)) {
      return complain(fmt::format("tensor '{}': '{}' has too many numbers", name_, field_));
    }
    list.push_back(static_cast<std::int64_t>(number));
    return true;
  }
  bool string(std::string& text) {
    if (in_metadata() && depth_ == 2) return true;
    if (depth_ != 2 || in_list_ || field_ != "dtype") return unexpected("a text");
    entries.back().tensor.dtype = text;
    return true;
  }
  bool number_integer(std::int64_t /*number*/) { return unexpected("a negative number"); }
  bool number_float(double /*number*/, const std::string& /*text*/) { return unexpected("a fraction"); }
  bool boolean(bool /*value*/) { return unexpected("true or false"); }
  bool binary(nlohmann::json::binary_t& /*value*/) { return false; }
  bool null() { return in_metadata() || unexpected("null"); }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& /*error*/) {
    return complain(fmt::format("the header is not valid JSON at byte {}", length_bytes + position));
  }

 private:
  bool in_metadata() const { return depth_ >= 1 && name_ == "__metadata__"; }
  bool complain(std::string text) {
    if (problem.empty()) problem = std::move(text);
    return false;
  }
  bool missing(std::string_view key) { return complain(fmt::format("tensor '{}' has no '{}'", name_, key)); }
  bool unexpected(std::string_view what) {
    if (depth_ == 0) return complain(fmt::format("the header is {}, not an object", what));
    if (depth_ == 1) return complain(fmt::format("'{}' is {}, not a tensor", name_, what));
    return complain(fmt::format("tensor '{}': '{}' is or holds {}", name_, field_, what));
  }

  int depth_ = 0;
  bool in_list_ = false;
  std::string name_{};
  std::string field_{};
};

// Fills in elements and bytes; the mistake in words, or nothing.
std::string measure(Entry& entry) {
  StoredTensor& tensor = entry.tensor;
  const auto bits = bits_of(tensor.dtype);
  if (!bits) return fmt::format("tensor '{}' has the unknown dtype '{}'", tensor.name, tensor.dtype);
  const auto elements = element_count(tensor.shape);
  const auto all_bits = elements ? checked_multiply(*elements, *bits) : std::nullopt;
  if (!all_bits) {
    return fmt::format("tensor '{}': shape [{}] overflows 64 bits", tensor.name,
                       fmt::join(tensor.shape, ", "));
  }
  if (*all_bits % 8 != 0) {
    return fmt::format("tensor '{}': {} elements of {} are no whole bytes", tensor.name, *elements,
                       tensor.dtype);
  }
  tensor.elements = *elements;
  tensor.bytes = *all_bits / 8;
  const std::int64_t begin = entry.offsets[0];
  const std::int64_t end = entry.offsets[1];
  if (end < begin)
    return fmt::format("tensor '{}' ends at byte {}, before its start at {}", tensor.name, end, begin);
  if (end - begin != tensor.bytes) {
    return fmt::format("tensor '{}': {} of shape [{}] takes {} bytes, but its data_offsets span {}",
                       tensor.name, tensor.dtype, fmt::join(tensor.shape, ", "), tensor.bytes, end - begin);
  }
  return {};
}

// The data must follow each other without gaps or overlaps.
std::string misplaced(const std::vector<Entry>& entries) {
  std::int64_t next = 0;
  std::string_view before = "the header";
  for (const Entry& entry : entries) {
    if (entry.offsets[0] != next) {
      return fmt::format("tensor '{}' starts at byte {} of the data, but {} ends at {}", entry.tensor.name,
                         entry.offsets[0], next == 0 ? std::string(before) : fmt::format("'{}'", before),
                         next);
    }
    next = entry.offsets[1];
    before = entry.tensor.name;
  }
  return {};
}

std::string repeated_name(const std::vector<Entry>& entries) {
  std::vector<std::string_view> names;
  names.reserve(entries.size());
  for (const Entry& entry : entries) names.push_back(entry.tensor.name);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  return twice == names.end() ? std::string{} : std::string(*twice);
}

}  // namespace

Result<std::uint64_t> safetensors_header_bytes(std::string_view start, std::uint64_t file_bytes,
                                               const std::string& file) {
  const Location where{.file = file};
  if (start.starts_with("version https://git-lfs")) {
    return fail("is a Git LFS pointer, not the file itself", where, "`git lfs pull` fetches it");
  }
  if (start.size() < length_bytes) {
    return fail(fmt::format("has {} bytes: too short for a safetensors file", start.size()), where);
  }
  std::uint64_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = (length << 8U) | static_cast<unsigned char>(start[i]);
  if (length > longest_header) {
    return fail(fmt::format("is no safetensors file: its header would have {} bytes, at most {} are allowed",
                            length, longest_header),
                where);
  }
  if (length > file_bytes - length_bytes) {
    return fail(
        fmt::format("is cut off: its header has {} bytes, the whole file only {}", length, file_bytes),
        where);
  }
  return length_bytes + length;
}

Result<std::vector<StoredTensor>> read_safetensors_header(std::string_view start, std::uint64_t file_bytes,
                                                          const std::string& file) {
  const Location where{.file = file};
  const auto header = safetensors_header_bytes(start, file_bytes, file);
  if (!header) return tl::make_unexpected(header.error());
  if (start.size() < *header) return fail("cannot be read to the end of its header", where);
  const std::string_view json = start.substr(length_bytes, *header - length_bytes);
  HeaderEvents events;
  const bool parsed = nlohmann::json::sax_parse(json.begin(), json.end(), &events);
  if (!parsed) return fail(events.problem.empty() ? "the header is no object" : events.problem, where);
  std::vector<Entry>& entries = events.entries;

  Diagnostics problems;
  for (Entry& entry : entries) {
    std::string problem = measure(entry);
    if (problem.empty()) continue;
    problems.push_back({where, std::move(problem), {}});
    if (problems.size() == most_problems) break;
  }
  if (!problems.empty()) return tl::make_unexpected(std::move(problems));
  if (const std::string name = repeated_name(entries); !name.empty())
    return fail(fmt::format("tensor '{}' is there twice", name), where);
  std::ranges::sort(entries, {}, &Entry::offsets);
  if (std::string problem = misplaced(entries); !problem.empty()) return fail(std::move(problem), where);

  const std::uint64_t data_bytes = file_bytes - *header;
  const auto needed = entries.empty() ? 0U : static_cast<std::uint64_t>(entries.back().offsets[1]);
  if (needed > data_bytes) {
    return fail(fmt::format("is cut off: tensor '{}' ends at byte {} of the data, but there are only {}",
                            entries.back().tensor.name, needed, data_bytes),
                where);
  }
  if (needed < data_bytes) {
    return fail(fmt::format("has {} bytes after its last tensor", data_bytes - needed), where);
  }
  std::vector<StoredTensor> tensors;
  tensors.reserve(entries.size());
  for (Entry& entry : entries) tensors.push_back(std::move(entry.tensor));
  return tensors;
}

}  // namespace roofcast
