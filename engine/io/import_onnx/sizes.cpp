// The part of the importer that knows of symbols: inputs, names of dimensions, decisions that depend on
// sizes.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "engine/io/import_onnx/importer.hpp"
#include "engine/io/import_onnx/onnx.pb.h"

namespace roofcast::onnx {
namespace {

constexpr std::int64_t usual_side = 224;

std::string lowered(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return result;
}

// A dimension's name as a symbol.
std::string identifier(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    const bool fits = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
    result += fits ? letter : '_';
  }
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result.front())) != 0) result = "n_" + result;
  return result;
}

bool names_batch(std::string_view name) {
  constexpr std::array words = {"batch", "batch_size", "batchsize",   "n",      "b",
                                "bs",    "none",       "num_batches", "batches"};
  return std::ranges::find(words, lowered(name)) != words.end();
}

bool names_length(std::string_view name) {
  constexpr std::array words = {"sequence",    "sequence_length", "sequence_len", "seq_length",
                                "seq_len",     "seqlen",          "seq",          "seqlength",
                                "max_seq_len", "sequencelength"};
  return std::ranges::find(words, lowered(name)) != words.end();
}

// What a size is when nobody says: images are 224 pixels wide, texts 128 tokens long, counts are 1.
std::int64_t usual_size(std::string_view name, std::size_t axis, std::size_t rank,
                        std::int64_t usual_length) {
  const std::string text = lowered(name);
  const auto holds = [&](std::string_view word) { return text.find(word) != std::string::npos; };
  if (holds("batch")) return 1;
  if (holds("height") || holds("width") || text == "h" || text == "w") return usual_side;
  if (holds("past") || holds("beam")) return 1;
  if (holds("seq") || holds("len") || holds("time") || holds("tokens") || holds("frames"))
    return usual_length;
  if (rank >= 4 && axis + 2 >= rank) return usual_side;
  return 1;
}

}  // namespace

void Importer::add_symbol(const std::string& name, std::int64_t value) {
  const auto given = options_.symbols.find(name);
  samples_[name] = given == options_.symbols.end() ? value : given->second;
  const auto known = std::ranges::find(graph_.symbols, name, &Symbol::name);
  if (known == graph_.symbols.end()) {
    graph_.symbols.push_back({.name = name, .definition = Expr{value}, .where = where()});
  } else {
    known->definition = Expr{value};
  }
}

std::string Importer::symbol_for(const std::string& dimension, std::size_t axis, bool first) {
  if (const auto known = renamed_.find(dimension); known != renamed_.end()) return known->second;
  std::string name = identifier(dimension);
  const bool taken = std::ranges::any_of(renamed_, [](const auto& entry) { return entry.second == "batch"; });
  if (axis == 0 && !taken && (names_batch(dimension) || (first && !names_length(dimension)))) {
    name = "batch";
  } else if (names_length(dimension)) {
    name = "seq";
  }
  const bool used = std::ranges::any_of(renamed_, [&](const auto& entry) { return entry.second == name; });
  if (used) name = identifier(dimension) + "_";
  renamed_.emplace(dimension, name);
  if (name != dimension) note(fmt::format("the file's dimension '{}' is called '{}' here", dimension, name));
  return name;
}

Result<Shape> Importer::input_shape(const ValueInfo& input, const Type::TensorType& type, bool first,
                                    bool is_input) {
  Shape shape;
  const auto rank = static_cast<std::size_t>(type.shape().dim_size());
  const auto given = options_.shapes.find(input.name());
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const TensorShape::Dimension& dimension = type.shape().dim(static_cast<int>(axis));
    if (dimension.has_dim_value() && dimension.dim_value() > 0) {
      const bool scales = axis == 0 && is_input && attempt_.scaled_batch == dimension.dim_value();
      if (scales && !samples_.contains("batch")) add_symbol("batch", dimension.dim_value());
      shape.push_back(scales ? Expr::symbol("batch") : Expr{dimension.dim_value()});
      continue;
    }
    std::string name = dimension.dim_param();
    if (name.empty()) name = fmt::format("{}_dim{}", input.name(), axis);
    // Newer exporters write sums and products of dimensions.
    if (!is_identifier(name)) {
      const auto expression = parse_expression(name);
      const bool known = expression && !expression->symbols().empty() && given == options_.shapes.end() &&
                         std::ranges::all_of(expression->symbols(), [&](const std::string& symbol) {
                           return renamed_.contains(symbol);
                         });
      if (known) {
        std::map<std::string, Expr, std::less<>> replacements;
        for (const std::string& symbol : expression->symbols())
          replacements.emplace(symbol, Expr::symbol(renamed_.find(symbol)->second));
        shape.push_back(expression->substitute(replacements));
        continue;
      }
    }
    const std::string symbol = symbol_for(name, axis, first);
    if (!samples_.contains(symbol)) {
      const std::int64_t size = usual_size(name, axis, rank, attempt_.usual_length);
      guessed_length_ = guessed_length_ || size == attempt_.usual_length;
      add_symbol(symbol, size);
    }
    shape.push_back(Expr::symbol(symbol));
  }
  return shape;
}

