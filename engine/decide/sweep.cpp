#include "engine/decide/sweep.hpp"

#include <algorithm>
#include <mutex>

#include "engine/base/threads.hpp"
#include "engine/decide/row.hpp"

namespace roofcast {

std::vector<std::vector<Result<AnswerRow>>> sweep(std::span<const Curve> curves, const Platform& platform,
                                                  const Request& request, const Bindings& symbols,
                                                  const Progress& progress) {
  std::vector<std::vector<Result<AnswerRow>>> rows;
  std::vector<std::size_t> begins;  // of each curve, in the numbers of all configurations
  std::size_t total = 0;
  for (const Curve& curve : curves) {
    rows.emplace_back(curve.batches.size());
    begins.push_back(total);
    total += curve.batches.size();
  }
  const auto evaluate = [&](std::size_t which, std::size_t first, std::size_t last) {
    const Curve& curve = curves[which];
    Evaluator evaluator(curve.program, platform.device, platform.runtime, platform.priors);
    Bindings at = symbols;
    for (std::size_t i = first; i < last; ++i) {
      const std::int64_t batch = curve.batches[i];
      at["batch"] = batch;
      const auto prediction = evaluator.evaluate(at);
      if (prediction) {
        rows[which][i] = answer_row(*curve.phase, platform, request, *curve.policy, batch, *prediction);
      } else {
        rows[which][i] = tl::make_unexpected(prediction.error());
      }
    }
  };
  std::mutex mutex;
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
  return rows;
}

}  // namespace roofcast
