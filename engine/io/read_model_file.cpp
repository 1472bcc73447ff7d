// TOML -> ModelFile.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/graph/serving_phase.hpp"
#include "engine/graph/symbol_order.hpp"
#include "engine/io/import_config/bind.hpp"
#include "engine/io/import_config/family.hpp"
#include "engine/io/model_file.hpp"
#include "engine/io/toml_reader.hpp"

namespace roofcast {
namespace {

class ModelReader {
 public:
  ModelReader(const toml::table& root, const std::string& file, const Config* config)
      : root_(root, file, problems_), file_(file), config_(config) {}

  // The blocks of another file come first, so that those of the model may use them.
  void add_shared(const toml::table& root, const std::string& file) {
    shared_.emplace_back(root, file, problems_);
  }

  Result<ModelFile> read() {
    model_.file = file_;
    if (!root_.has("schema")) complain(root_.where(), "'schema' is missing");
    if (const auto schema = root_.integer("schema"); schema && *schema != 1) {
      complain(root_.where("schema"), fmt::format("schema {} is not known", *schema),
               "this version reads schema = 1");
    }
    model_.name = root_.required_text("name");
    if (root_.raw()["name"].value<std::string>() == "") complain(root_.where("name"), "'name' is empty");
    root_.text("description");
    root_.text("source");
    if (!read_family()) return tl::make_unexpected(std::move(problems_));
    read_symbols();
    read_phases();
    read_weight_format();
    model_.tokens = root_.size("tokens");
    if (model_.tokens) check_symbols(*model_.tokens, {}, root_.where("tokens"));
    for (TableReader& input : read_tables(root_, "input")) model_.inputs.push_back(read_input(input));
    read_blocks();
    for (TableReader& node : read_tables(root_, "node")) model_.nodes.push_back(read_node(node, {}));
    if (model_.nodes.empty())
      complain({file_, 0, 0}, "the model has no [[node]]", "each operator is one [[node]]");
    for (const std::string& name : root_.texts("outputs"))
      model_.outputs.push_back({name, root_.where("outputs")});
    read_training();
    root_.finish();
    if (!problems_.empty()) {
      std::ranges::stable_sort(problems_, {}, [](const Diagnostic& problem) {
        return std::pair{problem.where.line, problem.where.column};
      });
      return tl::make_unexpected(std::move(problems_));
    }
    return std::move(model_);
  }

 private:
  void complain(const Location& where, std::string message, std::string hint = {}) {
    problems_.push_back({where, std::move(message), std::move(hint)});
  }

  static std::vector<TableReader> read_tables(TableReader& reader, std::string_view key) {
    return reader.tables(key);
  }

  // False: a family without a configuration, where every symbol would be a mistake.
  bool read_family() {
    if (config_ != nullptr) {
      read_family_rules(root_.table("config", true));
      return true;
    }
    if (!root_.has("config")) return true;
    problems_ = {{root_.where("config"), "this is a family of models, not one of them",
                  "give the config.json of a model to --model"}};
    return false;
  }

  void read_blocks() {
    std::vector<std::vector<TableReader>> blocks;
    for (TableReader& shared : shared_) {
      shared.expect("schema");
      blocks.push_back(read_tables(shared, "block"));
      shared.finish();
    }
    blocks.push_back(read_tables(root_, "block"));
    for (std::vector<TableReader>& file : blocks) {
      for (TableReader& block : file) block_names_.push_back(block.text("name").value_or(""));
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      for (TableReader& block : blocks[i]) read_block(block, i < shared_.size());
    }
  }

  // An expression, or in a family what the configuration says.
  std::optional<Expr> symbol_of(TableReader& table, const std::string& name) {
    if (config_ != nullptr && table.has_table(name)) return bind_size(table.table(name), *config_);
    return table.size(name);
  }