// Dimensions that no input has are sizes that only the data decides.
std::optional<OnnxValue> Importer::declared(const std::string& name) {
  const auto found = declared_.find(name);
  if (found == declared_.end() || !found->second->type().has_tensor_type()) return std::nullopt;
  const Type::TensorType& type = found->second->type().tensor_type();
  if (!type.has_shape()) return std::nullopt;
  const auto shape = input_shape(*found->second, type, false, false);
  if (!shape) return std::nullopt;
  return OnnxValue{.name = name, .shape = *shape, .element = static_cast<ElementType>(type.elem_type())};
}

std::optional<Shape> Importer::declared_sizes(const OnnxNode& node, std::size_t index) const {
  if (!node.wants(index)) return std::nullopt;
  const auto found = declared_.find(node.output_name(index));
  if (found == declared_.end() || !found->second->type().has_tensor_type()) return std::nullopt;
  const Type::TensorType& type = found->second->type().tensor_type();
  if (!type.has_shape()) return std::nullopt;
  Shape shape;
  for (const TensorShape::Dimension& dimension : type.shape().dim()) {
    if (!dimension.has_dim_value() || dimension.dim_value() < 1) return std::nullopt;
    shape.emplace_back(dimension.dim_value());
  }
  return shape;
}

namespace {

/// An input of any type: the tensor that it is, or that its elements are.
struct InputType {
  Type::TensorType tensor{};
  bool known = false;
  bool sequence = false;
  bool sparse = false;
};

InputType input_type(const Type& type) {
  if (type.has_tensor_type()) return {.tensor = type.tensor_type(), .known = true};
  if (type.has_sparse_tensor_type()) {
    InputType result{.known = true, .sparse = true};
    result.tensor.set_elem_type(type.sparse_tensor_type().elem_type());
    if (type.sparse_tensor_type().has_shape())
      *result.tensor.mutable_shape() = type.sparse_tensor_type().shape();
    return result;
  }
  if (type.has_optional_type()) return input_type(type.optional_type().elem_type());
  if (!type.has_sequence_type() || !type.sequence_type().elem_type().has_tensor_type()) return {};
  return {.tensor = type.sequence_type().elem_type().tensor_type(), .known = true, .sequence = true};
}

}  // namespace

