// The header of a GGUF file, byte by byte.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <set>

#include "engine/base/checked_arithmetic.hpp"
#include "engine/io/weights/ggml_types.hpp"
#include "engine/io/weights/gguf.hpp"
#include "engine/io/weights/totals.hpp"

namespace roofcast {
namespace {

constexpr std::size_t longest_text = 4096;
constexpr std::uint64_t longest_list = 4096;
constexpr std::uint64_t longest_name = 65535;  // of a key; the format allows 64 for tensors, files have more
constexpr std::uint32_t most_ggml_dimensions = 4;  // GGML_MAX_DIMS
constexpr int deepest_list = 4;

enum class ValueType : std::uint32_t {
  uint8 = 0,
  int8,
  uint16,
  int16,
  uint32,
  int32,
  float32,
  boolean,
  string,
  array,
  uint64,
  int64,
  float64
};
constexpr std::uint32_t value_types = 13;

// Bytes of a value; 0 for those whose length varies.
constexpr std::uint64_t value_bytes(ValueType type) {
  constexpr std::array<std::uint64_t, value_types> bytes = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return bytes[static_cast<std::size_t>(type)];
}

// Nothing is thrown: once `problem` is set, all reads give zeros and loops end.
class HeaderReader {
 public:
  HeaderReader(std::string_view bytes, std::uint64_t file_bytes, const std::string& file)
      : bytes_(bytes), file_bytes_(file_bytes) {
    header_.file = file;
  }

  Result<std::optional<GgufHeader>> run() {
    read();
    if (ended_ && bytes_.size() < file_bytes_) return std::nullopt;
    if (!problem_.empty()) return fail(problem_, Location{.file = header_.file}, hint_);
    return std::optional(std::move(header_));
  }

 private:
  void read() {
    if (!read_version()) return;
    const std::uint64_t tensors = count();
    const std::uint64_t pairs = count();
    // A pair takes at least an empty key, a type and a byte; a tensor a name, dimensions, a type, an offset.
    if (!plausible(pairs, count_bytes() + 4 + 1, "metadata keys")) return;
    for (std::uint64_t i = 0; i < pairs && good(); ++i) read_pair();
    if (!good()) return;
    if (!plausible(tensors, count_bytes() + 4 + 4 + 8, "tensors")) return;
    const std::uint64_t alignment = read_alignment();
    if (!good()) return;
    std::vector<std::uint64_t> offsets;
    header_.tensors.reserve(static_cast<std::size_t>(tensors));
    offsets.reserve(static_cast<std::size_t>(tensors));
    for (std::uint64_t i = 0; i < tensors && good(); ++i) offsets.push_back(read_tensor(alignment));
    if (good()) check_data(offsets, alignment);
  }

  bool read_version() {
    constexpr std::array<std::string_view, 3> older = {"tjgg", "fmgg", "lmgg"};  // GGJT, GGMF, GGML
    if (bytes_.starts_with("version https://git-lfs")) {
      hint_ = "`git lfs pull` fetches it";
      return complain("is a Git LFS pointer, not the file itself");
    }
    const std::string_view magic = bytes_.substr(0, 4);
    if (std::ranges::find(older, magic) != older.end())
      return complain("is in a format older than GGUF; llama.cpp's scripts convert it");
    if (magic != "GGUF") return complain("is no GGUF file: it does not start with 'GGUF'");
    at_ = 4;
    header_.version = number<std::uint32_t>();
    if (!good()) return false;
    // A version of the other byte order has its number in the high bytes.
    if ((header_.version & 0xFFFFU) == 0 && header_.version != 0)
      return complain("is a big-endian GGUF file; only little-endian ones are read");
    if (header_.version < 1 || header_.version > 3)
      return complain(fmt::format("is GGUF version {}; 1 to 3 are known", header_.version));
    return true;
  }

  void read_pair() {
    const std::string key(string(longest_name, "a metadata key"));
    const auto type = value_type();
    if (!good()) return;
    GgufValue value = read_value(type, key);
    if (!good()) return;
    if (!header_.metadata.emplace(key, std::move(value)).second)
      complain(fmt::format("metadata key '{}' is there twice", key));
  }

  GgufValue read_value(ValueType type, std::string_view key) {
    switch (type) {
      case ValueType::uint8: return std::int64_t{number<std::uint8_t>()};
      case ValueType::int8: return std::int64_t{number<std::int8_t>()};
      case ValueType::uint16: return std::int64_t{number<std::uint16_t>()};
      case ValueType::int16: return std::int64_t{number<std::int16_t>()};
      case ValueType::uint32: return std::int64_t{number<std::uint32_t>()};
      case ValueType::int32: return std::int64_t{number<std::int32_t>()};
      case ValueType::float32: return double{number<float>()};
      case ValueType::boolean: return number<std::uint8_t>() != 0;
      case ValueType::string:
        return std::string(string(std::numeric_limits<std::uint64_t>::max(), key).substr(0, longest_text));
      case ValueType::array: return read_list(key, 0);
      case ValueType::uint64: {
        const auto value = number<std::uint64_t>();
        if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
          return static_cast<double>(value);
        return static_cast<std::int64_t>(value);
      }
      case ValueType::int64: return number<std::int64_t>();
      case ValueType::float64: return number<double>();
    }
    return std::int64_t{0};
  }

