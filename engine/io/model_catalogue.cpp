#include "engine/io/model_catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "engine/io/open_model.hpp"

namespace roofcast {
namespace {

/// A word of `args` that says which part or head of a model is meant.
struct Choice {
  std::string_view word{};
  std::string_view value{};
  Bindings symbols{};
};

const std::vector<Choice>& choices() {
  static const std::vector<Choice> all = {
      {"head", "mlm", {{"masked_lm", 1}, {"pooler", 0}}},
      {"head", "span", {{"span", 1}, {"pooler", 0}}},
      {"head", "audio_classification", {}},  // the model's own
      {"encoder_only", "1", {{"encoder_only", 1}, {"pooler", 0}}},
      {"part", "encoder", {{"decode", 0}}},
      {"part", "decoder", {{"encode", 0}}},
      {"act", "relu", {}},  // operators of the model's own
      {"act", "swiglu", {}},
      {"qk_norm", "1", {}},
  };
  return all;
}

/// A word of `args` that states a size, and what families call it. Without names it is stated elsewhere, too:
/// the sparse layers of a mixture by the number of layers, the frames of a spectrogram by its positions.
struct StatedSize {
  std::string_view word{};
  std::vector<std::string_view> symbols{};
};

const std::vector<StatedSize>& stated_sizes() {
  static const std::vector<StatedSize> all = {
      {"layers", {"layers", "encoder_layers"}},
      {"enc_layers", {"layers"}},
      {"dec_layers", {"decoder_layers"}},
      {"hidden", {"hidden"}},
      {"heads", {"heads", "encoder_heads"}},
      {"kv_heads", {"kv_heads"}},
      {"head_dim", {"head_size"}},
      {"ffn", {"ffn", "encoder_ffn"}},
      {"vocab", {"vocab"}},
      {"positions", {"max_positions", "source_positions"}},
      {"tied", {"tied"}},
      {"parallel_residual", {"parallel"}},
      {"experts", {"experts"}},
      {"capacity", {"capacity"}},
      {"sparse_step", {}},
      {"mel_bins", {"mel_bins"}},
      {"frames", {"frames"}},
  };
  return all;
}

std::vector<std::string> known_words() {
  std::vector<std::string> words = {"image_size"};
  for (const Choice& choice : choices()) words.emplace_back(choice.word);
  for (const StatedSize& size : stated_sizes()) words.emplace_back(size.word);
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  return status == std::errc{} && stop == end && value > 0 ? std::optional{value} : std::nullopt;
}

class RowReader {
 public:
  RowReader(const CsvTable& table, const CsvRow& row, Diagnostics& problems)
      : table_(table), row_(row), problems_(problems) {}

  CatalogueEntry read() {
    CatalogueEntry entry{.key = std::string(field("model_key")), .where = table_.where(row_)};
    if (entry.key.empty()) complain("'model_key' is empty");
    if (!field("file").empty()) entry.file = std::filesystem::path(table_.file).parent_path() / field("file");
    entry.image_size = positive<std::int64_t>("image_size");
    entry.million_parameters = positive<double>("params_m");
    std::string_view rest = field("args");
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      if (end > 0) read_argument(rest.substr(0, end), entry);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return entry;
  }

 private:
  std::string_view field(std::string_view column) const { return table_.field(row_, column); }

  void complain(std::string message, std::string hint = {}) {
    problems_.push_back({table_.where(row_), std::move(message), std::move(hint)});
  }

  template <class Number>
  std::optional<Number> positive(std::string_view column) {
    if (field(column).empty()) return std::nullopt;
    const auto value = number<Number>(field(column));
    if (!value) complain(fmt::format("'{}' is '{}', which is no positive number", column, field(column)));
    return value;
  }

  void read_argument(std::string_view argument, CatalogueEntry& entry) {
    const std::size_t sign = std::min(argument.find('='), argument.size());
    const std::string_view word = argument.substr(0, sign);
    const std::string_view value = argument.substr(std::min(sign + 1, argument.size()));
    const auto size = number<std::int64_t>(value);
    const auto choice = std::ranges::find_if(
        choices(), [&](const Choice& known) { return known.word == word && known.value == value; });
    if (choice != choices().end()) {
      for (const auto& [symbol, bound] : choice->symbols) entry.symbols[symbol] = bound;
    } else if (word == "image_size" && size) {
      if (entry.image_size && entry.image_size != size)
        complain(fmt::format("image_size is {} in one column and {} in 'args'", *entry.image_size, *size));
      entry.image_size = size;
    } else if (std::ranges::find(stated_sizes(), word, &StatedSize::word) != stated_sizes().end() && size) {
      entry.stated[std::string(word)] = *size;
    } else {
      const std::vector<std::string> words = known_words();
      if (std::ranges::binary_search(words, std::string(word))) {
        complain(fmt::format("'{}' in 'args' has a value that is not known", argument));
      } else {
        complain(fmt::format("unknown word '{}' in 'args'", word), did_you_mean(word, words));
      }
    }
  }

