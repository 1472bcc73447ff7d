#pragma once
// From options to what the engine needs: cards, models, a request.

#include <map>
#include <string>
#include <vector>

#include "engine/decide/answer.hpp"
#include "engine/decide/request.hpp"
#include "engine/graph/graph.hpp"
#include "engine/io/data_folder.hpp"
#include "engine/io/open_model.hpp"
#include "tools/options.hpp"

namespace roofcast {

struct NamedPlatform {
  Platform platform{};
  std::string asked_for{};
  std::string note{};  ///< what an ambiguous name was taken for
};

struct NamedModel {
  Graph graph{};
  std::string file{};
};

/// Everything that a run needs, and the run as understood.
struct Run {
  std::vector<NamedPlatform> platforms{};
  std::vector<NamedModel> models{};      ///< as the first combination has them
  Request request{};                     ///< with the first of `combinations`
  std::vector<Bindings> combinations{};  ///< of the values that `--set` lists; at least one
  OpenOptions open_options{};            ///< how models are read, at the first combination too
  std::vector<std::pair<std::string, std::string>> inputs{};
  std::vector<Warning> warnings{};
};

/// All mistakes of all options are reported together.
Result<Run> load_run(const DataFolder& data, const ModelOptions& options);

/// The model that `name` stands for.
Result<NamedModel> load_named_model(const DataFolder& data, const std::string& name,
                                    const OpenOptions& options = {});

using SymbolValues = std::map<std::string, std::vector<std::int64_t>>;

/// `--set` options; a name that is set twice is an error.
Result<SymbolValues> parse_symbols(const std::vector<std::string>& assignments);

/// Each value of each symbol with each of the others', those of the last symbol changing first.
Result<std::vector<Bindings>> combinations_of(const SymbolValues& symbols);

using InputShapes = decltype(OpenOptions::shapes);

/// `--shape` options by input; an input that is given twice is an error.
Result<InputShapes> parse_shapes(const std::vector<std::string>& texts);

}  // namespace roofcast
