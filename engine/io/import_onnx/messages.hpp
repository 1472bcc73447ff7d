#pragma once
// The messages of an ONNX file by name, for headers: `onnx.pb.h` itself is large and belongs in the sources
// that look into a message.

namespace roofcast::onnx {

class Attribute;
class Function;
class Graph;
class Model;
class Node;
class Tensor;
class Type_TensorType;
class ValueInfo;

}  // namespace roofcast::onnx
