#include "engine/io/import_onnx/family.hpp"

namespace roofcast::onnx {

HandlerRows quantization_handlers() {
  return {};
}

}  // namespace roofcast::onnx
