#pragma once
// Values as bytes, for two processes of the same program.

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace roofcast {

class MessageWriter {
 public:
  template <class Value>
  requires std::is_trivially_copyable_v<Value> MessageWriter& operator<<(const Value& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  MessageWriter& operator<<(std::string_view text) {
    *this << static_cast<std::uint64_t>(text.size());
    bytes_.append(text);
    return *this;
  }
  MessageWriter& operator<<(const std::string& text) { return *this << std::string_view(text); }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_{};
};

/// Reads what a `MessageWriter` of the same order has written. Behind the end values stay as they are, and
/// `is_whole` is false.
class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : rest_(bytes) {}

  template <class Value>
  requires std::is_trivially_copyable_v<Value> MessageReader& operator>>(Value& value) {
    if (rest_.size() < sizeof value) {
      is_whole_ = false;
      return *this;
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return *this;
  }
  MessageReader& operator>>(std::string& text) {
    std::uint64_t size = 0;
    *this >> size;
    if (size > rest_.size()) {
      is_whole_ = false;
      return *this;
    }
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return *this;
  }

  bool is_whole() const { return is_whole_; }

 private:
  std::string_view rest_{};
  bool is_whole_ = true;
};

}  // namespace roofcast
