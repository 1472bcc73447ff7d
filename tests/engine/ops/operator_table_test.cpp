#include <doctest/doctest.h>

#include <set>

#include "engine/ops/operator.hpp"

namespace roofcast {
namespace {

TEST_CASE("operator_table: names are unique and find their operator") {
  std::set<std::string_view> names;
  for (const Operator* op : operator_table()) {
    CAPTURE(op->name);
    CHECK(names.insert(op->name).second);
    CHECK(find_operator(op->name) == op);
  }
  CHECK(find_operator("matmull") == nullptr);
  CHECK(find_operator("") == nullptr);
}

TEST_CASE("operator_table: what model files may use is described and can be trained") {
  for (const Operator* op : operator_table()) {
    if (!op->in_model_files) continue;
    CAPTURE(op->name);
    CHECK_FALSE(op->summary.empty());
    CHECK((op->gradient != nullptr));
    for (const AttributeRule& rule : op->attributes) {
      CAPTURE(rule.name);
      CHECK_FALSE(rule.name.empty());
      CHECK_FALSE(rule.summary.empty());
    }
  }
}

TEST_CASE("operator_table: every operator has a shape rule, kernels and a sensible number of inputs") {
  for (const Operator* op : operator_table()) {
    CAPTURE(op->name);
    CHECK((op->infer != nullptr));
    CHECK((op->kernels != nullptr));
    CHECK(op->least_inputs >= 0);
    CHECK(op->least_inputs <= op->most_inputs);
  }
}

TEST_CASE("operator_table: attributes of one operator have different names, none that every node has") {
  const std::set<std::string_view> common = {"name", "op", "inputs", "outputs", "repeat", "weights_of"};
  for (const Operator* op : operator_table()) {
    std::set<std::string_view> names;
    for (const AttributeRule& rule : op->attributes) {
      CAPTURE(op->name);
      CAPTURE(rule.name);
      CHECK(names.insert(rule.name).second);
      CHECK_FALSE(common.contains(rule.name));
    }
  }
}

}  // namespace
}  // namespace roofcast
