#include "engine/lower/reuse_distance.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace roofcast {
namespace {

// Equal distances become one; of too many the last ones, as if all were as far as the farthest.
std::vector<Reuse<Expr>> joined(const std::vector<Reuse<Expr>>& all) {
  std::vector<Reuse<Expr>> few;
  for (const Reuse<Expr>& reuse : all) {
    const auto same = std::ranges::find(few, reuse.distance, &Reuse<Expr>::distance);
    if (same != few.end()) {
      same->bytes += reuse.bytes;
    } else if (few.size() < most_reused) {
      few.push_back(reuse);
    } else {
      few.back().bytes += reuse.bytes;
      few.back().distance = maximum(few.back().distance, reuse.distance);
    }
  }
  return few;
}

class ReuseWalk {
 public:
  explicit ReuseWalk(Program& program) : program_(program) {}

  void run() {
    visit(0, program_.steps.size(), no_region);
    for (Reuse<Expr>* reuse : a_step_ago_) reuse->distance = moved_;
    for (Step& step : program_.steps) {
      for (Kernel& kernel : step.kernels) kernel.reused = joined(kernel.reused);
    }
  }

 private:
  /// A read whose distance depends on how much one repetition of a block moves.
  struct AcrossRepetitions {
    Reuse<Expr>* reuse = nullptr;
    std::optional<TensorId> next{};  ///< what the repetition before handed on; else it read the same tensor
  };

  /// A block while its steps are visited.
  struct Block {
    Expr begin{0};
    std::map<TensorId, TensorId> handed_on{};  ///< from what a repetition gets to what the one before made
    std::set<TensorId> touched{};
    std::vector<AcrossRepetitions> waiting{};
  };

  const TypedRegion& region(RegionId id) const { return program_.regions[static_cast<std::size_t>(id)]; }

  TensorId storage(TensorId id) const {
    while (program_.tensors[static_cast<std::size_t>(id)].storage != id)
      id = program_.tensors[static_cast<std::size_t>(id)].storage;
    return id;
  }

  bool is_within(RegionId inner, RegionId outer) const {
    for (; inner != no_region; inner = region(inner).parent) {
      if (inner == outer) return true;
    }
    return outer == no_region;
  }

  void visit(std::size_t first, std::size_t last, RegionId level) {
    while (first < last) {
      Step& step = program_.steps[first];
      if (step.region == level) {
        if (step.phase != phase_) last_touch_.clear();
        phase_ = step.phase;
        for (Kernel& kernel : step.kernels) pass(kernel);
        ++first;
        continue;
      }
      RegionId child = step.region;
      while (region(child).parent != level) child = region(child).parent;
      std::size_t end = first;
      while (end < last && is_within(program_.steps[end].region, child)) ++end;
      visit_block(first, end, child);
      first = end;
    }
  }

  void visit_block(std::size_t first, std::size_t last, RegionId id) {
    Block block{.begin = moved_};
    for (const TypedCarry& carry : region(id).carries)
      block.handed_on.emplace(storage(carry.inside), storage(carry.next));
    blocks_.push_back(std::move(block));
    visit(first, last, id);
    block = std::move(blocks_.back());
    blocks_.pop_back();

    const Expr one_repetition = moved_ - block.begin;
    for (const AcrossRepetitions& read : block.waiting) {
      // Until here the distance is where in the block the read is.
      const auto made = read.next ? last_touch_.find(*read.next) : last_touch_.end();
      read.reuse->distance =
          made == last_touch_.end() ? one_repetition : one_repetition + read.reuse->distance - made->second;
    }
    const Expr others = (region(id).repeat - Expr{1}) * one_repetition;
    for (const TensorId tensor : block.touched) last_touch_[tensor] += others;
    moved_ += others;
    for (const TypedCarry& carry : region(id).carries) {
      const auto made = last_touch_.find(storage(carry.next));
      if (made != last_touch_.end()) last_touch_[storage(carry.result)] = made->second;
    }
    if (blocks_.empty()) return;
    blocks_.back().touched.insert(block.touched.begin(), block.touched.end());
    for (const TypedCarry& carry : region(id).carries) blocks_.back().touched.insert(storage(carry.result));
  }

  void pass(Kernel& kernel) {
    kernel.reused.clear();
    kernel.reused.reserve(kernel.reads.size());  // others point into it
    Expr moved = kernel.bytes_written;
    for (const KernelAccess& read : kernel.reads) {
      kernel.reused.push_back({.bytes = read.bytes});
      if (find_distance(storage(read.tensor), kernel.reused.back())) moved += read.bytes;
    }
    moved_ += kernel.count * moved;
    for (const auto* accesses : {&kernel.reads, &kernel.writes}) {
      for (const KernelAccess& access : *accesses) touch(storage(access.tensor));
    }
  }

  // True if the read is the first in its phase.
  bool find_distance(TensorId tensor, Reuse<Expr>& reuse) {
    Block* const block = blocks_.empty() ? nullptr : &blocks_.back();
    const auto touched = last_touch_.find(tensor);
    if (block != nullptr && !block->touched.contains(tensor)) {
      const auto handed = block->handed_on.find(tensor);
      if (handed != block->handed_on.end()) {
        reuse.distance = moved_;
        block->waiting.push_back({&reuse, handed->second});
        return false;
      }
      if (touched != last_touch_.end()) {
        block->waiting.push_back({&reuse, {}});
        return false;
      }
    } else if (touched != last_touch_.end()) {
      reuse.distance = moved_ - touched->second;
      return false;
    }
    a_step_ago_.push_back(&reuse);
    return true;
  }

  void touch(TensorId tensor) {
    last_touch_[tensor] = moved_;
    if (!blocks_.empty()) blocks_.back().touched.insert(tensor);
  }

  Program& program_;
  Phase phase_ = Phase::forward;
  Expr moved_{0};  ///< since the step began
  std::map<TensorId, Expr> last_touch_{};
  std::vector<Block> blocks_{};  ///< from the outermost to the one that is visited
  std::vector<Reuse<Expr>*> a_step_ago_{};
};

}  // namespace

void note_reuse(Program& program) {
  ReuseWalk(program).run();
}

}  // namespace roofcast
