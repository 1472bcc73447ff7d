#pragma once
// ONNX graphs for tests of chains: an operator gives the name of its result, so one can stand in the other.

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/decide/estimate.hpp"
#include "engine/io/import_onnx/import_onnx.hpp"
#include "engine/io/import_onnx/onnx.pb.h"

namespace roofcast::onnx {

using Sizes = std::vector<std::int64_t>;

struct Ints {
  std::string name{};
  Sizes values{};
  bool list = true;
};

/// `axis = 1`, as opposed to `axes = [1]`.
inline Ints one_int(std::string name, std::int64_t value) {
  return {.name = std::move(name), .values = {value}, .list = false};
}

class OnnxGraph {
 public:
  OnnxGraph() {
    model_.set_ir_version(8);
    model_.add_opset_import()->set_version(13);
  }

  /// A dimension of 0 is open and called "batch".
  std::string input(const std::string& name, const Sizes& sizes) {
    ValueInfo* info = model_.mutable_graph()->add_input();
    info->set_name(name);
    auto* type = info->mutable_type()->mutable_tensor_type();
    type->set_elem_type(1);
    for (const std::int64_t size : sizes) {
      auto* dimension = type->mutable_shape()->add_dim();
      if (size == 0) {
        dimension->set_dim_param("batch");
      } else {
        dimension->set_dim_value(size);
      }
    }
    return name;
  }

  /// A stored tensor whose elements are elsewhere.
  std::string weight(const std::string& name, const Sizes& sizes) {
    Tensor* tensor = model_.mutable_graph()->add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(1);
    tensor->set_data_location(1);
    for (const std::int64_t size : sizes) tensor->add_dims(size);
    return name;
  }

  std::string number(float value) { return reals({value}, {}); }
  std::string reals(const std::vector<float>& values, const Sizes& sizes) {
    Tensor* tensor = new_constant(1, sizes);
    for (const float value : values) tensor->add_float_data(value);
    return tensor->name();
  }
  std::string integers(const Sizes& values) {
    Tensor* tensor = new_constant(7, {static_cast<std::int64_t>(values.size())});
    for (const std::int64_t value : values) tensor->add_int64_data(value);
    return tensor->name();
  }

  std::string node(const std::string& op, const std::vector<std::string>& inputs,
                   const std::vector<Ints>& attributes = {}) {
    Node* node = model_.mutable_graph()->add_node();
    const std::string name = op + "_" + std::to_string(++count_);
    node->set_op_type(op);
    node->set_name(name);
    node->add_output(name);
    for (const std::string& input : inputs) node->add_input(input);
    for (const Ints& given : attributes) {
      Attribute* attribute = node->add_attribute();
      attribute->set_name(given.name);
      attribute->set_type(given.list ? 7 : 2);
      if (!given.list) attribute->set_i(given.values.front());
      for (const std::int64_t value : given.values) {
        if (given.list) attribute->add_ints(value);
      }
    }
    return name;
  }

  std::string reshape(const std::string& value, const Sizes& sizes) {
    return node("Reshape", {value, integers(sizes)});
  }
  std::string transpose(const std::string& value, const Sizes& axes) {
    return node("Transpose", {value}, {{.name = "perm", .values = axes}});
  }
  std::string mean(const std::string& value, std::int64_t axis = -1) {
    return node("ReduceMean", {value}, {{.name = "axes", .values = {axis}}});
  }
  std::string softmax(const std::string& value, std::int64_t axis = -1) {
    return node("Softmax", {value}, {one_int("axis", axis)});
  }

  void output(const std::string& name) { model_.mutable_graph()->add_output()->set_name(name); }

  roofcast::Graph imported() const {
    const auto graph = import_onnx_bytes(model_.SerializeAsString(), "test.onnx");
    INFO("complaint: ", graph ? std::string("none") : to_string(graph.error()));
    REQUIRE(graph.has_value());
    return *graph;
  }

 private:
  Tensor* new_constant(int type, const Sizes& sizes) {
    Node* node = model_.mutable_graph()->add_node();
    const std::string name = "constant_" + std::to_string(++count_);
    node->set_op_type("Constant");
    node->add_output(name);
    Attribute* attribute = node->add_attribute();
    attribute->set_name("value");
    attribute->set_type(4);
    Tensor* tensor = attribute->mutable_t();
    tensor->set_name(name);
    tensor->set_data_type(type);
    for (const std::int64_t size : sizes) tensor->add_dims(size);
    return tensor;
  }

  Model model_{};
  int count_ = 0;
};

inline auto count_of(const roofcast::Graph& graph, std::string_view op) {
  return std::ranges::count_if(graph.nodes, [&](const roofcast::Node& node) { return node.op->name == op; });
}

inline const roofcast::Node& only(const roofcast::Graph& graph, std::string_view op) {
  REQUIRE(count_of(graph, op) == 1);
  return *std::ranges::find_if(graph.nodes, [&](const roofcast::Node& node) { return node.op->name == op; });
}

/// Operators that do something, as opposed to views and stored tensors.
inline std::vector<std::string> working(const roofcast::Graph& graph) {
  const std::vector<std::string_view> others{"parameter", "constant",     "reshape",
                                             "permute",   "strided_view", "identity"};
  std::vector<std::string> all;
  for (const roofcast::Node& node : graph.nodes) {
    if (std::ranges::find(others, node.op->name) == others.end()) all.emplace_back(node.op->name);
  }
  return all;
}

inline std::int64_t macs(const roofcast::Graph& graph) {
  const auto summary = summarize(graph);
  INFO("complaint: ", summary ? std::string("none") : to_string(summary.error()));
  REQUIRE(summary.has_value());
  return summary->macs;
}

/// The learned values that the operators own, which need not be those that the file stores.
inline std::int64_t owned_parameters(roofcast::Graph graph) {
  graph.stored.reset();
  const auto summary = summarize(graph);
  REQUIRE(summary.has_value());
  return summary->parameters;
}

}  // namespace roofcast::onnx