  GgufList read_list(std::string_view key, int depth) {
    const auto type = value_type();
    GgufList list{.count = count()};
    if (!good()) return list;
    if (type == ValueType::array) {
      if (depth == deepest_list) complain(fmt::format("metadata key '{}': lists are nested too deeply", key));
      for (std::uint64_t i = 0; i < list.count && good(); ++i) read_list(key, depth + 1);
    } else if (type == ValueType::string) {
      for (std::uint64_t i = 0; i < list.count && good(); ++i) skip(count());
    } else if (list.count > left() / value_bytes(type)) {
      ended();
    } else if (list.count <= longest_list && type != ValueType::float32 && type != ValueType::float64) {
      for (std::uint64_t i = 0; i < list.count && good(); ++i) {
        const GgufValue value = read_value(type, key);
        if (const auto* integer = std::get_if<std::int64_t>(&value)) list.integers.push_back(*integer);
        if (const auto* flag = std::get_if<bool>(&value)) list.integers.push_back(*flag ? 1 : 0);
      }
      if (list.integers.size() != list.count) list.integers.clear();  // beyond 63 bits
    } else {
      skip(list.count * value_bytes(type));
    }
    return list;
  }

  std::uint64_t read_alignment() {
    constexpr std::int64_t usual = 32;  // GGUF_DEFAULT_ALIGNMENT
    const std::int64_t alignment = header_.integer("general.alignment").value_or(usual);
    if (alignment <= 0 || alignment > (1 << 20) ||
        !std::has_single_bit(static_cast<std::uint64_t>(alignment)))
      complain(fmt::format("'general.alignment' is {}, not a power of two", alignment));
    return static_cast<std::uint64_t>(alignment);
  }

  // Appends the tensor; its offset into the data.
  std::uint64_t read_tensor(std::uint64_t alignment) {
    StoredTensor tensor{.name = std::string(string(longest_name, "a tensor"))};
    const auto dimensions = number<std::uint32_t>();
    if (dimensions > most_ggml_dimensions) {
      complain(fmt::format("tensor '{}' has {} dimensions, at most {} are allowed", tensor.name, dimensions,
                           most_ggml_dimensions));
      return 0;
    }
    for (std::uint32_t i = 0; i < dimensions; ++i) {
      const std::uint64_t dimension = count();
      if (dimension > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        complain(fmt::format("tensor '{}' has a dimension of {}", tensor.name, dimension));
        return 0;
      }
      tensor.shape.push_back(static_cast<std::int64_t>(dimension));
    }
    const auto id = number<std::uint32_t>();
    const auto offset = number<std::uint64_t>();
    if (!good()) return 0;
    const GgmlType* type = find_ggml_type(id);
    if (type == nullptr) {
      complain(fmt::format("tensor '{}' has the unknown ggml type {}", tensor.name, id));
      return 0;
    }
    measure(tensor, *type);
    if (good() && offset % alignment != 0)
      complain(fmt::format("tensor '{}' is at offset {}, which is no multiple of {}", tensor.name, offset,
                           alignment));
    header_.tensors.push_back(std::move(tensor));
    return offset;
  }

  void measure(StoredTensor& tensor, const GgmlType& type) {
    tensor.dtype = type.name;
    const std::int64_t row = tensor.shape.empty() ? 1 : tensor.shape.front();
    if (row % type.block != 0) {
      complain(fmt::format("tensor '{}': rows of {} are no whole blocks of {} ({} elements)", tensor.name,
                           row, type.name, type.block));
      return;
    }
    const auto elements = element_count(tensor.shape);
    const auto bytes = elements ? checked_multiply(*elements / type.block, type.bytes) : std::nullopt;
    if (!bytes) {
      complain(fmt::format("tensor '{}': shape [{}] overflows 64 bits", tensor.name,
                           fmt::join(tensor.shape, ", ")));
      return;
    }
    tensor.elements = *elements;
    tensor.bytes = *bytes;
  }

