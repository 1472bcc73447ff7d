#include "engine/io/import_onnx/onnx_node.hpp"

#include "engine/io/import_onnx/onnx.pb.h"

namespace roofcast::onnx {

OnnxNode::OnnxNode(const Node& node, std::string name, std::int64_t version, std::vector<OnnxValue> inputs,
                   const std::map<std::string, const Attribute*, std::less<>>& caller)
    : node_(&node), name_(std::move(name)), version_(version), inputs_(std::move(inputs)) {
  for (const Attribute& attribute : node.attribute()) {
    if (attribute.ref_attr_name().empty()) {
      attributes_.emplace(attribute.name(), &attribute);
    } else if (const auto given = caller.find(attribute.ref_attr_name()); given != caller.end()) {
      attributes_.emplace(attribute.name(), given->second);
    }
  }
}

const std::string& OnnxNode::op() const {
  return node_->op_type();
}
const std::string& OnnxNode::domain() const {
  return node_->domain();
}
std::size_t OnnxNode::outputs() const {
  return static_cast<std::size_t>(node_->output_size());
}
std::string OnnxNode::output_name(std::size_t output) const {
  return output < outputs() ? node_->output(static_cast<int>(output)) : std::string{};
}

const Attribute* OnnxNode::find(std::string_view name) const {
  const auto found = attributes_.find(name);
  return found == attributes_.end() ? nullptr : found->second;
}

std::int64_t OnnxNode::integer(std::string_view name, std::int64_t fallback) const {
  const Attribute* attribute = find(name);
  return attribute != nullptr && attribute->has_i() ? attribute->i() : fallback;
}

double OnnxNode::real(std::string_view name, double fallback) const {
  const Attribute* attribute = find(name);
  return attribute != nullptr && attribute->has_f() ? static_cast<double>(attribute->f()) : fallback;
}

std::string OnnxNode::text(std::string_view name, std::string_view fallback) const {
  const Attribute* attribute = find(name);
  return attribute != nullptr && attribute->has_s() ? attribute->s() : std::string(fallback);
}

std::optional<std::vector<std::int64_t>> OnnxNode::integers(std::string_view name) const {
  const Attribute* attribute = find(name);
  if (attribute == nullptr) return std::nullopt;
  return std::vector<std::int64_t>(attribute->ints().begin(), attribute->ints().end());
}

std::optional<std::vector<double>> OnnxNode::reals(std::string_view name) const {
  const Attribute* attribute = find(name);
  if (attribute == nullptr) return std::nullopt;
  return std::vector<double>(attribute->floats().begin(), attribute->floats().end());
}

std::vector<std::string> OnnxNode::texts(std::string_view name) const {
  const Attribute* attribute = find(name);
  if (attribute == nullptr) return {};
  return {attribute->strings().begin(), attribute->strings().end()};
}

const Tensor* OnnxNode::tensor(std::string_view name) const {
  const Attribute* attribute = find(name);
  return attribute != nullptr && attribute->has_t() ? &attribute->t() : nullptr;
}

const Graph* OnnxNode::graph(std::string_view name) const {
  const Attribute* attribute = find(name);
  return attribute != nullptr && attribute->has_g() ? &attribute->g() : nullptr;
}

}  // namespace roofcast::onnx
