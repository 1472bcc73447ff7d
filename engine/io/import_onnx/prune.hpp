#pragma once
// What no output needs is no part of the model.

#include "engine/graph/graph.hpp"

namespace roofcast::onnx {

/// Takes out nodes whose results reach no output, such as leftovers of size computations.
void prune(roofcast::Graph& graph);

}  // namespace roofcast::onnx
