#include "engine/lower/reuse_distance.hpp"

#include <algorithm>
#include <map>

namespace roofcast {
namespace {

// Equal distances become one; of too many the last ones, as if all were as far as the farthest.
std::vector<Reuse<Expr>> joined(const std::vector<Reuse<Expr>>& all) {
  std::vector<Reuse<Expr>> few;
  for (const Reuse<Expr>& reuse : all) {
    const auto same = std::ranges::find(few, reuse.distance, &Reuse<Expr>::distance);
    if (same != few.end()) {
      same->bytes += reuse.bytes;
    } else if (few.size() < most_reused - 1) {
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
    program_.moved_bytes = moved_between(0, moved_.size());
    for (Step& step : program_.steps) {
      for (Kernel& kernel : step.kernels) kernel.reused = joined(kernel.reused);
    }
  }

 private:
  /// A time: so many entries of `moved_` came before it.
  using Moment = std::size_t;

  /// A read of what the repetition before touched last.
  struct AcrossRepetitions {
    Reuse<Expr>* reuse = nullptr;
    Moment read = 0;
    std::optional<TensorId> next{};  ///< what that repetition handed on; else it read the same tensor
  };

  /// A block while its steps are visited.
  struct Block {
    Moment begin = 0;                          ///< of the repetition that is visited, the last one
    std::map<TensorId, TensorId> handed_on{};  ///< from what a repetition gets to what the one before made
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

  // In halves, so that long sums are added to each other, not one by one.
  Expr moved_between(Moment first, Moment last) const {
    if (first >= last) return Expr{0};
    if (last - first == 1) return moved_[first];
    const Moment middle = first + (last - first) / 2;
    return moved_between(first, middle) + moved_between(middle, last);
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
    const Moment others = moved_.size();  // the repetitions before the one that is visited
    moved_.emplace_back(0);
    Block entered{.begin = moved_.size()};
    for (const TypedCarry& carry : region(id).carries)
      entered.handed_on.emplace(storage(carry.inside), storage(carry.next));
    blocks_.push_back(std::move(entered));
    visit(first, last, id);
    const Block block = std::move(blocks_.back());
    blocks_.pop_back();

    const Moment end = moved_.size();
    const Expr one_repetition = moved_between(block.begin, end);
    for (const AcrossRepetitions& read : block.waiting) {
      const auto made = read.next ? last_touch_.find(*read.next) : last_touch_.end();
      const bool here = made != last_touch_.end() && made->second > block.begin;
      read.reuse->distance =
          here ? moved_between(made->second, end) + moved_between(block.begin, read.read) : one_repetition;
    }
    moved_[others] = (region(id).repeat - Expr{1}) * one_repetition;
    for (const TypedCarry& carry : region(id).carries) {
      const auto made = last_touch_.find(storage(carry.next));
      if (made != last_touch_.end()) last_touch_[storage(carry.result)] = made->second;
    }
  }

  void pass(Kernel& kernel) {
    kernel.reused.clear();
    kernel.reused.reserve(kernel.reads.size());  // `waiting` points into it
    kernel.reused_from_last_step = Expr{0};
    for (const KernelAccess& read : kernel.reads) {
      kernel.reused.push_back({.bytes = read.bytes});
      if (find_distance(storage(read.tensor), kernel.reused.back())) continue;
      kernel.reused.pop_back();
      kernel.reused_from_last_step += read.bytes;
    }
    moved_.push_back(kernel.count * (kernel.bytes_written + kernel.reused_from_last_step));
    for (const auto* accesses : {&kernel.reads, &kernel.writes}) {
      for (const KernelAccess& access : *accesses) last_touch_[storage(access.tensor)] = moved_.size();
    }
  }

  // False if the read is the first in its phase.
  bool find_distance(TensorId tensor, Reuse<Expr>& reuse) {
    Block* const block = blocks_.empty() ? nullptr : &blocks_.back();
    const auto touched = last_touch_.find(tensor);
    const bool known = touched != last_touch_.end();
    if (known && (block == nullptr || touched->second > block->begin)) {
      reuse.distance = moved_between(touched->second, moved_.size());
      return true;
    }
    const auto handed =
        block == nullptr ? std::map<TensorId, TensorId>::const_iterator{} : block->handed_on.find(tensor);
    if (block != nullptr && handed != block->handed_on.end()) {
      block->waiting.push_back({&reuse, moved_.size(), handed->second});
      return true;
    }
    if (known) {
      block->waiting.push_back({&reuse, moved_.size(), {}});
      return true;
    }
    return false;
  }

  Program& program_;
  Phase phase_ = Phase::forward;
  std::vector<Expr>
      moved_{};  ///< by each kernel, and by the other repetitions of a block before its last one
  std::map<TensorId, Moment> last_touch_{};
  std::vector<Block> blocks_{};  ///< from the outermost to the one that is visited
};

}  // namespace

void note_reuse(Program& program) {
  ReuseWalk(program).run();
}

}  // namespace roofcast
