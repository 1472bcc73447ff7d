#include "engine/io/import_onnx/family.hpp"

namespace roofcast::onnx {

HandlerRows loss_handlers() {
  return {};
}

}  // namespace roofcast::onnx
