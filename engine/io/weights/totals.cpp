#include "engine/io/weights/totals.hpp"

#include <algorithm>
#include <map>

#include "engine/base/checked_arithmetic.hpp"

namespace roofcast {

std::optional<std::int64_t> element_count(const std::vector<std::int64_t>& shape) {
  std::int64_t product = 1;
  for (const std::int64_t dimension : shape) {
    if (dimension < 0) return std::nullopt;
    const auto next = checked_multiply(product, dimension);
    if (!next) return std::nullopt;
    product = *next;
  }
  return product;
}

Result<StoredWeights> with_totals(std::string format, std::vector<StoredTensor> tensors,
                                  std::vector<std::string> files) {
  const Location where{.file = files.empty() ? std::string{} : files.front()};
  std::int64_t bytes = 0;
  std::int64_t elements = 0;
  std::map<std::string, std::int64_t> by_dtype;
  for (const StoredTensor& tensor : tensors) {
    const auto more_bytes = checked_add(bytes, tensor.bytes);
    const auto more_elements = checked_add(elements, tensor.elements);
    if (!more_bytes || !more_elements) return fail("the tensors together overflow 64 bits", where);
    bytes = *more_bytes;
    elements = *more_elements;
    by_dtype[tensor.dtype] += tensor.bytes;  // at most `bytes`
  }
  StoredWeights weights{.format = std::move(format),
                        .tensors = std::move(tensors),
                        .bytes = bytes,
                        .elements = elements,
                        .bytes_by_dtype = {by_dtype.begin(), by_dtype.end()},
                        .files = std::move(files)};
  std::ranges::stable_sort(weights.bytes_by_dtype, std::greater<>{},
                           &std::pair<std::string, std::int64_t>::second);
  return weights;
}

}  // namespace roofcast
