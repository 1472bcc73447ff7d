#include "engine/io/weights/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "engine/io/read_file.hpp"
#include "engine/io/weights/totals.hpp"

namespace roofcast {
namespace {

constexpr std::string_view single_ending = ".safetensors";
constexpr std::string_view index_ending = ".safetensors.index.json";
constexpr std::uintmax_t longest_index = 256U << 20U;

Result<std::vector<StoredTensor>> read_one(const std::filesystem::path& path) {
  const auto length = read_start(path, 64);  // 8 for the length; more to recognise what is no such file
  if (!length) return tl::make_unexpected(length.error());
  const auto header = safetensors_header_bytes(length->bytes, length->file_bytes, path.string());
  if (!header) return tl::make_unexpected(header.error());
  const auto start = read_start(path, *header);
  if (!start) return tl::make_unexpected(start.error());
  return read_safetensors_header(start->bytes, start->file_bytes, path.string());
}

// Every tensor that the index names must be in the files, and nothing else.
std::string difference(const SafetensorsIndex& index, const std::vector<StoredTensor>& tensors) {
  std::set<std::string_view> found;
  for (const StoredTensor& tensor : tensors) {
    if (!found.insert(tensor.name).second) return fmt::format("tensor '{}' is in two files", tensor.name);
  }
  for (const auto& [name, file] : index.weight_map) {
    if (found.erase(name) == 0) return fmt::format("tensor '{}' is not in '{}'", name, file);
  }
  if (found.empty()) return {};
  return fmt::format("the files hold the tensor '{}', which the index does not name", *found.begin());
}

Result<StoredWeights> from_total(const SafetensorsIndex& index, const std::string& file,
                                 const std::vector<std::string>& missing) {
  std::string what = fmt::format("{} of {} weight files are not there ('{}'{})", missing.size(),
                                 index.files.size(), missing.front(), missing.size() > 1 ? ", ..." : "");
  if (!index.total_size) {
    return fail(fmt::format("{}, and the index has no 'total_size'", what), Location{.file = file});
  }
  return StoredWeights{.format = "safetensors",
                       .bytes = *index.total_size,
                       .files = {file},
                       .notes = {fmt::format("{}: weight bytes are the total in the index", what)}};
}

Result<StoredWeights> read_indexed(const std::filesystem::path& path) {
  const std::string file = path.string();
  const auto text = read_text(path, longest_index);
  if (!text) return tl::make_unexpected(text.error());
  const auto index = read_safetensors_index(*text, file);
  if (!index) return tl::make_unexpected(index.error());
  std::vector<std::string> missing;
  for (const std::string& name : index->files) {
    if (!is_there(path.parent_path() / name)) missing.push_back(name);
  }
  if (!missing.empty()) return from_total(*index, file, missing);
  std::vector<StoredTensor> tensors;
  std::vector<std::string> files;
  for (const std::string& name : index->files) {
    const std::filesystem::path part = path.parent_path() / name;
    auto more = read_one(part);
    if (!more) return tl::make_unexpected(more.error());
    std::ranges::move(*more, std::back_inserter(tensors));
    files.push_back(part.string());
  }
  if (std::string problem = difference(*index, tensors); !problem.empty()) {
    return fail(std::move(problem), Location{.file = file});
  }
  auto weights = with_totals("safetensors", std::move(tensors), std::move(files));
  if (weights && index->total_size && *index->total_size != weights->bytes) {
    weights->notes.push_back(fmt::format("the index states {} bytes of weights, its files hold {}",
                                         *index->total_size, weights->bytes));
  }
  return weights;
}

}  // namespace

bool is_safetensors_name(std::string_view file) {
  return file.ends_with(single_ending) || file.ends_with(index_ending);
}

Result<StoredWeights> read_safetensors(const std::filesystem::path& path) {
  if (path.string().ends_with(index_ending)) return read_indexed(path);
  auto tensors = read_one(path);
  if (!tensors) return tl::make_unexpected(tensors.error());
  return with_totals("safetensors", *std::move(tensors), {path.string()});
}

std::optional<std::filesystem::path> safetensors_beside(const std::filesystem::path& folder) {
  // Names that transformers and diffusers give.
  for (const char* stem : {"model", "diffusion_pytorch_model"}) {
    for (const std::string_view ending : {index_ending, single_ending}) {
      const std::filesystem::path path = folder / (stem + std::string(ending));
      if (is_there(path)) return path;
    }
  }
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder.empty() ? "." : folder, error), end;
       !error && entry != end; entry.increment(error)) {
    if (entry->path().string().ends_with(single_ending)) found.push_back(entry->path());
  }
  if (found.size() != 1) return std::nullopt;  // which of several is the model is not for us to guess
  return found.front();
}

}  // namespace roofcast
