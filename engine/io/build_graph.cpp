// ModelFile -> Graph: blocks are put in place, names become values.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/io/model_file.hpp"

namespace roofcast {
namespace {

using Names = std::map<std::string, ValueId, std::less<>>;
using Replacements = std::map<std::string, Expr, std::less<>>;

/// The names that the nodes of one level see.
struct Scope {
  Names values{};
  std::map<std::string, int, std::less<>> nodes{};  // for weights_of
  Replacements parameters{};
  std::string prefix{};
  RegionId region = no_region;
  bool training_only = false;
};

class GraphBuilder {
 public:
  GraphBuilder(const ModelFile& model, const BuildOptions& options) : model_(model), options_(options) {
    graph_.name = model.name;
    graph_.file = model.file;
    graph_.symbols = model.symbols;
    graph_.tokens = model.tokens;
    sizes_ = options.symbols;
    for (const Symbol& symbol : model.symbols) {
      if (sizes_.contains(symbol.name)) continue;
      if (const auto value = symbol.definition.evaluate(sizes_)) sizes_[symbol.name] = *value;
    }
    graph_.phases = model.phases;
    graph_.stored = model.stored;
  }

  Result<Graph> build() {
    Scope scope;
    for (const FileInput& input : model_.inputs) {
      const ValueId value = new_value(input.name, input.where);
      if (!scope.values.emplace(input.name, value).second) {
        complain(input.where, fmt::format("there are two inputs named '{}'", input.name));
      }
      if (!input.when || is_there(*input.when, input.name, input.where)) {
        graph_.inputs.push_back({value, input.type, input.training_only});
      } else {
        missing_.insert(value);
      }
    }
    std::vector<ValueId> first;
    const auto given = std::ranges::find(graph_.inputs, false, &GraphInput::training_only);
    if (given != graph_.inputs.end()) first = {given->value};  // targets are nothing to continue from
    put(model_.nodes, scope, first);
    if (problems_.empty()) {
      for (const Reference& output : outputs_of(model_.outputs, model_.nodes)) {
        if (const auto value = find(scope, output)) graph_.outputs.push_back(*value);
      }
      if (model_.loss) graph_.loss = find(scope, *model_.loss);
    }
    const auto used = used_blocks();
    for (const FileBlock& block : model_.blocks) {
      if (used.contains(block.name) || block.shared || !problems_.empty()) continue;
      complain(block.where, fmt::format("block '{}' is never used", block.name),
               "name it as the 'op' of a node, or take it out");
    }
    if (problems_.empty()) resolve_names();
    if (!problems_.empty()) {
      std::ranges::stable_sort(problems_, {}, [](const Diagnostic& problem) {
        return std::pair{problem.where.line, problem.where.column};
      });
      return tl::make_unexpected(std::move(problems_));
    }
    return std::move(graph_);
  }

 private:
  static constexpr std::size_t most_nodes = 200'000;
  static constexpr std::size_t deepest = 64;

  // A mistake in a block shows at each place where it is put; once is enough.
  void complain(const Location& where, std::string message, std::string hint = {}) {
    const auto same = [&](const Diagnostic& known) {
      return known.where == where && known.message == message;
    };
    if (!hopeless() && std::ranges::none_of(problems_, same)) {
      problems_.push_back({where, std::move(message), std::move(hint)});
    }
  }

  // Nobody reads more mistakes at once, and looking for more takes time.
  bool hopeless() const {
    constexpr std::size_t most_problems = 100;
    return problems_.size() >= most_problems;
  }

  // The blocks that nodes name, and those inside them, whether they are part of the model or left out.
  std::set<std::string, std::less<>> used_blocks() const {
    std::set<std::string, std::less<>> used;
    std::vector<const std::vector<FileNode>*> open = {&model_.nodes};
    while (!open.empty()) {
      const std::vector<FileNode>& nodes = *open.back();
      open.pop_back();
      for (const FileNode& node : nodes) {
        if (node.known != nullptr) continue;
        const auto block = std::ranges::find(model_.blocks, node.op, &FileBlock::name);
        if (block != model_.blocks.end() && used.insert(node.op).second) open.push_back(&block->nodes);
      }
    }
    return used;
  }

  bool too_large() const { return graph_.nodes.size() > most_nodes || blocks_put_ > most_nodes; }

  ValueId new_value(std::string name, const Location& where) {
    graph_.values.push_back({std::move(name), where});
    return static_cast<ValueId>(graph_.values.size()) - 1;
  }

