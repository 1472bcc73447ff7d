#pragma once
// Stored tensors: their type, and their elements while they are few.

#include "engine/base/diagnostics.hpp"
#include "engine/io/import_onnx/messages.hpp"
#include "engine/io/import_onnx/onnx_value.hpp"

namespace roofcast::onnx {

/// Shape, type and, if it has at most `most_content` numbers that are in the file, content. Errors: negative
/// or absurd dimensions, content that does not fill them.
Result<OnnxValue> read_tensor(const Tensor& tensor, const Location& where);

/// The product of a tensor's dimensions. Only for tensors that `read_tensor` accepts.
std::int64_t element_count(const Tensor& tensor);

}  // namespace roofcast::onnx
