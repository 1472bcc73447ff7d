#include "engine/io/import_onnx/importer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/io/import_onnx/onnx.pb.h"
#include "engine/io/import_onnx/patterns/patterns.hpp"
#include "engine/io/import_onnx/prune.hpp"
#include "engine/io/import_onnx/tensor_content.hpp"

namespace roofcast::onnx {
namespace {

constexpr std::int64_t most_nodes = 400'000;
constexpr int deepest = 48;

// The default operator set has two spellings.
std::string domain_of(const std::string& domain) {
  return domain == "ai.onnx" ? std::string{} : domain;
}

std::string printable(std::string name, std::string_view otherwise) {
  constexpr std::size_t longest = 200;
  if (name.size() > longest) name.resize(longest);
  for (char& letter : name) {
    if (static_cast<unsigned char>(letter) < ' ') letter = '?';
  }
  return name.empty() ? std::string(otherwise) : name;
}

std::string qualified(const std::string& domain, const std::string& op) {
  return printable(domain.empty() ? op : fmt::format("{}::{}", domain, op), "?");
}

int total(const std::map<std::string, int>& times) {
  int sum = 0;
  for (const auto& [name, count] : times) sum += count;
  return sum;
}

// "Foo (3x), Bar (1x)", the first few.
std::string listed(const std::map<std::string, int>& times) {
  constexpr std::size_t most = 8;
  std::string text;
  std::size_t shown = 0;
  for (const auto& [name, count] : times) {
    if (shown++ == most) return fmt::format("{} and {} more", text, times.size() - most);
    text += fmt::format("{}{} ({}x)", text.empty() ? "" : ", ", name, count);
  }
  return text;
}

std::vector<const Node*> pointers(const google::protobuf::RepeatedPtrField<Node>& nodes) {
  return {nodes.pointer_begin(), nodes.pointer_end()};
}

}  // namespace

Importer::Importer(const Model& model, std::string file, const OpenOptions& options, Attempt attempt)
    : model_(model), attempt_(attempt), file_(std::move(file)), options_(options) {
  for (const OperatorSetId& set : model.opset_import()) versions_[domain_of(set.domain())] = set.version();
  for (const Function& function : model.functions()) {
    functions_.emplace(std::tuple{domain_of(function.domain()), function.name(), function.overload()},
                       &function);
  }
}

Result<roofcast::Graph> Importer::run() {
  graph_.name = printable(std::filesystem::path(file_).stem().string(), "model");
  graph_.file = file_;
  scopes_.emplace_back();
  if (auto ok = read_declarations(model_.graph()); !ok) return tl::unexpected(ok.error());
  if (auto ok = bind_inputs(model_.graph()); !ok) return tl::unexpected(ok.error());
  if (auto ok = run_nodes(pointers(model_.graph().node())); !ok) return tl::unexpected(ok.error());
  for (const ValueInfo& output : model_.graph().output()) {
    const OnnxValue* value = find(output.name());
    if (value == nullptr) {
      return fail(fmt::format("nothing computes the output '{}'", output.name()), where(),
                  "is the file damaged?");
    }
    const Values results = value->sequence ? *value->sequence : Values{*value};
    for (const OnnxValue& result : results) {
      if (result.absent) continue;
      settle_output(output, result);
      auto id = materialize(result, output.name());
      if (!id) return tl::unexpected(id.error());
      graph_.outputs.push_back(*id);
    }
  }
  finish();
  return std::move(graph_);
}

// Sizes are a few elements. Longer tensors that are computed from them, such as positions, are followed while
// they are not too many.
void Importer::follow_within_budget(OnnxValue& value) {
  constexpr std::size_t always = 16;
  if (!value.content || value.content->size() <= always) return;
  content_budget_ -= static_cast<std::int64_t>(value.content->size());
  if (content_budget_ < 0 || value.content->size() > static_cast<std::size_t>(most_content))
    value.content.reset();
}

OnnxValue Importer::store(const Tensor& tensor, OnnxValue value, bool initializer) {
  follow_within_budget(value);
  value.name = tensor.name();
  value.weight = static_cast<int>(stored_.size());
  stored_.push_back({.name = printable(tensor.name(), "constant"),
                     .shape = value.shape,
                     .element = value.element,
                     .initializer = initializer});
  return value;
}

// Initializers become values of the innermost scope; declared types are kept for operators that need them.
Result<void> Importer::read_declarations(const Graph& graph) {
  initializers_read_ += graph.initializer_size();  // a body that is run often must not hold many of them
  for (const Tensor& tensor : graph.initializer()) {
    if (const auto known = read_.find(&tensor); known != read_.end()) {
      define(tensor.name(), known->second);
      continue;
    }
    auto value = read_tensor(tensor, where());
    if (!value) return tl::unexpected(value.error());
    const OnnxValue kept = store(tensor, *std::move(value), true);
    read_.emplace(&tensor, kept);
    define(tensor.name(), kept);
  }
  for (const SparseTensor& sparse : graph.sparse_initializer()) {
    Tensor dense;
    dense.set_name(sparse.values().name());
    dense.set_data_type(sparse.values().data_type());
    for (const std::int64_t size : sparse.dims()) dense.add_dims(size);
    dense.set_data_location(1);
    auto value = read_tensor(dense, where());
    if (!value) return tl::unexpected(value.error());
    define(dense.name(), store(dense, *std::move(value), true));
  }
  for (const auto* infos : {&graph.value_info(), &graph.output()}) {
    for (const ValueInfo& info : *infos) declared_.insert_or_assign(info.name(), &info);
  }
  return {};
}

const OnnxValue* Importer::find(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->find(name); found != scope->end()) return &found->second;
  }
  return nullptr;
}