  void read_symbols() {
    TableReader table = root_.table("symbols");
    std::map<std::string, Symbol> symbols;
    for (const auto& [key, node] : table.raw()) {
      const std::string name(key.str());
      const Location where = location_of(node, file_);
      symbol_names_.insert(name);
      if (!is_identifier(name) || is_reserved(name)) {
        complain(where, fmt::format("'{}' cannot be the name of a symbol", name),
                 "names are letters, digits and underscores, and not min, max, ceil_div, and, or, not");
      }
      const bool from_config = table.has_table(name) && !node.as_table()->contains("at_most");
      if (const auto definition = symbol_of(table, name))
        symbols[name] = {name, *definition, where, from_config};
      table.expect(name);
    }
    for (const auto& [name, symbol] : symbols) check_symbols(symbol.definition, {}, symbol.where);
    if (auto sorted = order_symbols(symbols)) {
      model_.symbols = *std::move(sorted);
    } else {
      problems_.insert(problems_.end(), sorted.error().begin(), sorted.error().end());
    }
  }

  void read_weight_format() {
    const auto group = root_.integer("weight_group");
    const auto format = root_.text("weight_format");
    if (group && !format) complain(root_.where("weight_group"), "'weight_group' needs a 'weight_format'");
    if (!format) return;
    if (group && *group < 1) complain(root_.where("weight_group"), "'weight_group' is less than 1");
    auto stored = stored_format({.method = *format, .group_size = group}, root_.where("weight_format"));
    if (stored) {
      model_.stored = *std::move(stored);
    } else {
      problems_.insert(problems_.end(), stored.error().begin(), stored.error().end());
    }
  }

  void read_phases() {
    if (!root_.has("phase")) return;
    TableReader table = root_.table("phase");
    for (const auto& [key, node] : table.raw()) {
      const std::string name(key.str());
      const Location where = location_of(node, file_);
      if (!is_identifier(name) || name == plain_phase || name == "step") {
        complain(
            where, fmt::format("'{}' cannot be the name of a phase", name),
            fmt::format("names are letters, digits and underscores; '{}' and 'step' are what a model without "
                        "phases does",
                        plain_phase));
      }
      TableReader phase = table.table(name);
      model_.phases.push_back(read_phase(name, phase));
    }
    table.finish();
    std::ranges::stable_sort(model_.phases, {}, [](const ServingPhase& phase) {
      return std::pair{phase.where.line, phase.where.column};
    });
  }

  ServingPhase read_phase(const std::string& name, TableReader& table) {
    ServingPhase phase{.name = name, .where = table.where()};
    std::map<std::string, Symbol> symbols;
    for (const Symbol& symbol : model_.symbols) symbols[symbol.name] = symbol;
    for (const auto& [key, node] : table.raw()) {
      const std::string symbol(key.str());
      if (symbol == "tokens" && !symbol_names_.contains(symbol)) continue;
      const Location where = location_of(node, file_);
      const auto definition = table.size(symbol);
      if (!symbol_names_.contains(symbol)) {
        const std::vector<std::string> names(symbol_names_.begin(), symbol_names_.end());
        complain(where, fmt::format("phase '{}' sets '{}', which is no symbol", name, symbol),
                 did_you_mean(symbol, names, "a phase redefines symbols of [symbols], or says its 'tokens'"));
      } else if (symbol == "batch") {
        complain(where, fmt::format("phase '{}' sets 'batch'", name),
                 "all phases run at the batch sizes asked for");
      } else if (definition) {
        check_symbols(*definition, {}, where);
        phase.symbols.push_back({symbol, *definition, where});
        symbols[symbol] = phase.symbols.back();
      }
    }
    if (!symbol_names_.contains("tokens")) {
      phase.tokens = table.size("tokens");
      if (phase.tokens) check_symbols(*phase.tokens, {}, table.where("tokens"));
    }
    if (const auto sorted = order_symbols(symbols); !sorted && problems_.empty())
      problems_.insert(problems_.end(), sorted.error().begin(), sorted.error().end());
    table.finish();
    return phase;
  }

  void check_symbols(const Expr& expression, const std::vector<std::string>& parameters,
                     const Location& where) {
    for (const std::string& name : expression.symbols()) {
      if (symbol_names_.contains(name) || std::ranges::find(parameters, name) != parameters.end()) continue;
      constexpr std::size_t most_problems = 100;  // nobody reads more at once, and suggestions take time
      if (problems_.size() >= most_problems) return;
      std::vector<std::string> candidates(symbol_names_.begin(), symbol_names_.end());
      candidates.insert(candidates.end(), parameters.begin(), parameters.end());
      complain(where, fmt::format("unknown symbol '{}'", name),
               did_you_mean(name, candidates, "symbols are defined in [symbols]"));
    }
  }