  // No name twice, no two tensors in the same place; whether the file reaches to the end of its last tensor.
  void check_data(const std::vector<std::uint64_t>& offsets, std::uint64_t alignment) {
    std::set<std::string_view> names;
    for (const StoredTensor& tensor : header_.tensors) {
      if (names.insert(tensor.name).second) continue;
      complain(fmt::format("tensor '{}' is there twice", tensor.name));
      return;
    }
    std::vector<std::size_t> order(offsets.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](std::size_t i) {
      return std::pair{offsets[i], header_.tensors[i].bytes};
    });
    std::uint64_t end = 0;
    std::string_view before;
    for (const std::size_t i : order) {
      const StoredTensor& tensor = header_.tensors[i];
      if (offsets[i] < end) {
        complain(fmt::format("tensors '{}' and '{}' overlap", before, tensor.name));
        return;
      }
      end = offsets[i] + static_cast<std::uint64_t>(tensor.bytes);
      if (end < offsets[i]) {
        complain(fmt::format("tensor '{}' is at offset {}, beyond any file", tensor.name, offsets[i]));
        return;
      }
      before = tensor.name;
    }
    const std::uint64_t data = (at_ + alignment - 1) / alignment * alignment;
    header_.has_data = end == 0 || (data <= file_bytes_ && end <= file_bytes_ - data);
  }

  template <class T>
  T number() {
    static_assert(std::endian::native == std::endian::little);
    if (sizeof(T) > left()) {
      ended();
      return {};
    }
    T value{};
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  // Version 1 had 32 bits for lengths, counts and dimensions.
  std::uint64_t count() {
    return header_.version == 1 ? std::uint64_t{number<std::uint32_t>()} : number<std::uint64_t>();
  }
  std::uint64_t count_bytes() const { return header_.version == 1 ? 4 : 8; }

  ValueType value_type() {
    const auto type = number<std::uint32_t>();
    if (type >= value_types) {
      complain(fmt::format("metadata value of the unknown type {} at byte {}", type, at_ - 4));
      return ValueType::uint8;
    }
    return static_cast<ValueType>(type);
  }

  std::string_view string(std::uint64_t longest, std::string_view what) {
    const std::uint64_t length = count();
    if (length > longest) {
      complain(fmt::format("{} has a name of {} bytes at byte {}", what, length, at_));
      return {};
    }
    if (length > left()) {
      ended();
      return {};
    }
    const std::string_view text = bytes_.substr(at_, length);
    at_ += length;
    return text;
  }

  void skip(std::uint64_t bytes) {
    if (bytes > left()) {
      ended();
    } else {
      at_ += bytes;
    }
  }

  bool plausible(std::uint64_t things, std::uint64_t least_bytes, std::string_view what) {
    if (!good()) return false;
    if (things <= (file_bytes_ - std::min<std::uint64_t>(at_, file_bytes_)) / least_bytes) return true;
    return complain(fmt::format("cannot have {} {} in {} bytes", things, what, file_bytes_));
  }

  std::uint64_t left() const { return good() ? bytes_.size() - at_ : 0; }
  bool good() const { return problem_.empty(); }
  void ended() {
    if (!good()) return;
    ended_ = true;
    complain(fmt::format("ends within its header, after {} bytes", bytes_.size()));
  }
  bool complain(std::string text) {
    if (problem_.empty()) problem_ = std::move(text);
    return false;
  }

  std::string_view bytes_;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t at_ = 0;
  GgufHeader header_{};
  std::string problem_{};
  std::string hint_{};
  bool ended_ = false;
};

}  // namespace

Result<std::optional<GgufHeader>> read_gguf_header(std::string_view start, std::uint64_t file_bytes,
                                                   const std::string& file) {
  return HeaderReader(start, file_bytes, file).run();
}

std::optional<std::int64_t> GgufHeader::integer(std::string_view key) const {
  const auto found = metadata.find(key);
  if (found == metadata.end()) return std::nullopt;
  if (const auto* value = std::get_if<std::int64_t>(&found->second)) return *value;
  const auto* values = std::get_if<GgufList>(&found->second);
  if (values == nullptr || values->integers.empty()) return std::nullopt;
  const bool equal = std::ranges::all_of(
      values->integers, [&](std::int64_t value) { return value == values->integers.front(); });
  return equal ? std::optional(values->integers.front()) : std::nullopt;
}

std::optional<double> GgufHeader::number(std::string_view key) const {
  const auto found = metadata.find(key);
  if (found == metadata.end()) return std::nullopt;
  if (const auto* value = std::get_if<double>(&found->second)) return *value;
  if (const auto* value = std::get_if<std::int64_t>(&found->second)) return static_cast<double>(*value);
  return std::nullopt;
}

std::string GgufHeader::text(std::string_view key) const {
  const auto found = metadata.find(key);
  const auto* value = found == metadata.end() ? nullptr : std::get_if<std::string>(&found->second);
  return value == nullptr ? std::string{} : *value;
}

const GgufList* GgufHeader::list(std::string_view key) const {
  const auto found = metadata.find(key);
  return found == metadata.end() ? nullptr : std::get_if<GgufList>(&found->second);
}

const StoredTensor* GgufHeader::tensor(std::string_view name) const {
  const auto found = std::ranges::find(tensors, name, &StoredTensor::name);
  return found == tensors.end() ? nullptr : &*found;
}

}  // namespace roofcast
