#include "engine/io/weights/gguf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "engine/io/read_file.hpp"
#include "engine/io/weights/totals.hpp"

namespace roofcast {
namespace {

// Where a model that was split says so in its name: `llama-00001-of-00003.gguf`.
struct PartName {
  std::string stem{};  ///< "llama"
  int count = 0;
};

constexpr int digits = 5;

int five_digits(std::string_view text) {
  int number = 0;
  for (const char letter : text) {
    if (letter < '0' || letter > '9') return -1;
    number = 10 * number + (letter - '0');
  }
  return number;
}

std::optional<PartName> part_name(const std::string& file) {
  constexpr std::string_view pattern = "-00001-of-00003.gguf";
  if (file.size() <= pattern.size() || !file.ends_with(".gguf")) return std::nullopt;
  const std::string_view end = std::string_view(file).substr(file.size() - pattern.size());
  if (end[0] != '-' || end.substr(1 + digits, 4) != "-of-") return std::nullopt;
  const int number = five_digits(end.substr(1, digits));
  const int count = five_digits(end.substr(1 + digits + 4, digits));
  if (number < 1 || count < number) return std::nullopt;
  return PartName{file.substr(0, file.size() - pattern.size()), count};
}

std::string nth_part(const PartName& name, int number) {
  return fmt::format("{}-{:05}-of-{:05}.gguf", name.stem, number, name.count);
}

std::string cut_off(const std::string& file) {
  return fmt::format("'{}' ends before its tensors do: only its header was needed", file);
}

Result<GgufModel> from_one(const std::filesystem::path& path) {
  auto header = read_gguf(path);
  if (!header) return tl::make_unexpected(header.error());
  auto weights = with_totals("gguf", header->tensors, {path.string()});
  if (!weights) return tl::make_unexpected(weights.error());
  GgufModel model{.header = *std::move(header), .weights = *std::move(weights)};
  if (!model.header.has_data) model.notes.push_back(cut_off(path.string()));
  return model;
}

Result<GgufModel> from_parts(const std::filesystem::path& folder, const PartName& name) {
  GgufModel model;
  std::vector<StoredTensor> tensors;
  std::vector<std::string> files;
  std::vector<std::string> missing;
  for (int number = 1; number <= name.count; ++number) {
    const std::filesystem::path path = folder / nth_part(name, number);
    if (number > 1 && !is_there(path)) {
      missing.push_back(path.string());
      continue;
    }
    auto header = read_gguf(path);  // the first must be there: it has the metadata
    if (!header) return tl::make_unexpected(header.error());
    if (!header->has_data) model.notes.push_back(cut_off(path.string()));
    std::ranges::copy(header->tensors, std::back_inserter(tensors));
    files.push_back(path.string());
    if (number == 1) model.header = *std::move(header);
  }
  model.header.tensors = tensors;
  if (!missing.empty()) {
    model.notes.push_back(fmt::format(
        "{} of {} parts are not there ('{}'{}): weight bytes are not known, and an output matrix of its "
        "own or biases in them are missed",
        missing.size(), name.count, missing.front(), missing.size() > 1 ? ", ..." : ""));
    return model;
  }
  auto weights = with_totals("gguf", std::move(tensors), std::move(files));
  if (!weights) return tl::make_unexpected(weights.error());
  model.weights = *std::move(weights);
  return model;
}

}  // namespace

Result<GgufHeader> read_gguf(const std::filesystem::path& path) {
  // Headers have some megabytes, most of it the vocabulary. Where one ends is only known by reading it.
  constexpr std::uintmax_t first_try = 8U << 20U;
  constexpr std::uintmax_t longest_header = 512U << 20U;
  for (std::uintmax_t most = first_try;; most *= 8) {
    const auto start = read_start(path, most);
    if (!start) return tl::make_unexpected(start.error());
    auto header = read_gguf_header(start->bytes, start->file_bytes, path.string());
    if (!header) return tl::make_unexpected(header.error());
    if (*header) return **std::move(header);
    if (most >= longest_header) {
      return fail(fmt::format("has a header of more than {} bytes", most), Location{.file = path.string()});
    }
  }
}

Result<GgufModel> read_gguf_model(const std::filesystem::path& path) {
  const auto name = part_name(path.filename().string());
  return name && name->count > 1 ? from_parts(path.parent_path(), *name) : from_one(path);
}

}  // namespace roofcast