  static std::vector<Reference> outputs_of(const std::vector<Reference>& given,
                                           const std::vector<FileNode>& nodes) {
    if (!given.empty()) return given;
    const auto last =
        std::find_if(nodes.rbegin(), nodes.rend(), [](const FileNode& node) { return !node.training_only; });
    if (last == nodes.rend()) return {};
    return {{last->outputs.empty() ? last->name : last->outputs.front(), last->where}};
  }

  std::optional<ValueId> find(const Scope& scope, const Reference& reference) {
    const auto found = scope.values.find(reference.name);
    if (found != scope.values.end()) return found->second;
    if (hopeless()) return std::nullopt;
    std::vector<std::string> names;
    for (const auto& [name, value] : scope.values) names.push_back(name);
    complain(reference.where, fmt::format("nothing is named '{}' here", reference.name),
             did_you_mean(reference.name, names, "a node sees the inputs and the other nodes of its block"));
    return std::nullopt;
  }

  // The results that a node names, as values. Blocks have as many as they say, operators one unless they are
  // listed.
  std::vector<std::string> result_names(const FileNode& node) const {
    if (!node.outputs.empty()) return node.outputs;
    return {node.name};
  }

  // `first`: what the first node continues from if it names no inputs.
  void put(const std::vector<FileNode>& nodes, Scope& scope, const std::vector<ValueId>& first) {
    // All names first: nodes may stand in any order. Nodes that are there take their names before those that
    // are left out.
    std::vector<bool> there;
    for (const FileNode& node : nodes) there.push_back(is_there(node, scope));
    std::vector<std::vector<ValueId>> results(nodes.size());
    std::vector<bool> replaced(nodes.size(), false);  // left out for another node of its name
    for (const bool round : {true, false}) {
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (there[i] == round) replaced[i] = !name_results(nodes[i], scope, round, results[i]);
      }
    }
    std::size_t before = 0;
    for (std::size_t i = 0; i < nodes.size() && !too_large() && !hopeless(); ++i) {
      // Another choice for the same node does not come before it.
      if (i == 0 || nodes[i - 1].name != nodes[i].name) before = i;
      const std::vector<ValueId> inputs =
          inputs_of(nodes[i], scope, before == 0 ? first : results[before - 1]);
      if (!there[i]) {
        if (!replaced[i]) leave_out(inputs, results[i]);
      } else if (nodes[i].known != nullptr) {
        put_operator(nodes[i], scope, inputs, results[i]);
      } else {
        put_block(nodes[i], scope, inputs, results[i]);
      }
    }
    if (too_large()) {
      complain(
          {model_.file, 0, 0},
          fmt::format("the model has more than {} operators once its blocks are put in place", most_nodes));
    }
  }

  // Whether the node is part of the model at these sizes: `when` and `repeat` are not 0.
  bool is_there(const FileNode& node, const Scope& scope) {
    if (node.repeat && node.repeat->substitute(scope.parameters).evaluate(sizes_) == 0) return false;
    return !node.when || is_there(node.when->substitute(scope.parameters), node.name, node.where);
  }

  bool is_there(const Expr& when, const std::string& name, const Location& where) {
    const auto value = when.evaluate(sizes_);
    if (!value) {
      complain(where, fmt::format("cannot tell whether '{}' is part of the model: {}", name,
                                  value.error().front().message));
      return true;
    }
    return *value != 0;
  }

  // Makes a value for each result. Nodes of the same name are choices, of which at most one may be there; a
  // node that is left out (`there` false) leaves the name to the one that is there and returns false.
  bool name_results(const FileNode& node, Scope& scope, bool there, std::vector<ValueId>& values) {
    bool own = true;
    for (const std::string& name : result_names(node)) {
      const auto known = scope.values.find(name);
      if (known == scope.values.end()) {
        values.push_back(new_value(scope.prefix + name, node.where));
        scope.values.emplace(name, values.back());
        continue;
      }
      if (there) {
        complain(node.where, fmt::format("the name '{}' is used twice", name),
                 "names are unique within a block");
      }
      values.push_back(known->second);
      own = false;
    }
    return own;
  }

