#include "engine/io/import_onnx/family.hpp"

namespace roofcast::onnx {

HandlerRows sequence_handlers() {
  return {};
}

}  // namespace roofcast::onnx