void Importer::define(const std::string& name, OnnxValue value) {
  if (value.name.empty()) value.name = name;
  scopes_.back().insert_or_assign(name, std::move(value));
}

void Importer::note(std::string text) {
  if (noted_.insert(text).second) graph_.notes.push_back(std::move(text));
}

void Importer::note(const OnnxNode& node, std::string_view what) {
  noted_nodes_[std::string(what)].push_back(node.name());
}

tl::unexpected<Diagnostics> Importer::refuse(const OnnxNode& node, std::string message,
                                             std::string hint) const {
  return fail(
      fmt::format("node '{}' ({}): {}", printable(node.name(), "?"), printable(node.op(), "?"), message),
      where(), std::move(hint));
}

// Nodes should stand in an order in which each finds its inputs; then a name may even be computed anew. Some
// writers do not keep to it.
Result<void> Importer::run_nodes(const std::vector<const Node*>& nodes) {
  std::set<std::string_view> computed;
  for (const Node* node : nodes) {
    for (const std::string& input : node->input()) {
      if (!input.empty() && !computed.contains(input) && find(input) == nullptr) return run_unordered(nodes);
    }
    computed.insert(node->output().begin(), node->output().end());
  }
  for (const Node* node : nodes) {
    if (auto ok = run_node(*node); !ok) return ok;
  }
  return {};
}

// A node first runs those that compute its inputs.
Result<void> Importer::run_unordered(const std::vector<const Node*>& nodes) {
  std::map<std::string_view, int> producer;
  const int count = static_cast<int>(nodes.size());
  const auto at = [&](int node) -> const Node& { return *nodes[static_cast<std::size_t>(node)]; };
  for (int i = 0; i < count; ++i) {
    for (const std::string& output : at(i).output()) {
      if (output.empty() || producer.try_emplace(output, i).second) continue;  // empty: nobody wants it
      return fail(fmt::format("two nodes compute '{}'", printable(output, "?")), where(),
                  "is the file damaged?");
    }
  }
  enum class State : std::uint8_t { waiting, open, done };
  std::vector<State> states(nodes.size(), State::waiting);
  const auto state = [&](int node) -> State& { return states[static_cast<std::size_t>(node)]; };
  for (int first = 0; first < count; ++first) {
    std::vector<int> open{first};
    while (!open.empty()) {
      const int node = open.back();
      if (state(node) == State::done) {
        open.pop_back();
        continue;
      }
      const bool seen = state(node) == State::open;
      state(node) = State::open;
      for (const std::string& input : at(node).input()) {
        const auto before = producer.find(input);
        if (before == producer.end() || state(before->second) == State::done) continue;
        if (before->second == node && find(input) != nullptr) continue;  // a name from outside that it hides
        if (seen || state(before->second) == State::open) {
          return fail(fmt::format("nodes feed each other in a cycle, '{}' among them",
                                  printable(at(node).name(), at(node).op_type())),
                      where(), "is the file damaged?");
        }
        open.push_back(before->second);
      }
      if (open.back() != node) continue;
      if (auto ok = run_node(at(node)); !ok) return ok;
      state(node) = State::done;
      open.pop_back();
    }
  }
  return {};
}

