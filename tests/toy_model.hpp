#pragma once
// Model files from short pieces, and the graphs that they become.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "engine/io/load_model.hpp"

namespace roofcast {

/// Everything before the first [[input]]; `symbols` are lines such as "batch = 2".
inline std::string model_head(std::string_view symbols = "batch = 2", std::string_view more = {}) {
  return fmt::format("schema = 1\nname = \"net\"\n{}\n[symbols]\n{}\n", more, symbols);
}

/// `shape` is what stands between the brackets: `"batch", 8`.
inline std::string input(std::string_view name, std::string_view shape, std::string_view dtype = "real") {
  return fmt::format("[[input]]\nname = \"{}\"\nshape = [{}]\ndtype = \"{}\"\n", name, shape, dtype);
}

/// `inputs` as in the file, `"x", "y"`; empty for a node that continues from the one before it.
inline std::string node(std::string_view name, std::string_view op, std::string_view inputs = {},
                        std::string_view attributes = {}, std::string_view table = "node") {
  const std::string given = inputs.empty() ? std::string{} : fmt::format("inputs = [{}]\n", inputs);
  return fmt::format("[[{}]]\nname = \"{}\"\nop = \"{}\"\n{}{}\n", table, name, op, given, attributes);
}

inline std::string block_node(std::string_view name, std::string_view op, std::string_view inputs = {},
                              std::string_view attributes = {}) {
  return node(name, op, inputs, attributes, "block.node");
}

inline std::string block(std::string_view name, std::string_view inputs = "\"x\"",
                         std::string_view more = {}) {
  return fmt::format("[[block]]\nname = \"{}\"\ninputs = [{}]\n{}\n", name, inputs, more);
}

inline Graph load(const std::string& text) {
  auto graph = load_model(text, "m.toml");
  INFO("complaint: ", graph ? std::string("none") : to_string(graph.error()));
  REQUIRE(graph.has_value());
  return *std::move(graph);
}

inline Graph load_unrolled(const std::string& text) {
  auto graph = load_model_unrolled(text, "m.toml");
  INFO("complaint: ", graph ? std::string("none") : to_string(graph.error()));
  REQUIRE(graph.has_value());
  return *std::move(graph);
}

}  // namespace roofcast