Result<void> Importer::bind_inputs(const Graph& graph) {
  std::set<std::string, std::less<>> open_shapes;
  for (const auto& [name, shape] : options_.shapes) open_shapes.insert(name);
  bool first = true;
  for (const ValueInfo& input : graph.input()) {
    if (find(input.name()) != nullptr) continue;  // an initializer with a default
    const InputType declared_type = input_type(input.type());
    if (!declared_type.known) {
      return fail(fmt::format("input '{}' is neither a tensor nor a sequence of tensors", input.name()),
                  where(), "export the model with tensors as inputs");
    }
    const Type::TensorType& type = declared_type.tensor;
    if (declared_type.sequence)
      note(fmt::format("the sequence '{}' is taken with one element, as its length is open", input.name()));
    if (declared_type.sparse)
      note(fmt::format("the sparse tensor '{}' is counted as a dense one", input.name()));
    const auto given = options_.shapes.find(input.name());
    if (given != options_.shapes.end()) open_shapes.erase(input.name());
    if (!type.has_shape() && given == options_.shapes.end()) {
      return fail(fmt::format("the file does not say the shape of {}input '{}'",
                              declared_type.sequence ? "the elements of " : "", input.name()),
                  where(), fmt::format("give it with --shape {}=1x3x224x224", input.name()));
    }
    Shape shape;
    if (type.has_shape()) {
      auto declared_shape = input_shape(input, type, first, true);
      if (!declared_shape) return tl::unexpected(declared_shape.error());
      shape = *std::move(declared_shape);
    }
    if (given != options_.shapes.end()) {
      if (!type.has_shape()) {
        for (const std::int64_t size : given->second) shape.emplace_back(size);
      }
      if (given->second.size() != shape.size()) {
        return fail(fmt::format("--shape: input '{}' has {} dimensions, not {}", input.name(), shape.size(),
                                given->second.size()),
                    where());
      }
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        Expr& dimension = shape[axis];
        const auto symbols = dimension.symbols();
        if (symbols.size() == 1 && dimension == Expr::symbol(*symbols.begin())) {
          add_symbol(*symbols.begin(), given->second[axis]);
          given_symbols_.insert(*symbols.begin());
        } else {
          dimension = Expr{given->second[axis]};
        }
      }
    }
    if (!shape.empty()) first = false;
    const auto element = static_cast<ElementType>(type.elem_type());
    OnnxValue value{.name = input.name(), .shape = shape, .element = element};
    value.value = new_value(input.name(), {.shape = shape, .dtype = storage(element)});
    graph_.inputs.push_back({.value = value.value, .type = {.shape = shape, .dtype = storage(element)}});
    if (declared_type.sequence) {
      OnnxValue sequence{.name = input.name()};
      sequence.sequence = std::make_shared<Values>(Values{std::move(value)});
      value = std::move(sequence);
    }
    define(input.name(), std::move(value));
  }
  if (open_shapes.empty()) return {};
  std::vector<std::string> names;
  for (const ValueInfo& input : graph.input()) names.push_back(input.name());
  return fail(fmt::format("--shape: the model has no input '{}'", *open_shapes.begin()), where(),
              did_you_mean(*open_shapes.begin(), names, fmt::format("it has {}", fmt::join(names, ", "))));
}

std::optional<std::int64_t> Importer::sample(const Expr& expression) const {
  const auto value = expression.evaluate(samples_);
  if (!value) return std::nullopt;
  return *value;
}

bool Importer::less(const Expr& left, const Expr& right) {
  const Expr difference = right - left;
  if (const auto known = sign(difference)) return *known > 0;
  const auto value = sample(difference);
  note(fmt::format("whether {} < {} was decided at the sizes given: other sizes may take another branch",
                   to_string(left), to_string(right)));
  return value.value_or(0) > 0;
}

bool Importer::equal(const Expr& left, const Expr& right) {
  if (left == right) return true;
  const Expr difference = right - left;
  if (const auto known = sign(difference)) return *known == 0;
  const auto value = sample(difference);
  note(fmt::format("whether {} = {} was decided at the sizes given: other sizes may take another branch",
                   to_string(left), to_string(right)));
  return value == 0;
}

void Importer::scale_batch(const OnnxValue& input, Shape& shape) const {
  if (!attempt_.scaled_batch || shape.empty() || !shape.front().is(*attempt_.scaled_batch)) return;
  const Expr batch = Expr::symbol("batch");
  const bool scaled =
      std::ranges::any_of(input.shape, [&](const Expr& size) { return size.symbols().contains("batch"); });
  if (scaled) shape.front() = batch;
}

Expr Importer::new_symbol(const std::string& name, std::int64_t value) {
  std::string symbol = identifier(name);
  while (samples_.contains(symbol)) symbol += "_";
  add_symbol(symbol, value);
  renamed_.emplace(symbol, symbol);
  data_symbols_.insert(symbol);
  return Expr::symbol(symbol);
}

void Importer::settle(const Expr& dimension, std::int64_t value) {
  const auto symbols = dimension.symbols();
  if (symbols.size() != 1 || !(dimension == Expr::symbol(*symbols.begin()))) return;
  if (given_symbols_.contains(*symbols.begin())) return;
  add_symbol(*symbols.begin(), value);
}

}  // namespace roofcast::onnx