  void check_shape(const Shape& shape, const std::vector<std::string>& parameters, const Location& where) {
    for (const Expr& size : shape) check_symbols(size, parameters, where);
  }

  FileInput read_input(TableReader& table) {
    FileInput input{.name = table.required_text("name"), .where = table.where()};
    if (!table.has("shape")) complain(table.where(), fmt::format("input '{}' has no 'shape'", input.name));
    input.type.shape = table.sizes("shape").value_or(Shape{});
    check_shape(input.type.shape, {}, table.where("shape"));
    input.when = checked_size(table, "when", {});
    for (const Expr& size : input.type.shape) {
      if (size.is_constant() && size.constant() < 1) {
        complain(table.where("shape"),
                 fmt::format("input '{}' has a dimension of {}", input.name, size.constant()),
                 "dimensions are at least 1");
      }
    }
    const std::string dtype = table.text("dtype").value_or("real");
    if (dtype != "real") {
      input.type.dtype = parse_dtype(dtype);
      if (!input.type.dtype) {
        complain(table.where("dtype"), fmt::format("unknown dtype '{}'", dtype),
                 "real (what the precision stores), or fp32, fp16, bf16, int64, int32, int8, uint8, bool");
      }
    }
    table.finish();
    return input;
  }

  void read_block(TableReader& table, bool shared) {
    FileBlock block{.name = table.required_text("name"), .shared = shared, .where = table.where()};
    block.inputs = table.texts("inputs");
    block.parameters = table.texts("parameters");
    if (block.inputs.empty()) complain(table.where(), fmt::format("block '{}' has no 'inputs'", block.name));
    if (find_operator(block.name) != nullptr) {
      complain(table.where("name"), fmt::format("block '{}' has the name of an operator", block.name));
    }
    const bool twice = std::ranges::count(block_names_, block.name) > 1 &&
                       std::ranges::find(model_.blocks, block.name, &FileBlock::name) != model_.blocks.end();
    if (twice) complain(table.where("name"), fmt::format("there are two blocks named '{}'", block.name));
    for (const std::string& name : block.parameters) {
      if (symbol_names_.contains(name)) {
        complain(table.where("parameters"), fmt::format("parameter '{}' hides a symbol of that name", name));
      }
      if (!is_identifier(name) || is_reserved(name)) {
        complain(table.where("parameters"), fmt::format("'{}' cannot be the name of a parameter", name));
      }
    }
    for (const std::string& name : table.texts("outputs"))
      block.outputs.push_back({name, table.where("outputs")});
    for (TableReader& node : read_tables(table, "node"))
      block.nodes.push_back(read_node(node, block.parameters));
    if (block.nodes.empty()) {
      complain(table.where(), fmt::format("block '{}' has no [[block.node]]", block.name));
    }
    table.finish();
    model_.blocks.push_back(std::move(block));
  }

  FileNode read_node(TableReader& table, const std::vector<std::string>& parameters) {
    FileNode node{.name = table.required_text("name"),
                  .op = operator_of(table),
                  .where = table.where("name"),
                  .op_where = table.where("op")};
    if (table.has_table("op") && config_ != nullptr) node.op_where = {config_->file(), 0, 0};
    node.inputs_given = table.has("inputs");
    for (const std::string& input : table.texts("inputs"))
      node.inputs.push_back({input, table.where("inputs")});
    node.outputs = table.texts("outputs");
    node.when = checked_size(table, "when", parameters);
    node.repeat = checked_size(table, "repeat", parameters);
    node.weights_of = table.text("weights_of").value_or("");
    node.known = find_operator(node.op);
    const bool is_block = std::ranges::find(block_names_, node.op) != block_names_.end();
    if (node.known != nullptr && node.known->in_model_files) {
      read_attributes(table, node, parameters);
    } else if (is_block) {
      node.known = nullptr;
      read_parameters(table, node, parameters);
    } else if (!node.op.empty()) {
      complain(node.op_where, fmt::format("unknown operator '{}'", node.op), operator_hint(node.op));
    }
    if (node.known != nullptr && node.repeat) {
      complain(table.where("repeat"), fmt::format("'{}' repeats, but '{}' is no block", node.name, node.op),
               "only blocks repeat: make one of it");
    }
    if (node.known == nullptr && is_block && !node.weights_of.empty()) {
      complain(table.where("weights_of"), fmt::format("'{}' is a block and cannot share weights", node.name));
    }
    return node;
  }

