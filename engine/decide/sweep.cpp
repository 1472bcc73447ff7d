#include "engine/decide/sweep.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "engine/base/threads.hpp"
#include "engine/decide/row.hpp"

namespace roofcast {
namespace {

// `rows` without those at the places, which ascend.
std::vector<AnswerRow> without(std::vector<AnswerRow> rows, const std::vector<std::size_t>& places) {
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < rows.size() && !places.empty(); ++i) {
    if (left_out < places.size() && places[left_out] == i) {
      ++left_out;
    } else if (left_out > 0) {
      rows[i - left_out] = std::move(rows[i]);
    }
  }
  rows.resize(rows.size() - left_out);
  return rows;
}

}  // namespace

Swept sweep(std::span<const Curve> curves, const Platform& platform, const Request& request,
            const Bindings& symbols, const Progress& progress) {
  std::vector<std::size_t> begins;  // of each curve, in the numbers of all configurations
  std::size_t total = 0;
  for (const Curve& curve : curves) {
    begins.push_back(total);
    total += curve.batches.size();
  }
  Swept swept{.rows = std::vector<AnswerRow>(total)};
  std::mutex mutex;
  const auto evaluate = [&](std::size_t which, std::size_t first, std::size_t last) {
    const Curve& curve = curves[which];
    Evaluator evaluator(curve.program, platform.device, platform.runtime, platform.priors);
    Bindings at = symbols;
    for (std::size_t i = first; i < last; ++i) {
      const std::int64_t batch = curve.batches[i];
      at["batch"] = batch;
      const auto prediction = evaluator.evaluate(at);
      if (prediction) {
        swept.rows[begins[which] + i] =
            answer_row(*curve.phase, platform, request, *curve.policy, batch, *prediction);
      } else {
        const std::scoped_lock lock(mutex);
        swept.refused.push_back({which, i, prediction.error()});
      }
    }
  };
  std::size_t done = 0;
  // A few milliseconds of work: a thread is worth starting, and the last block keeps nobody waiting.
  constexpr std::size_t block = 256;
  for_each_block(total, block, [&](std::size_t first, std::size_t last) {
    for (std::size_t at = first; at < last;) {
      const auto next = std::ranges::upper_bound(begins, at);
      const std::size_t end = next == begins.end() ? last : std::min(last, *next);
      const auto which = static_cast<std::size_t>(next - begins.begin()) - 1;
      evaluate(which, at - begins[which], end - begins[which]);
      at = end;
    }
    if (!progress) return;
    const std::scoped_lock lock(mutex);
    progress(done += last - first, total);
  });
  std::ranges::sort(swept.refused, {}, [](const Refusal& refusal) {
    return std::pair{refusal.curve, refusal.place};
  });
  std::vector<std::size_t> places;
  for (const Refusal& refusal : swept.refused) places.push_back(begins[refusal.curve] + refusal.place);
  swept.rows = without(std::move(swept.rows), places);
  return swept;
}

}  // namespace roofcast
