#pragma once
// What the benchmarks run on: a model file's text, a card, a runtime.

#include <cstdlib>
#include <iostream>
#include <string>

#include "engine/decide/request.hpp"
#include "engine/io/data_folder.hpp"
#include "engine/io/load_model.hpp"
#include "engine/io/read_file.hpp"

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

inline Graph model(const std::string& name) { return require(load_model(model_text(name), name)); }

inline Platform platform(const std::string& hw) {
  const DataFolder data = require(DataFolder::open(ROOFCAST_SOURCE_DIR));
  return {.device = require(data.find_device(hw)).device,
          .runtime = require(data.find_runtime("pytorch-eager")),
          .priors = require(data.priors())};
}

}  // namespace roofcast::bench
