#pragma once
// Runs through a file's graph once and builds ours: shapes are followed as expressions, sizes are computed at
// once, everything else is handed to the importer of its operator.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/graph/graph.hpp"
#include "engine/io/import_onnx/onnx_node.hpp"
#include "engine/io/import_onnx/onnx_value.hpp"
#include "engine/io/open_model.hpp"

namespace roofcast::onnx {

using Values = std::vector<OnnxValue>;

/// A tensor that is stored in the file, until an operator uses it.
struct StoredTensor {
  std::string name{};
  Shape shape{};
  ElementType element = ElementType::float32;
  bool initializer = false;  ///< as opposed to the value of a Constant node
  bool statistic = false;    ///< running mean or variance of a BatchNormalization
  ValueId value = no_value;  ///< as a parameter of its own
  int owner = -1;            ///< node of the graph whose first parameter it is
  Shape owned_as{};          ///< the shape that the owner gives it
};

/// What the caller of an operator gives besides inputs.
struct Emission {
  std::string_view op{};
  Attributes attributes{};
  ElementType element = ElementType::undefined;  ///< of all outputs; undefined: that of input 0
  std::size_t outputs = 1;
  std::vector<OnnxValue> weights{};  ///< stored tensors that become the node's parameters, in their order
};

/// What to try with a file besides reading it as it is.
struct Attempt {
  std::optional<std::int64_t> scaled_batch{};  ///< leading dimensions of this size become the batch
  std::int64_t usual_length = 128;             ///< of sequences that the file leaves open
};

class Importer {
 public:
  Importer(const Model& model, std::string file, const OpenOptions& options, Attempt attempt = {});

  Result<roofcast::Graph> run();

  // ---- for the importers of operators ----

  /// A node of our graph. Its shape rule runs at once; a mismatch of known sizes is an error.
  Result<Values> emit(const OnnxNode& node, Emission emission, const Values& inputs);
  /// The same for operators with one result.
  Result<OnnxValue> emit_one(const OnnxNode& node, Emission emission, const Values& inputs);

  /// The value in our graph; constants and weights become operators now.
  Result<ValueId> materialize(const OnnxValue& value, std::string_view name = {});

  /// A view with other dimensions; copies first if the value is strided.
  Result<OnnxValue> reshaped(const OnnxNode& node, const OnnxValue& value, const Shape& shape);
  /// Dimensions of size 1 more or less, which never copy.
  Result<OnnxValue> with_shape(const OnnxNode& node, const OnnxValue& value, const Shape& shape);
  Result<OnnxValue> permuted(const OnnxNode& node, const OnnxValue& value,
                             const std::vector<std::int64_t>& axes);

  /// A stored tensor that can be a node's own parameter.
  bool is_weight(const OnnxValue& value) const {
    return value.weight != no_weight && value.value == no_value;
  }
  StoredTensor& stored(int index) { return stored_[static_cast<std::size_t>(index)]; }
  const StoredTensor& stored(int index) const { return stored_[static_cast<std::size_t>(index)]; }
  void mark_statistic(const OnnxValue& value);
  OnnxValue store(const Tensor& tensor, OnnxValue value, bool initializer);

  /// Runs the nodes of a subgraph that sees the values around it. `inputs` are bound to its inputs in order.
  Result<Values> run_subgraph(const Graph& graph, const Values& inputs, const OnnxNode& node);

  /// Whether left < right, left == right: known for all sizes, or decided at the sizes that were given, with
  /// a note.
  bool less(const Expr& left, const Expr& right);
  bool equal(const Expr& left, const Expr& right);
  /// The value at the given or default sizes.
  std::optional<std::int64_t> sample(const Expr& expression) const;

  /// If the batch of a file is made a symbol, a constant shape of its size that a scaled value gets is one
  /// too.
  void scale_batch(const OnnxValue& input, Shape& shape) const;

  /// A size that only the data decides: a symbol that the user can set.
  Expr new_symbol(const std::string& name, std::int64_t value);
  /// What the file lets one conclude of a dimension. Takes effect if it is a symbol that nobody gave.
  void settle(const Expr& dimension, std::int64_t value);
  void note(std::string text);
  /// The same remark about many nodes becomes one line that names the first.
  void note(const OnnxNode& node, std::string_view what);