Result<void> Importer::run_node(const Node& message) {
  if (++nodes_run_ + initializers_read_ > most_nodes) {
    return fail(fmt::format("runs more than {} nodes once loops and functions are written out", most_nodes),
                where());
  }
  const std::string name = printable(!message.name().empty()     ? message.name()
                                     : message.output_size() > 0 ? message.output(0)
                                                                 : "",
                                     message.op_type());
  Values inputs;
  for (const std::string& input : message.input()) {
    if (input.empty()) {
      inputs.push_back({.absent = true});
      continue;
    }
    const OnnxValue* value = find(input);
    if (value == nullptr) {
      return fail(fmt::format("node '{}' ({}) reads '{}', which nothing computes", name,
                              printable(message.op_type(), "?"), printable(input, "?")),
                  where(), "is the file damaged?");
    }
    inputs.push_back(*value);
  }
  const auto version = versions_.find(domain_of(message.domain()));
  const OnnxNode node(message, name, version == versions_.end() ? 1 : version->second, std::move(inputs),
                      attributes_of_caller_);
  auto outputs = import_node(node);
  if (!outputs) return tl::unexpected(outputs.error());
  for (std::size_t i = 0; i < outputs->size() && i < node.outputs(); ++i) {
    const std::string& output = message.output(static_cast<int>(i));
    if (output.empty()) continue;
    OnnxValue& value = (*outputs)[i];
    value.name = output;
    follow_within_budget(value);
    define(output, std::move(value));
  }
  for (std::size_t i = outputs->size(); i < node.outputs(); ++i) {
    if (node.wants(i)) define(message.output(static_cast<int>(i)), {.absent = true});
  }
  return {};
}

Result<Values> Importer::import_node(const OnnxNode& node) {
  const auto function = functions_.find({domain_of(node.domain()), node.op(), node.message().overload()});
  if (function != functions_.end()) return call(*function->second, node);
  if (const Handler handler = find_handler(domain_of(node.domain()), node.op())) {
    return handler(*this, node);
  }
  return unknown(node);
}

Result<Values> Importer::call(const Function& function, const OnnxNode& node) {
  if (++depth_ > deepest) {
    return refuse(node, fmt::format("functions call each other more than {} deep", deepest));
  }
  std::vector<Scope> outside;
  outside.swap(scopes_);
  scopes_.emplace_back();
  for (int i = 0; i < function.input_size(); ++i) {
    const auto index = static_cast<std::size_t>(i);
    define(function.input(i), index < node.inputs() ? node.input(index) : OnnxValue{.absent = true});
  }
  auto versions = versions_;
  for (const OperatorSetId& set : function.opset_import()) versions_[domain_of(set.domain())] = set.version();
  auto attributes = node.attributes();
  for (const Attribute& fallback : function.attribute_proto()) attributes.emplace(fallback.name(), &fallback);
  attributes.swap(attributes_of_caller_);
  auto ok = run_nodes(pointers(function.node()));
  attributes_of_caller_.swap(attributes);
  versions_ = std::move(versions);
  Values outputs;
  if (ok) {
    for (const std::string& name : function.output()) {
      const OnnxValue* value = find(name);
      if (value == nullptr) {
        ok = refuse(node, fmt::format("its function does not compute '{}'", name));
        break;
      }
      outputs.push_back(*value);
    }
  }
  scopes_ = std::move(outside);
  --depth_;
  if (!ok) return tl::unexpected(ok.error());
  return outputs;
}

Result<Values> Importer::run_subgraph(const Graph& graph, const Values& inputs, const OnnxNode& node) {
  if (++depth_ > deepest) return refuse(node, fmt::format("graphs are nested more than {} deep", deepest));
  scopes_.emplace_back();
  Result<void> ok = read_declarations(graph);
  for (int i = 0; ok && i < graph.input_size(); ++i) {
    const auto index = static_cast<std::size_t>(i);
    if (index < inputs.size()) {
      OnnxValue value = inputs[index];
      value.name.clear();
      define(graph.input(i).name(), std::move(value));
    }
  }
  if (ok) ok = run_nodes(pointers(graph.node()));
  Values outputs;
  for (int i = 0; ok && i < graph.output_size(); ++i) {
    const OnnxValue* value = find(graph.output(i).name());
    if (value == nullptr) {
      ok = refuse(node, fmt::format("its graph does not compute '{}'", graph.output(i).name()));
    } else {
      outputs.push_back(*value);
    }
  }
  scopes_.pop_back();
  --depth_;
  if (!ok) return tl::unexpected(ok.error());
  return outputs;
}

// All operators of a graph and those inside it that nobody knows, and how many nodes there are in all.
std::int64_t Importer::count_unknown(const Graph& graph, std::map<std::string, int>& unknown) const {
  std::int64_t nodes = graph.node_size();
  for (const Node& node : graph.node()) {
    const std::string domain = domain_of(node.domain());
    const bool known = find_handler(domain, node.op_type()) != nullptr ||
                       functions_.contains({domain, node.op_type(), node.overload()});
    if (!known) ++unknown[qualified(domain, node.op_type())];
    for (const Attribute& attribute : node.attribute()) {
      if (attribute.has_g()) nodes += count_unknown(attribute.g(), unknown);
    }
  }
  return nodes;
}

