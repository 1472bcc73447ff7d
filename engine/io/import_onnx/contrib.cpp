#include "engine/io/import_onnx/family.hpp"

namespace roofcast::onnx {

HandlerRows contrib_handlers() {
  return {};
}

}  // namespace roofcast::onnx