  tl::unexpected<Diagnostics> refuse(const OnnxNode& node, std::string message, std::string hint = {}) const;
  Location where() const { return {.file = file_}; }

  /// The type of a result as the file declares it, if it does.
  std::optional<OnnxValue> declared(const std::string& name);
  /// Output `index` of the node as the file declares it, if all its dimensions are numbers.
  std::optional<Shape> declared_sizes(const OnnxNode& node, std::size_t index) const;

  roofcast::Graph& graph() { return graph_; }
  RegionId region() const { return region_; }
  void set_region(RegionId region) { region_ = region; }
  ValueId new_value(std::string name, TensorType type);
  const TensorType& type(ValueId value) const { return types_[static_cast<std::size_t>(value)]; }
  bool guessed_length() const { return guessed_length_; }  ///< a sequence's length is `usual_length`

 private:
  using Scope = std::map<std::string, OnnxValue, std::less<>>;

  Result<void> read_declarations(const Graph& graph);
  Result<void> bind_inputs(const Graph& graph);
  Result<void> run_nodes(const std::vector<const Node*>& nodes);
  Result<void> run_unordered(const std::vector<const Node*>& nodes);
  Result<void> run_node(const Node& node);
  Result<Values> import_node(const OnnxNode& node);
  Result<Values> call(const Function& function, const OnnxNode& node);
  Result<Values> unknown(const OnnxNode& node);
  std::int64_t count_unknown(const Graph& graph, std::map<std::string, int>& unknown) const;
  Result<Shape> input_shape(const ValueInfo& input, const Type_TensorType& type, bool first, bool is_input);
  const OnnxValue* find(const std::string& name) const;
  void define(const std::string& name, OnnxValue value);
  std::string symbol_for(const std::string& dimension, std::size_t axis, bool first);
  void add_symbol(const std::string& name, std::int64_t value);
  void follow_within_budget(OnnxValue& value);
  void count_stored(const Graph& graph, FileCounts& counts) const;
  void settle_output(const ValueInfo& output, const OnnxValue& value);
  void finish();

  const Model& model_;
  Attempt attempt_;
  std::string file_;
  const OpenOptions& options_;
  roofcast::Graph graph_{};
  std::vector<TensorType> types_{};  ///< of graph_.values
  std::vector<StoredTensor> stored_{};
  std::vector<Scope> scopes_{};
  std::map<std::string, const ValueInfo*, std::less<>> declared_{};
  std::map<const Tensor*, OnnxValue> read_{};           ///< initializers; a loop's body meets its own again
  std::set<std::string, std::less<>> given_symbols_{};  ///< by --shape
  std::set<std::string, std::less<>> data_symbols_{};   ///< made by `new_symbol`
  std::map<std::string, std::int64_t, std::less<>> versions_{};
  std::map<std::tuple<std::string, std::string, std::string>, const Function*> functions_{};
  std::map<std::string, const Attribute*, std::less<>> attributes_of_caller_{};
  std::map<std::string, std::string, std::less<>> renamed_{};  ///< dimensions of the file -> symbols
  Bindings samples_{};
  RegionId region_ = no_region;
  bool guessed_length_ = false;
  int depth_ = 0;
  std::int64_t nodes_run_ = 0;
  std::int64_t initializers_read_ = 0;
  std::int64_t content_budget_ = 1'000'000;  ///< elements that may still be followed
  std::int64_t unknown_nodes_ = 0;
  std::map<std::string, int> unknown_operators_{};
  std::set<std::string> noted_{};
  std::map<std::string, std::vector<std::string>, std::less<>> noted_nodes_{};  ///< remark -> nodes
};

/// The importer of one operator of the file.
using Handler = Result<Values> (*)(Importer&, const OnnxNode&);

struct HandlerRow {
  std::string_view op{};
  Handler handler = nullptr;
};

/// Every operator that is known; null for others. `domain` is that of the file.
Handler find_handler(std::string_view domain, std::string_view op);
std::vector<std::string> known_operators();

}  // namespace roofcast::onnx