  // A node that is left out passes its inputs on; results without an input are missing.
  void leave_out(const std::vector<ValueId>& inputs, const std::vector<ValueId>& results) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (i < inputs.size()) {
        same_as_[results[i]] = inputs[i];
      } else {
        missing_.insert(results[i]);
      }
    }
  }

  std::vector<ValueId> inputs_of(const FileNode& node, const Scope& scope,
                                 const std::vector<ValueId>& before) {
    std::vector<ValueId> inputs;
    if (node.inputs_given) {
      for (const Reference& reference : node.inputs) {
        if (const auto value = find(scope, reference)) inputs.push_back(*value);
      }
    } else if (!before.empty() && (node.known == nullptr || node.known->most_inputs > 0)) {
      inputs.push_back(before.front());
    }
    return inputs;
  }

  void put_operator(const FileNode& node, Scope& scope, const std::vector<ValueId>& inputs,
                    const std::vector<ValueId>& results) {
    const auto given = static_cast<int>(inputs.size());
    const Operator& op = *node.known;
    if (given < op.least_inputs || given > op.most_inputs) {
      const bool all_found = !node.inputs_given || inputs.size() == node.inputs.size();
      if (all_found) {
        constexpr int many = 1000;
        const std::string wanted = op.least_inputs == op.most_inputs ? fmt::format("{}", op.least_inputs)
                                   : op.most_inputs > many
                                       ? fmt::format("{} or more", op.least_inputs)
                                       : fmt::format("{} to {}", op.least_inputs, op.most_inputs);
        complain(node.where, fmt::format("'{}' takes {} inputs, not {}", op.name, wanted, given));
      }
    }
    int weights_of = -1;
    if (!node.weights_of.empty()) {
      const auto owner = scope.nodes.find(node.weights_of);
      if (owner != scope.nodes.end()) {
        weights_of = owner->second;
      } else {
        std::vector<std::string> names;
        for (const auto& [name, index] : scope.nodes) names.push_back(name);
        complain(node.where,
                 fmt::format("'weights_of' names '{}', which is no earlier node here", node.weights_of),
                 did_you_mean(node.weights_of, names,
                              "name an operator that stands before this one in the same block"));
      }
    }
    scope.nodes.emplace(node.name, static_cast<int>(graph_.nodes.size()));
    graph_.nodes.push_back({.name = scope.prefix + node.name,
                            .op = node.known,
                            .attributes = attributes_of(node, scope),
                            .inputs = inputs,
                            .outputs = results,
                            .region = scope.region,
                            .weights_of = weights_of,
                            .training_only = node.training_only || scope.training_only,
                            .where = node.where});
  }

  // The block's parameters, checked against what the node gives.
  Replacements parameters_of(const FileNode& node, const FileBlock& block, const Scope& scope) {
    Replacements parameters;
    const Attributes given = substituted(node.attributes, scope);
    for (const std::string& name : block.parameters) {
      if (!given.has(name))
        complain(node.where, fmt::format("'{}' needs '{}' of block '{}'", node.name, name, block.name));
      parameters[name] = given.size(name);
    }
    for (const auto& [name, value] : given.all()) {
      if (parameters.contains(name)) continue;
      complain(node.where, fmt::format("block '{}' has no parameter '{}'", block.name, name),
               did_you_mean(name, block.parameters,
                            block.parameters.empty()
                                ? std::string("it takes none")
                                : fmt::format("it takes {}", fmt::join(block.parameters, ", "))));
    }
    return parameters;
  }

  void put_block(const FileNode& node, Scope& scope, const std::vector<ValueId>& inputs,
                 const std::vector<ValueId>& results) {
    const FileBlock& block = *std::ranges::find(model_.blocks, node.op, &FileBlock::name);
    ++blocks_put_;
    if (std::ranges::find(open_blocks_, block.name) != open_blocks_.end()) {
      complain(node.op_where,
               fmt::format("block '{}' contains itself: {} -> {}", block.name,
                           fmt::join(open_blocks_, " -> "), block.name),
               "what repeats is a block with 'repeat'");
      return;
    }
    if (open_blocks_.size() >= deepest) {
      complain(node.op_where, fmt::format("blocks are nested more than {} deep", deepest));
      return;
    }
    if (inputs.size() != block.inputs.size()) {
      const bool all_found = !node.inputs_given || inputs.size() == node.inputs.size();
      if (all_found) {
        complain(node.where, fmt::format("block '{}' takes {} inputs, not {}", block.name,
                                         block.inputs.size(), inputs.size()));
      }
      return;
    }
    const Expr repeat = node.repeat ? node.repeat->substitute(scope.parameters) : Expr{1};
    if (repeat.is_constant() && repeat.constant() < 1) {
      complain(node.where, fmt::format("'{}' repeats {} times", node.name, repeat.constant()),
               "a block repeats as often as you like, or 0 times to be left out");
      return;
    }
    open_blocks_.push_back(block.name);
    const Replacements parameters = parameters_of(node, block, scope);
    if (repeat.is(1)) {
      put_once(block, inner_scope(scope, node, parameters, node.name), inputs, results, node);
    } else if (options_.unroll && trip_count(repeat)) {
      put_unrolled(block, parameters, scope, inputs, results, node, *trip_count(repeat));
    } else {
      put_repeated(block, parameters, scope, inputs, results, node, repeat);
    }
    open_blocks_.pop_back();
  }

  // The trip count at the symbols' values while building.
  std::optional<std::int64_t> trip_count(const Expr& repeat) const {
    const auto count = repeat.evaluate(sizes_);
    constexpr std::int64_t most = 10'000;
    if (!count || *count < 1 || *count > most) return std::nullopt;
    return *count;
  }

  static Scope inner_scope(const Scope& outer, const FileNode& node, const Replacements& parameters,
                           std::string_view name) {
    return {.parameters = parameters,
            .prefix = fmt::format("{}{}.", outer.prefix, name),
            .region = outer.region,
            .training_only = outer.training_only || node.training_only};
  }

  // Lays the block's nodes into the scope and returns its outputs as the nodes made them.
  std::vector<ValueId> put_body(const FileBlock& block, Scope inner, const std::vector<ValueId>& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!inner.values.emplace(block.inputs[i], inputs[i]).second) {
        complain(block.where,
                 fmt::format("block '{}' has two inputs named '{}'", block.name, block.inputs[i]));
      }
    }
    put(block.nodes, inner, inputs);
    std::vector<ValueId> outputs;
    for (const Reference& output : outputs_of(block.outputs, block.nodes)) {
      if (const auto value = find(inner, output)) outputs.push_back(*value);
    }
    return outputs;
  }

  bool enough_outputs(const FileNode& node, const FileBlock& block, std::size_t named, std::size_t made) {
    if (named <= made) return true;
    complain(node.where,
             fmt::format("'{}' names {} outputs, but block '{}' has {}", node.name, named, block.name, made));
    return false;
  }

  void put_once(const FileBlock& block, const Scope& inner, const std::vector<ValueId>& inputs,
                const std::vector<ValueId>& results, const FileNode& node) {
    const std::vector<ValueId> outputs = put_body(block, inner, inputs);
    if (!enough_outputs(node, block, results.size(), outputs.size())) return;
    for (std::size_t i = 0; i < results.size(); ++i) same_as_[results[i]] = outputs[i];
  }

  bool can_repeat(const FileNode& node, const FileBlock& block, std::size_t outputs) {
    if (outputs >= 1 && outputs <= block.inputs.size()) return true;
    complain(node.where,
             fmt::format("block '{}' cannot repeat: it has {} inputs and {} outputs", block.name,
                         block.inputs.size(), outputs),
             "each output of a repetition becomes the input of the next one at the same place");
    return false;
  }

  void put_unrolled(const FileBlock& block, const Replacements& parameters, const Scope& scope,
                    std::vector<ValueId> inputs, const std::vector<ValueId>& results, const FileNode& node,
                    std::int64_t count) {
    std::vector<ValueId> outputs;
    for (std::int64_t i = 0; i < count && !too_large(); ++i) {
      outputs =
          put_body(block, inner_scope(scope, node, parameters, fmt::format("{}.{}", node.name, i)), inputs);
      if (!can_repeat(node, block, outputs.size())) return;
      std::ranges::copy(outputs, inputs.begin());
    }
    if (!enough_outputs(node, block, results.size(), outputs.size())) return;
    for (std::size_t i = 0; i < results.size(); ++i) same_as_[results[i]] = outputs[i];
  }

  void put_repeated(const FileBlock& block, const Replacements& parameters, const Scope& scope,
                    const std::vector<ValueId>& inputs, const std::vector<ValueId>& results,
                    const FileNode& node, const Expr& repeat) {
    const std::size_t carried = outputs_of(block.outputs, block.nodes).size();
    if (!can_repeat(node, block, carried) || !enough_outputs(node, block, results.size(), carried)) return;
    const auto id = static_cast<RegionId>(graph_.regions.size());
    graph_.regions.push_back(
        {.name = scope.prefix + node.name, .repeat = repeat, .parent = scope.region, .where = node.where});
    std::vector<Carry> carries;
    std::vector<ValueId> inside = inputs;
    for (std::size_t i = 0; i < carried; ++i) {
      inside[i] = new_value(fmt::format("{}{}.{}", scope.prefix, node.name, block.inputs[i]), node.where);
      const ValueId result =
          i < results.size() ? results[i] : new_value(scope.prefix + node.name, node.where);
      carries.push_back({.initial = inputs[i], .inside = inside[i], .result = result});
    }
    Scope inner = inner_scope(scope, node, parameters, node.name);
    inner.region = id;
    const std::vector<ValueId> outputs = put_body(block, inner, inside);
    for (std::size_t i = 0; i < std::min(carried, outputs.size()); ++i) carries[i].next = outputs[i];
    const std::set<ValueId> distinct(outputs.begin(), outputs.end());
    if (distinct.size() < outputs.size()) {
      complain(node.where,
               fmt::format("block '{}' cannot repeat: two of its outputs are the same", block.name),
               "take one of them out, or make it a node of its own");
    }
    graph_.regions[static_cast<std::size_t>(id)].carries = carries;
  }

  // A block's result is the value that a node inside of it makes.
  void resolve_names() {
    const auto resolve = [&](ValueId& value) {
      std::size_t steps = 0;
      for (auto found = same_as_.find(value); found != same_as_.end(); found = same_as_.find(value)) {
        value = found->second;
        if (++steps > same_as_.size()) {
          const Value& culprit = graph_.values[static_cast<std::size_t>(value)];
          complain(culprit.where, fmt::format("nodes feed each other in a cycle: '{}'", culprit.name));
          return;
        }
      }
    };
    for (Node& node : graph_.nodes) {
      for (ValueId& value : node.inputs) resolve(value);
      drop_missing(node);
    }
    for (Region& region : graph_.regions) {
      for (Carry& carry : region.carries) {
        resolve(carry.initial);
        resolve(carry.next);
        require(carry.initial);
        require(carry.next);
      }
    }
    std::set<ValueId> seen;
    for (ValueId& value : graph_.outputs) {
      resolve(value);
      require(value);
    }
    // Where a node is left out, two outputs may be the same.
    std::erase_if(graph_.outputs, [&](ValueId value) { return !seen.insert(value).second; });
    if (graph_.loss) {
      resolve(*graph_.loss);
      require(*graph_.loss);
    }
  }

  void require(ValueId id) {
    if (!missing_.contains(id)) return;
    const Value& value = graph_.values[static_cast<std::size_t>(id)];
    complain(value.where, fmt::format("'{}' is left out, but needed", value.name),
             "a node that is left out passes its first input on; this one has none");
  }

  // What is missing is no input: of an operator with optional inputs, or of one that joins any number.
  void drop_missing(Node& node) {
    const auto dropped = std::erase_if(node.inputs, [&](ValueId value) { return missing_.contains(value); });
    if (dropped > 0 && static_cast<int>(node.inputs.size()) < node.op->least_inputs) {
      complain(node.where, fmt::format("'{}' needs an input that is left out", node.name),
               "a node that is left out passes its first input on; one without inputs does not");
    }
  }

  Attributes substituted(const Attributes& attributes, const Scope& scope) const {
    Attributes result = attributes;
    for (auto& [name, value] : result.all()) {
      if (auto* size = std::get_if<Expr>(&value)) *size = size->substitute(scope.parameters);
      if (auto* sizes = std::get_if<std::vector<Expr>>(&value)) {
        for (Expr& size : *sizes) size = size.substitute(scope.parameters);
      }
    }
    return result;
  }

  // The attributes, with flags that follow from sizes decided.
  Attributes attributes_of(const FileNode& node, const Scope& scope) {
    Attributes attributes = substituted(node.attributes, scope);
    for (const auto& [name, condition] : node.flags) {
      const auto value = condition.substitute(scope.parameters).evaluate(sizes_);
      if (value) {
        attributes.set(name, *value != 0);
      } else {
        complain(node.where,
                 fmt::format("cannot tell '{}' of '{}': {}", name, node.name, value.error().front().message));
      }
    }
    return attributes;
  }

  const ModelFile& model_;
  BuildOptions options_;
  Graph graph_{};
  Diagnostics problems_{};
  std::size_t blocks_put_ = 0;
  std::map<ValueId, ValueId> same_as_{};
  std::set<ValueId> missing_{};  // results that nothing makes, inputs that are left out
  Bindings sizes_{};             // all symbols, for what is decided while building
  std::vector<std::string> open_blocks_{};
};

}  // namespace

Result<Graph> build_graph(const ModelFile& model, const BuildOptions& options) {
  return GraphBuilder(model, options).build();
}

}  // namespace roofcast
