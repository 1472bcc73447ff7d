#pragma once
// A model file as read, before blocks are put in place: names are still names.

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostics.hpp"
#include "engine/base/expression.hpp"
#include "engine/graph/graph.hpp"

namespace roofcast {

class Config;

/// An input of a node as written, with its place.
struct Reference {
  std::string name{};
  Location where{};
};

struct FileNode {
  std::string name{};
  std::string op{};                 ///< an operator or a block
  const Operator* known = nullptr;  ///< the operator; null for a block
  bool inputs_given = false;        ///< without inputs a node continues from the one before it
  std::vector<Reference> inputs{};
  std::vector<std::string> outputs{};   ///< names of the results; empty: the node's name
  Attributes attributes{};              ///< of an operator, or the parameters of a block
  std::map<std::string, Expr> flags{};  ///< attributes that are true where the expression is not 0
  std::optional<Expr> when{};           ///< where it is 0, the node is left out
  std::optional<Expr> repeat{};
  std::string weights_of{};
  bool training_only = false;
  Location where{};
  Location op_where{};
};

struct FileInput {
  std::string name{};
  TensorType type{};
  std::optional<Expr> when{};  ///< where it is 0, the input is left out
  bool training_only = false;
  Location where{};
};

struct FileBlock {
  std::string name{};
  std::vector<std::string> inputs{};
  std::vector<std::string> parameters{};
  std::vector<Reference> outputs{};  ///< empty: the last node
  std::vector<FileNode> nodes{};
  bool shared = false;  ///< of a file of blocks, not all of which everybody uses
  Location where{};
};

struct ModelFile {
  std::string name{};
  std::string file{};
  std::vector<Symbol> symbols{};  ///< sorted so that definitions need only earlier ones
  std::vector<FileInput> inputs{};
  std::vector<FileBlock> blocks{};
  std::vector<FileNode> nodes{};     ///< those of training at the end
  std::vector<Reference> outputs{};  ///< empty: the last node
  std::optional<Reference> loss{};
  std::optional<Expr> tokens{};
  std::vector<ServingPhase> phases{};
  std::optional<StoredFormat> stored{};
};

/// A file's name, for messages, and what is in it.
struct TextFile {
  std::string name{};
  std::string text{};
};

struct ReadOptions {
  const Config* config = nullptr;      ///< what a family's file takes its sizes from
  std::span<const TextFile> shared{};  ///< further files, whose blocks may be used
};

/// Reads the tables of a model file; all mistakes at once, in the order of the file.
Result<ModelFile> read_model_file(std::string_view text, const std::string& file,
                                  const ReadOptions& options = {});

/// The model with other definitions of some of its symbols. A symbol that it does not have is a mistake, and
/// so is one that is defined by itself.
Result<ModelFile> with_symbols(ModelFile model, const std::vector<Symbol>& redefined);

struct BuildOptions {
  bool unroll = false;  ///< blocks with a known trip count are written out, not repeated
  Bindings symbols{};   ///< sizes other than the file's, for what is decided while building
};

/// Puts blocks in place and names in order.
Result<Graph> build_graph(const ModelFile& model, const BuildOptions& options = {});

}  // namespace roofcast
