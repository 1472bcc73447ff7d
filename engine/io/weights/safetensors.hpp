#pragma once
// Safetensors files: what tensors they hold, without reading the tensors.
// Format: https://huggingface.co/docs/safetensors, "Format"; read 2026-12.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostics.hpp"
#include "engine/base/stored_weights.hpp"

namespace roofcast {

/// The bytes of the header with the eight of its length before it, as the first eight bytes of a file say.
Result<std::uint64_t> safetensors_header_bytes(std::string_view start, std::uint64_t file_bytes,
                                               const std::string& file);

/// The tensors in the order of their data. `start` holds at least the header, `file_bytes` is the size of the
/// whole file.
Result<std::vector<StoredTensor>> read_safetensors_header(std::string_view start, std::uint64_t file_bytes,
                                                          const std::string& file);

/// `model.safetensors.index.json`: which file holds which tensor.
struct SafetensorsIndex {
  std::optional<std::int64_t> total_size{};                       ///< bytes of all tensors
  std::vector<std::pair<std::string, std::string>> weight_map{};  ///< tensor, file beside the index
  std::vector<std::string> files{};                               ///< sorted, each once
};

Result<SafetensorsIndex> read_safetensors_index(std::string_view text, const std::string& file);

/// A `.safetensors` file, or an index with the files that it names. If some of these are not there, only the
/// total that the index states is known.
Result<StoredWeights> read_safetensors(const std::filesystem::path& path);

/// The index or the single safetensors file with the weights of the model whose config.json lies in `folder`.
std::optional<std::filesystem::path> safetensors_beside(const std::filesystem::path& folder);

bool is_safetensors_name(std::string_view file);  ///< `.safetensors` or `.safetensors.index.json`

}  // namespace roofcast
