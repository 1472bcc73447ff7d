#include "engine/io/import_onnx/family.hpp"

namespace roofcast::onnx {

HandlerRows recurrent_handlers() {
  return {};
}

}  // namespace roofcast::onnx
