#pragma once
// What follows a convolution element by element as a part of it, as inference engines run it.

#include "engine/lower/program.hpp"

namespace roofcast {

/// In inference a batch norm, a sum or a simple activation (relu, relu6, leaky_relu, sigmoid, tanh,
/// hardsigmoid) becomes part of the convolution whose result it reads:
///
/// - Nobody else reads that result. Other operands, such as the residual of a sum, were made before.
/// - The convolution reads these operands too, writes what the last of them wrote, and does the operations of
///   all. What stays inside takes no time and no memory. The host calls one operator.
///
/// Source: ONNX Runtime, "Graph optimizations" (onnxruntime.ai/docs/performance/model-optimizations): Conv
/// BatchNorm fusion (basic), Conv Add and Conv activation fusion (basic, extended). What it does not do: fold
/// into matrix products, or a norm into the convolution after it.
Program fold_into_convolutions(Program program);

}  // namespace roofcast
