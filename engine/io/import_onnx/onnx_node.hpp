#pragma once
// One node of the file as its importer sees it.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/import_onnx/messages.hpp"
#include "engine/io/import_onnx/onnx_value.hpp"

namespace roofcast::onnx {

/// Operator, inputs and attributes of a node. Readers return the fallback where an attribute is absent.
class OnnxNode {
 public:
  OnnxNode(const Node& node, std::string name, std::int64_t version, std::vector<OnnxValue> inputs,
           const std::map<std::string, const Attribute*, std::less<>>& caller);

  const Node& message() const { return *node_; }
  const std::string& op() const;
  const std::string& domain() const;
  const std::string& name() const { return name_; }
  std::int64_t version() const { return version_; }  ///< of the operator set that the node is from

  std::size_t inputs() const { return inputs_.size(); }
  bool has(std::size_t input) const { return input < inputs_.size() && !inputs_[input].absent; }
  const OnnxValue& input(std::size_t index) const { return inputs_[index]; }
  const std::vector<OnnxValue>& all_inputs() const { return inputs_; }
  std::size_t outputs() const;
  bool wants(std::size_t output) const { return !output_name(output).empty(); }
  /// Empty for an optional output that nobody wants, and beyond the last one.
  std::string output_name(std::size_t output) const;

  bool has_attribute(std::string_view name) const { return find(name) != nullptr; }
  std::int64_t integer(std::string_view name, std::int64_t fallback = 0) const;
  double real(std::string_view name, double fallback = 0) const;
  std::string text(std::string_view name, std::string_view fallback = {}) const;
  std::optional<std::vector<std::int64_t>> integers(std::string_view name) const;
  std::optional<std::vector<double>> reals(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;
  const Tensor* tensor(std::string_view name) const;
  const Graph* graph(std::string_view name) const;
  const std::map<std::string, const Attribute*, std::less<>>& attributes() const { return attributes_; }

 private:
  const Attribute* find(std::string_view name) const;

  const Node* node_;
  std::string name_;
  std::int64_t version_;
  std::vector<OnnxValue> inputs_;
  std::map<std::string, const Attribute*, std::less<>> attributes_{};
};

}  // namespace roofcast::onnx