  // The operator or block, or in a family the one that the configuration names.
  std::string operator_of(TableReader& table) {
    if (config_ == nullptr || !table.has_table("op")) return table.required_text("op");
    return bind_word(table.table("op"), *config_).value_or("");
  }

  std::optional<Expr> checked_size(TableReader& table, const std::string& key,
                                   const std::vector<std::string>& parameters) {
    auto value = table.size(key);
    if (value) check_symbols(*value, parameters, table.where(key));
    return value;
  }

  std::string operator_hint(const std::string& name) const {
    std::vector<std::string> names = block_names_;
    for (const Operator* op : operator_table()) {
      if (op->in_model_files) names.emplace_back(op->name);
    }
    const std::string near = did_you_mean(name, names);
    return fmt::format("{}{}`simulate list operators` prints them all", near, near.empty() ? "" : " ");
  }

  void read_attributes(TableReader& table, FileNode& node, const std::vector<std::string>& parameters) {
    for (const AttributeRule& rule : node.known->attributes) {
      const std::string key(rule.name);
      if (rule.required && !table.has(key)) {
        complain(node.where, fmt::format("'{}' needs '{}': {}", node.name, key, rule.summary));
      }
      switch (rule.kind) {
        case AttributeKind::size:
          if (const auto value = checked_size(table, key, parameters)) node.attributes.set(key, *value);
          break;
        case AttributeKind::sizes:
          if (const auto value = table.sizes(key)) {
            check_shape(*value, parameters, table.where(key));
            node.attributes.set(key, *value);
          }
          break;
        case AttributeKind::flag:
          if (table.has_text(key)) {
            if (const auto value = checked_size(table, key, parameters)) node.flags[key] = *value;
          } else if (const auto value = table.flag(key)) {
            node.attributes.set(key, *value);
          }
          break;
        case AttributeKind::number:
          if (const auto value = table.number(key)) node.attributes.set(key, *value);
          break;
        case AttributeKind::word:
          if (const auto value = table.text(key)) node.attributes.set(key, *value);
          break;
      }
    }
    table.finish();
  }

  // A block's parameters are checked against its list once all blocks are known, when the block is put in
  // place.
  void read_parameters(TableReader& table, FileNode& node, const std::vector<std::string>& parameters) {
    static const std::set<std::string, std::less<>> common = {"name", "op",     "inputs",    "outputs",
                                                              "when", "repeat", "weights_of"};
    for (const auto& [key, unused] : table.raw()) {
      const std::string name(key.str());
      if (common.contains(name)) continue;
      if (const auto value = checked_size(table, name, parameters)) node.attributes.set(name, *value);
    }
    table.finish();
  }

  void read_training() {
    if (!root_.has("training")) return;
    TableReader table = root_.table("training");
    for (TableReader& input : read_tables(table, "input")) {
      FileInput read = read_input(input);
      read.training_only = true;
      model_.inputs.push_back(std::move(read));
    }
    for (TableReader& node : read_tables(table, "node")) {
      FileNode read = read_node(node, {});
      read.training_only = true;
      model_.nodes.push_back(std::move(read));
    }
    model_.loss = Reference{table.required_text("loss"), table.where("loss")};
    table.finish();
  }

  Diagnostics problems_{};
  TableReader root_;
  std::string file_;
  const Config* config_ = nullptr;
  std::vector<TableReader> shared_{};
  ModelFile model_{};
  std::set<std::string, std::less<>> symbol_names_{};
  std::vector<std::string> block_names_{};
};

}  // namespace

Result<ModelFile> read_model_file(std::string_view text, const std::string& file,
                                  const ReadOptions& options) {
  const auto root = parse_toml(text, file);
  if (!root) return tl::unexpected(root.error());
  ModelReader reader(*root, file, options.config);
  std::vector<toml::table> shared;
  shared.reserve(options.shared.size());  // the reader refers to them
  for (const TextFile& more : options.shared) {
    auto parsed = parse_toml(more.text, more.name);
    if (!parsed) return tl::unexpected(parsed.error());
    shared.push_back(*std::move(parsed));
    reader.add_shared(shared.back(), more.name);
  }
  return reader.read();
}

}  // namespace roofcast
