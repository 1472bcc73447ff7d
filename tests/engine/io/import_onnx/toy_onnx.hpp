#pragma once
// ONNX files of a few nodes, written in the test.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/decide/estimate.hpp"
#include "engine/io/import_onnx/element_type.hpp"
#include "engine/io/import_onnx/import_onnx.hpp"
#include "engine/io/import_onnx/onnx.pb.h"

namespace roofcast {

using onnx::ElementType;
using Dims = std::vector<std::int64_t>;

/// One node; the setters return it for more.
class ToyOnnxNode {
 public:
  explicit ToyOnnxNode(onnx::Node& node) : node_(&node) {}

  ToyOnnxNode& set(const std::string& name, std::int64_t value) {
    add(name).set_i(value);
    return *this;
  }
  ToyOnnxNode& set(const std::string& name, const std::string& value) {
    add(name).set_s(value);
    return *this;
  }
  ToyOnnxNode& set(const std::string& name, const Dims& values) {
    onnx::Attribute& attribute = add(name);
    for (const std::int64_t value : values) attribute.add_ints(value);
    return *this;
  }
  ToyOnnxNode& set(const std::string& name, const onnx::Graph& graph) {
    *add(name).mutable_g() = graph;
    return *this;
  }
  ToyOnnxNode& texts(const std::string& name, const std::vector<std::string>& values) {
    onnx::Attribute& attribute = add(name);
    for (const std::string& value : values) attribute.add_strings(value);
    return *this;
  }

 private:
  onnx::Attribute& add(const std::string& name) {
    onnx::Attribute& attribute = *node_->add_attribute();
    attribute.set_name(name);
    return attribute;
  }

  onnx::Node* node_;
};

inline void describe(onnx::ValueInfo& info, const std::string& name, const Dims& dims, ElementType element) {
  info.set_name(name);
  auto& type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(static_cast<int>(element));
  auto& shape = *type.mutable_shape();
  for (const std::int64_t size : dims) shape.add_dim()->set_dim_value(size);
}

/// A file under test.
class ToyOnnx {
 public:
  explicit ToyOnnx(std::int64_t version = 17) { model_.add_opset_import()->set_version(version); }

  ToyOnnx& input(const std::string& name, const Dims& dims, ElementType element = ElementType::float32) {
    describe(*graph().add_input(), name, dims, element);
    return *this;
  }

  /// A tensor whose content is elsewhere.
  ToyOnnx& stored(const std::string& name, const Dims& dims, ElementType element = ElementType::float32) {
    tensor(name, dims, element).set_data_location(1);
    return *this;
  }

  /// A vector of whole numbers, or with `scalar` a single one.
  ToyOnnx& known(const std::string& name, const Dims& values, bool scalar = false) {
    const Dims dims = scalar ? Dims{} : Dims{static_cast<std::int64_t>(values.size())};
    onnx::Tensor& content = tensor(name, dims, ElementType::int64);
    for (const std::int64_t value : values) content.add_int64_data(value);
    return *this;
  }

  ToyOnnxNode node(const std::string& op, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs, const std::string& domain = {}) {
    onnx::Node& added = *graph().add_node();
    added.set_op_type(op);
    added.set_domain(domain);
    added.set_name("n");
    for (const std::string& name : inputs) added.add_input(name);
    for (const std::string& name : outputs) added.add_output(name);
    return ToyOnnxNode(added);
  }

  /// Without dimensions the file does not say how large it is.
  ToyOnnx& output(const std::string& name) {
    graph().add_output()->set_name(name);
    return *this;
  }
  ToyOnnx& output(const std::string& name, const Dims& dims, ElementType element = ElementType::float32) {
    describe(*graph().add_output(), name, dims, element);
    return *this;
  }

  onnx::Graph& graph() { return *model_.mutable_graph(); }

  ModelSummary show(const OpenOptions& options = {}) const {
    const auto graph = read(options);
    INFO("complaint: ", graph ? std::string("none") : to_string(graph.error()));
    REQUIRE(graph.has_value());
    const auto summary = summarize(*graph);
    INFO("complaint: ", summary ? std::string("none") : to_string(summary.error()));
    REQUIRE(summary.has_value());
    return *summary;
  }

  /// "2x3:real", one an output.
  std::vector<std::string> outputs(const OpenOptions& options = {}) const {
    std::vector<std::string> types;
    for (const auto& [name, type] : show(options).outputs) types.push_back(type);
    return types;
  }
  std::int64_t macs() const { return show().macs; }

  /// What is said of a file that cannot be read.
  std::string complaint() const {
    const auto graph = read({});
    if (!graph) return to_string(graph.error());
    const auto summary = summarize(*graph);
    return summary ? "no mistakes" : to_string(summary.error());
  }

  bool notes(std::string_view text) const {
    const auto graph = read({});
    return graph && std::ranges::any_of(graph->notes, [&](const std::string& note) {
             return note.find(text) != std::string::npos;
           });
  }

 private:
  onnx::Tensor& tensor(const std::string& name, const Dims& dims, ElementType element) {
    onnx::Tensor& added = *graph().add_initializer();
    added.set_name(name);
    added.set_data_type(static_cast<int>(element));
    for (const std::int64_t size : dims) added.add_dims(size);
    return added;
  }

  Result<Graph> read(const OpenOptions& options) const {
    return import_onnx_bytes(model_.SerializeAsString(), "net.onnx", options);
  }

  onnx::Model model_{};
};

using Types = std::vector<std::string>;

}  // namespace roofcast
