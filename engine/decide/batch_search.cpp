#include "engine/decide/batch_search.hpp"

namespace roofcast {

Result<std::int64_t> largest_batch(Evaluator& evaluator, const Bindings& bindings) {
  Bindings at = bindings;
  const auto memory = [&](std::int64_t batch) {
    at["batch"] = batch;
    return evaluator.memory(at);
  };
  const auto first = memory(1);
  if (!first) return tl::unexpected(first.error());
  if (first->fits != Fit::yes) return 0;
  // Sizes that overflow do not fit either.
  const auto fits = [&](std::int64_t batch) {
    const auto plan = memory(batch);
    return plan && plan->fits == Fit::yes;
  };
  constexpr std::int64_t most = std::int64_t{1} << 40;
  std::int64_t good = 1;
  while (good < most && fits(2 * good)) good *= 2;
  std::int64_t bad = 2 * good;
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (fits(middle) ? good : bad) = middle;
  }
  return good;
}

std::vector<std::int64_t> batch_grid(std::int64_t largest) {
  std::vector<std::int64_t> batches;
  for (std::int64_t batch = 1; batch <= largest; batch *= 2) batches.push_back(batch);
  if (!batches.empty() && batches.back() != largest) batches.push_back(largest);
  return batches;
}

}  // namespace roofcast
