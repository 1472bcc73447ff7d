#pragma once
// The bytes of an ONNX file -> its messages, without the weights.

#include <filesystem>

#include "engine/base/diagnostics.hpp"
#include "engine/io/import_onnx/onnx.pb.h"

namespace roofcast::onnx {

/// Tensors of more bytes than this are described but not read.
inline constexpr int most_content_bytes = 64 << 10;

/// What the messages may take besides the weights that are skipped.
inline constexpr std::int64_t most_message_bytes = 512LL << 20;

/// Reads the file in one pass. Large initializers are skipped over, so a file takes as much memory as its
/// graph, not as its weights. Errors: no such file, no ONNX file, cut off, more than `most_message_bytes`.
Result<Model> read_model(const std::filesystem::path& path);

/// The same from bytes in memory. `file` is for messages.
Result<Model> parse_model(std::string_view bytes, const std::string& file);

}  // namespace roofcast::onnx