  const CsvTable& table_;
  const CsvRow& row_;
  Diagnostics& problems_;
};

Bindings values_of(const Graph& graph, const Bindings& given) {
  Bindings values;
  for (const Symbol& symbol : graph.symbols) {
    if (const auto found = given.find(symbol.name); found != given.end()) {
      values[symbol.name] = found->second;
    } else if (const auto value = symbol.definition.evaluate(values)) {
      values[symbol.name] = *value;
    }
  }
  return values;
}

// The row and the model were written apart from each other.
Diagnostics contradictions(const CatalogueEntry& entry, const CatalogueModel& model) {
  Diagnostics problems;
  const Bindings values = values_of(model.graph, model.symbols);
  for (const auto& [word, size] : entry.stated) {
    const auto known = std::ranges::find(stated_sizes(), word, &StatedSize::word);
    for (const std::string_view symbol : known->symbols) {
      const auto found = values.find(symbol);
      if (found == values.end()) continue;
      if (found->second != size) {
        problems.push_back({entry.where,
                            fmt::format("'{}' is to have {} = {}, but {} has {} = {}", entry.key, word, size,
                                        model.graph.file, symbol, found->second),
                            {}});
      }
      break;
    }
  }
  return problems;
}

// Images among the inputs that are not of the size that is asked for, at that size.
std::map<std::string, std::vector<std::int64_t>, std::less<>> resized_images(const Graph& graph,
                                                                             std::int64_t image_size) {
  std::map<std::string, std::vector<std::int64_t>, std::less<>> shapes;
  for (const GraphInput& input : graph.inputs) {
    const Shape& shape = input.type.shape;
    if (shape.size() != 4 || !shape[1].is_constant()) continue;
    if (shape[2] == Expr{image_size} && shape[3] == Expr{image_size}) continue;
    const auto batch =
        shape[0].evaluate(values_of(graph, {}));  // the file's own, which then scales as before
    if (!batch) continue;
    shapes[graph.values[static_cast<std::size_t>(input.value)].name] = {*batch, shape[1].constant(),
                                                                        image_size, image_size};
  }
  return shapes;
}

}  // namespace

Result<std::vector<CatalogueEntry>> read_catalogue(const CsvTable& table) {
  constexpr std::array<std::string_view, 5> columns = {"model_key", "file", "args", "params_m", "image_size"};
  Diagnostics problems = missing_columns(table, columns);
  if (!problems.empty()) return tl::unexpected(std::move(problems));
  std::vector<CatalogueEntry> catalogue;
  for (const CsvRow& row : table.rows) catalogue.push_back(RowReader(table, row, problems).read());
  if (!problems.empty()) return tl::unexpected(std::move(problems));
  return catalogue;
}

Result<std::vector<CatalogueEntry>> load_catalogue(const std::filesystem::path& path) {
  const auto table = read_csv(path);
  if (!table) return tl::unexpected(table.error());
  return read_catalogue(*table);
}

Result<CatalogueEntry> find_entry(const std::vector<CatalogueEntry>& catalogue, const std::string& key,
                                  std::optional<std::int64_t> image_size) {
  std::vector<std::string> keys;
  std::vector<std::string> sizes;
  const CatalogueEntry* any_size = nullptr;
  for (const CatalogueEntry& entry : catalogue) {
    if (entry.key == key) {
      if (!image_size || entry.image_size == image_size) return entry;
      if (!entry.image_size && any_size == nullptr) any_size = &entry;
      if (entry.image_size) sizes.push_back(std::to_string(*entry.image_size));
    }
    keys.push_back(entry.key);
  }
  if (any_size != nullptr) {
    CatalogueEntry entry = *any_size;
    entry.image_size = image_size;
    return entry;
  }
  if (sizes.empty()) return fail(fmt::format("unknown model key '{}'", key), {}, did_you_mean(key, keys));
  return fail(fmt::format("no '{}' at {} pixels", key, *image_size), {},
              fmt::format("there is {}", fmt::join(sizes, ", ")));
}

Result<CatalogueModel> open_entry(const DataFolder& data, const CatalogueEntry& entry,
                                  const Bindings& symbols) {
  const std::filesystem::path path =
      entry.file.empty() ? data.root() / "models" / (entry.key + ".toml") : entry.file;
  OpenOptions options{.symbols = entry.symbols};
  for (const auto& [symbol, value] : symbols) options.symbols[symbol] = value;
  const bool onnx = path.extension() == ".onnx";
  if (entry.image_size && !onnx) options.symbols["image_size"] = *entry.image_size;
  auto graph = open_model(data, path, options);
  if (!graph) return tl::unexpected(graph.error());
  if (entry.image_size && onnx) {
    options.shapes = resized_images(*graph, *entry.image_size);
    if (!options.shapes.empty()) graph = open_model(data, path, options);
    if (!graph) return tl::unexpected(graph.error());
  }
  CatalogueModel model{.graph = *std::move(graph), .symbols = std::move(options.symbols)};
  Diagnostics problems = contradictions(entry, model);
  if (!problems.empty()) return tl::unexpected(std::move(problems));
  return model;
}

}  // namespace roofcast
