#pragma once
// What the benchmarks run on: a model file's text, a card, a runtime.

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>

#include "engine/decide/request.hpp"
#include "engine/io/data_folder.hpp"
#include "engine/io/load_model.hpp"
#include "engine/io/read_file.hpp"
#include "engine/lower/compiled_program.hpp"

namespace roofcast::bench {

/// The value, or the end of the program with the reason.
template <class T>
T require(Result<T> result) {
  if (!result) {
    std::cerr << to_string(result.error());
    std::exit(1);
  }
  return *std::move(result);
}

inline std::string model_text(const std::string& name) {
  return require(read_text(std::string(ROOFCAST_SOURCE_DIR) + "/models/" + name));
}

inline Graph model(const std::string& name) {
  return require(load_model(model_text(name), name));
}

inline Platform platform(const std::string& hw) {
  const DataFolder data = require(DataFolder::open(ROOFCAST_SOURCE_DIR));
  const Device device = require(data.find_device(hw)).device;
  return {.device = device,
          .runtime = require(data.runtime("pytorch-eager")),
          .priors = require(data.priors_for(device))};
}

/// Where a symbol's value goes among the inputs of the tape.
inline std::size_t input_index(const CompiledProgram& compiled, const std::string& symbol) {
  const auto& inputs = compiled.tape.inputs();
  return static_cast<std::size_t>(std::ranges::find(inputs, symbol) - inputs.begin());
}

}  // namespace roofcast::bench