// Its results are as the file declares them; then the rest of the graph can still be counted.
Result<Values> Importer::unknown(const OnnxNode& node) {
  const std::string op = qualified(domain_of(node.domain()), node.op());
  if (!options_.allow_unknown) {
    std::map<std::string, int> unknown;
    const std::int64_t nodes = count_unknown(model_.graph(), unknown);
    std::string guess = did_you_mean(node.op(), known_operators());
    if (!guess.empty()) guess += ' ';
    return refuse(
        node, fmt::format("operator '{}' is not known", op),
        fmt::format("{}{} of the file's {} nodes are of unknown operators: {}. --allow-unknown goes on "
                    "without their cost, where the file says how large their results are",
                    guess, total(unknown), nodes, listed(unknown)));
  }
  ++unknown_nodes_;
  ++unknown_operators_[op];
  Values outputs;
  for (std::size_t i = 0; i < node.outputs(); ++i) {
    if (!node.wants(i)) {
      outputs.push_back({.absent = true});
      continue;
    }
    const std::string& name = node.message().output(static_cast<int>(i));
    const auto type = declared(name);
    if (!type) {
      return refuse(
          node,
          fmt::format("operator '{}' is not known, and the file does not say the shape of '{}'", op, name),
          "run ONNX shape inference on the file, or export it without this operator");
    }
    Values inputs;
    for (const OnnxValue& input : node.all_inputs()) {
      if (!input.absent && !input.sequence) inputs.push_back(input);
    }
    Attributes attributes;
    attributes.set("shape", type->shape);
    if (const auto dtype = storage(type->element))
      attributes.set("dtype", std::string(roofcast::to_string(*dtype)));
    auto value = emit_one(node, {.op = "opaque", .attributes = attributes, .element = type->element}, inputs);
    if (!value) return tl::unexpected(value.error());
    outputs.push_back(*std::move(value));
  }
  return outputs;
}

// Initializers of branches that are not taken are in the file all the same.
void Importer::count_stored(const Graph& graph, FileCounts& counts) const {
  for (const Tensor& tensor : graph.initializer()) {
    if (read_.contains(&tensor)) continue;
    const auto value = read_tensor(tensor, where());
    if (!value) continue;
    counts.initializer_elements += element_count(tensor);
    if (is_floating(value->element)) counts.parameters += element_count(tensor);
  }
  for (const Node& node : graph.node()) {
    for (const Attribute& attribute : node.attribute()) {
      if (attribute.has_g()) count_stored(attribute.g(), counts);
      for (const Graph& inner : attribute.graphs()) count_stored(inner, counts);
    }
  }
}

// The file may know how large a result is whose size is decided by data.
void Importer::settle_output(const ValueInfo& output, const OnnxValue& value) {
  if (!output.type().has_tensor_type() || !output.type().tensor_type().has_shape()) return;
  const TensorShape& shape = output.type().tensor_type().shape();
  if (shape.dim_size() != static_cast<int>(value.rank())) return;
  for (std::size_t axis = 0; axis < value.rank(); ++axis) {
    const std::int64_t size = shape.dim(static_cast<int>(axis)).dim_value();
    const auto symbols = value.shape[axis].symbols();
    if (size > 0 && symbols.size() == 1 && data_symbols_.contains(*symbols.begin()))
      settle(value.shape[axis], size);
  }
}

void Importer::finish() {
  for (const auto& [what, nodes] : noted_nodes_) {
    const std::string more = nodes.size() == 1 ? "" : fmt::format(" and {} more", nodes.size() - 1);
    note(fmt::format("'{}'{}: {}", nodes.front(), more, what));
  }
  if (unknown_nodes_ > 0) {
    note(fmt::format("{} of {} operators are not known, and their cost is missing ({:.1f}%): {}",
                     unknown_nodes_, nodes_run_,
                     100.0 * static_cast<double>(unknown_nodes_) / static_cast<double>(nodes_run_),
                     listed(unknown_operators_)));
  }
  FileCounts counts;
  for (const StoredTensor& tensor : stored_) {
    if (!tensor.initializer) continue;
    const std::int64_t count = elements(tensor.shape).constant();
    counts.initializer_elements += count;
    if (!is_floating(tensor.element)) continue;
    (tensor.statistic ? counts.statistics : counts.parameters) += count;
  }
  count_stored(model_.graph(), counts);
  graph_.file_counts = counts;
  prune(graph_);
  graph_ = fuse_patterns(std::move(graph_), std::move(types_));
  prune(graph_);
}

}  // namespace roofcast::onnx
