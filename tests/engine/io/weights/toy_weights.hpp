#pragma once
// Small safetensors and GGUF files, byte by byte.

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace roofcast {

/// The integer's bytes, least first.
template <class T>
std::string little_endian(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

/// A safetensors file: the header's length, the header, zeros as data.
inline std::string safetensors_file(std::string_view header, std::size_t data_bytes) {
  return little_endian<std::uint64_t>(header.size()) + std::string(header) + std::string(data_bytes, '\0');
}

struct ToyTensor {
  std::string name{};
  std::vector<std::uint64_t> shape{};  ///< row length first
  std::uint32_t type = 0;              ///< ggml's id
  std::uint64_t bytes = 0;             ///< for the offset of the next one
};

/// A GGUF file in the making. `pairs` and `tensors` are counted; `take` ends it.
class ToyGguf {
 public:
  explicit ToyGguf(std::uint32_t version = 3) : version_(version) {}

  ToyGguf& integer(std::string_view key, std::uint32_t value) { return pair(key, 4, little_endian(value)); }
  ToyGguf& text(std::string_view key, std::string_view value) { return pair(key, 8, string(value)); }
  ToyGguf& number(std::string_view key, float value) { return pair(key, 6, little_endian(value)); }
  ToyGguf& texts(std::string_view key, std::size_t count) {
    std::string value = little_endian<std::uint32_t>(8) + this->count(count);
    for (std::size_t i = 0; i < count; ++i) value += string("token");
    return pair(key, 9, value);
  }
  ToyGguf& integers(std::string_view key, const std::vector<std::uint32_t>& values) {
    std::string value = little_endian<std::uint32_t>(4) + count(values.size());
    for (const std::uint32_t integer : values) value += little_endian(integer);
    return pair(key, 9, value);
  }
  ToyGguf& pair(std::string_view key, std::uint32_t type, std::string_view value) {
    ++pairs_;
    metadata_ += string(key) + little_endian(type) + std::string(value);
    return *this;
  }
  ToyGguf& tensor(const ToyTensor& tensor) { return raw_tensor(tensor, offset_); }
  ToyGguf& raw_tensor(const ToyTensor& tensor, std::uint64_t offset) {
    ++tensors_;
    infos_ += string(tensor.name) + little_endian(static_cast<std::uint32_t>(tensor.shape.size()));
    for (const std::uint64_t dimension : tensor.shape) infos_ += count(dimension);
    infos_ += little_endian(tensor.type) + little_endian(offset);
    offset_ = offset + (tensor.bytes + 31) / 32 * 32;
    return *this;
  }

  /// Only the header, as if the file were cut off after it.
  std::string header() const {
    return "GGUF" + little_endian(version_) + count(tensors_) + count(pairs_) + metadata_ + infos_;
  }
  std::string file() const {
    std::string bytes = header();
    bytes.resize((bytes.size() + 31) / 32 * 32 + offset_, '\0');
    return bytes;
  }

  std::string count(std::uint64_t value) const {
    return version_ == 1 ? little_endian(static_cast<std::uint32_t>(value)) : little_endian(value);
  }
  std::string string(std::string_view text) const { return count(text.size()) + std::string(text); }

 private:
  std::uint32_t version_ = 3;
  std::uint64_t pairs_ = 0;
  std::uint64_t tensors_ = 0;
  std::uint64_t offset_ = 0;
  std::string metadata_{};
  std::string infos_{};
};

}  // namespace roofcast
