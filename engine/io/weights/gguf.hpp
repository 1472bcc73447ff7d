#pragma once
// GGUF files: metadata and what tensors they hold, without reading the tensors.
// Format: docs/gguf.md of ggml-org/ggml; read 2026-12.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/diagnostics.hpp"
#include "engine/base/stored_weights.hpp"

namespace roofcast {

/// A list in the metadata. Vocabularies have 10^5 entries that nobody here needs: only short lists of
/// integers are kept.
struct GgufList {
  std::uint64_t count = 0;
  std::vector<std::int64_t> integers{};  ///< empty unless it holds at most 4096 integers or booleans

  friend bool operator==(const GgufList&, const GgufList&) = default;
};

/// Integers beyond 63 bits become doubles; texts beyond 4096 bytes are cut.
using GgufValue = std::variant<std::int64_t, double, bool, std::string, GgufList>;

struct GgufHeader {
  std::string file{};
  std::uint32_t version = 0;
  std::map<std::string, GgufValue, std::less<>> metadata{};
  std::vector<StoredTensor> tensors{};  ///< in the file's order; shapes as in the file: the row length first
  bool has_data = true;                 ///< the file is long enough for all tensors

  /// Nothing when the key is missing or of another kind. A list of equal integers counts as that integer.
  std::optional<std::int64_t> integer(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
  std::string text(std::string_view key) const;
  const GgufList* list(std::string_view key) const;
  const StoredTensor* tensor(std::string_view name) const;
};

/// `start` are the first bytes of a file of `file_bytes`. Nothing if the header goes on after them. The
/// tensors' data may be missing.
Result<std::optional<GgufHeader>> read_gguf_header(std::string_view start, std::uint64_t file_bytes,
                                                   const std::string& file);

/// Reads no further than the header.
Result<GgufHeader> read_gguf(const std::filesystem::path& path);

/// A model may be spread over files `NAME-00001-of-00003.gguf`, ...: the header of the first one, which has
/// the metadata, and the weights of all. Missing parts are noted, and then the weights are not known.
struct GgufModel {
  GgufHeader header{};
  std::optional<StoredWeights> weights{};
  std::vector<std::string> notes{};
};

Result<GgufModel> read_gguf_model(const std::filesystem::path& path);

}  // namespace roofcast
