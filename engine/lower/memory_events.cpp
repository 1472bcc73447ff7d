#include "engine/lower/memory_events.hpp"

#include <algorithm>
#include <map>

namespace roofcast {
namespace {

using Kind = MemoryEvent::Kind;
using Account = MemoryEvent::Account;

/// A moment of the run: a step, or the begin or end of a region.
struct Moment {
  enum class Kind : std::uint8_t { region_begin, step, region_end };
  Kind kind = Kind::step;
  int index = 0;  ///< step or region
};

/// The life of one piece of storage, in moments; -1 where there is none.
struct Life {
  int first = -1;
  int last = -1;
  bool kept_for_backward = false;  ///< the last use lies in the mirror of its region
};

class Liveness {
 public:
  explicit Liveness(const Program& program) : program_(program), lives_(program.tensors.size()) {}

  std::vector<SymbolicMemoryEvent> run() {
    lay_out_moments();
    for (std::size_t m = 0; m < moments_.size(); ++m) {
      if (moments_[m].kind == Moment::Kind::step) note_uses(static_cast<int>(m));
    }
    for (const TypedRegion& region : program_.regions) {
      for (const TypedCarry& carry : region.carries) {
        use(root(carry.initial), begin_of(&region), region.parent);
      }
    }
    const auto end = static_cast<int>(moments_.size());
    for (const TensorId id : program_.outputs) lives_[index(root(id))].last = end;
    before_.resize(moments_.size() + 1);
    after_.resize(moments_.size() + 1);
    for (const TypedRegion& region : program_.regions) {
      for (const TypedCarry& carry : region.carries) {
        carry_of_result_.emplace(root(carry.result), carry);
        carry_of_inside_.emplace(carry.inside, carry);
      }
    }
    // From the inside out: an inner block decides how long what the outer one hands it lasts.
    for (auto region = program_.regions.rbegin(); region != program_.regions.rend(); ++region) {
      for (const TypedCarry& carry : region->carries) hand_over(*region, carry);
    }
    for (std::size_t i = 0; i < program_.tensors.size(); ++i) {
      const auto id = static_cast<TensorId>(i);
      if (root(id) == id && is_transient(id)) live(id);
    }
    return emit();
  }

 private:
  static std::size_t index(TensorId id) { return static_cast<std::size_t>(id); }
  const ProgramTensor& tensor(TensorId id) const { return program_.tensors[index(id)]; }
  const TypedRegion& region(RegionId id) const { return program_.regions[static_cast<std::size_t>(id)]; }
  TensorId root(TensorId id) const {
    while (tensor(id).storage != id) id = tensor(id).storage;
    return id;
  }

  bool is_transient(TensorId id) const {
    const TensorRole role = tensor(id).role;
    return role == TensorRole::activation || role == TensorRole::gradient ||
           role == TensorRole::parameter_gradient;
  }

  void lay_out_moments() {
    std::vector<RegionId> open;
    const auto go_to = [&](RegionId target) {
      std::vector<RegionId> path;
      for (RegionId id = target; id != no_region; id = region(id).parent) path.push_back(id);
      std::ranges::reverse(path);
      std::size_t shared = 0;
      while (shared < open.size() && shared < path.size() && open[shared] == path[shared]) ++shared;
      while (open.size() > shared) {
        ends_[open.back()] = static_cast<int>(moments_.size());
        moments_.push_back({Moment::Kind::region_end, open.back()});
        open.pop_back();
      }
      for (std::size_t i = shared; i < path.size(); ++i) {
        begins_[path[i]] = static_cast<int>(moments_.size());
        moments_.push_back({Moment::Kind::region_begin, path[i]});
        open.push_back(path[i]);
      }
    };
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      go_to(program_.steps[i].region);
      moments_.push_back({Moment::Kind::step, static_cast<int>(i)});
    }
    go_to(no_region);
  }

  int begin_of(const TypedRegion* region) const {
    const auto found = begins_.find(static_cast<RegionId>(region - program_.regions.data()));
    return found == begins_.end() ? -1 : found->second;
  }
  int end_of(RegionId id) const {
    const auto found = ends_.find(id);
    return found == ends_.end() ? -1 : found->second;
  }

  void note_uses(int moment) {
    const Step& step =
        program_.steps[static_cast<std::size_t>(moments_[static_cast<std::size_t>(moment)].index)];
    for (const auto* ids : {&step.inputs, &step.outputs}) {
      for (const TensorId id : *ids) use(root(id), moment, step.region);
    }
    for (const TensorId id : step.outputs) {
      Life& life = lives_[index(root(id))];
      if (life.first < 0) life.first = moment;
    }
  }

  // Notes a use at `moment` in `where`. Used deeper inside of a block, storage lasts until the end of that
  // block.
  void use(TensorId id, int moment, RegionId where) {
    if (moment < 0) return;
    const RegionId home = tensor(id).region;
    const RegionId mirror = home == no_region ? no_region : region(home).mirror;
    RegionId child = no_region;
    for (RegionId at = where;; at = region(at).parent) {
      const bool at_home = at == home;
      if (at_home || (at == mirror && home != no_region)) {
        const int until = child == no_region ? moment : end_of(child);
        Life& life = lives_[index(id)];
        if (until >= life.last) {
          life.last = until;
          life.kept_for_backward = !at_home;
        }
        return;
      }
      if (at == no_region) return;
      child = at;
    }
  }

  SymbolicMemoryEvent event(Kind kind, TensorId id) const {
    const bool gradient = tensor(id).role == TensorRole::parameter_gradient;
    return {kind, gradient ? Account::gradient : Account::activation, tensor(id).bytes};
  }
  void allocate_before(int moment, TensorId id) {
    before_[index(moment)].push_back(event(Kind::allocate, id));
  }
  void release_after(int moment, TensorId id) { after_[index(moment)].push_back(event(Kind::release, id)); }

  // Whether each repetition's result stays for its own backward step, which then gives it back: it is read
  // there, or it is the result of an inner block of which this is true.
  bool kept_as_result(TensorId next) const {
    if (lives_[index(next)].kept_for_backward) return true;
    const auto inner = carry_of_result_.find(next);
    return inner != carry_of_result_.end() && kept_as_result(root(inner->second.next));
  }

  // Whether another block's mirror gives this storage back: it is what that block kept of its results.
  bool given_back_by_mirror(TensorId id) const {
    for (const auto* carries : {&carry_of_result_, &carry_of_inside_}) {
      const auto carry = carries->find(id);
      if (carry != carries->end() && kept_as_result(root(carry->second.next))) return true;
    }
    return false;
  }

  // What a repetition leaves is what the next one starts from: the same storage under two names. This decides
  // which of the four names of a carried tensor takes and gives back memory, so that each instance is counted
  // once.
  void hand_over(const TypedRegion& within, const TypedCarry& carry) {
    const int begin = begin_of(&within);
    if (begin < 0) return;
    const auto id = static_cast<RegionId>(&within - program_.regions.data());
    const TensorId initial = root(carry.initial);
    const TensorId inside = carry.inside;
    const TensorId next = root(carry.next);
    const TensorId result = carry.result;
    Life& initial_life = lives_[index(initial)];
    Life& inside_life = lives_[index(inside)];
    Life& result_life = lives_[index(result)];
    const int end = end_of(id);
    const int mirror_end = within.mirror == no_region ? -1 : end_of(within.mirror);
    if (tensor(next).region != id || next == inside) {  // the block leaves something that it did not make
      allocate_before(begin, inside);
      const int until = inside_life.kept_for_backward ? mirror_end : end;
      inside_life.last = std::max(inside_life.last, until);
      result_life.first = end;
      return;
    }
    never_released_.push_back(next);
    if (kept_as_result(next)) {
      // Kept: each repetition's result stays until its backward step, and is the next repetition's input as
      // well.
      if (!given_back_by_mirror(next)) release_after(lives_[index(next)].last, next);
      no_events_.push_back(inside);
      no_events_.push_back(result);
      const bool until_backward = inside_life.kept_for_backward;
      const int until = until_backward ? mirror_end : end;
      if (until > initial_life.last) initial_life = {initial_life.first, until, until_backward};
      return;
    }
    never_allocated_.push_back(result);
    if (result_life.last < 0) result_life.last = end;
    never_allocated_.push_back(inside);
    if (inside_life.kept_for_backward) {
      // The inputs are kept: the last backward repetition gives back the very first one.
      const bool ours =
          is_transient(initial) && initial_life.last <= mirror_end && !given_back_by_mirror(initial);
      if (mirror_end > initial_life.last)
        initial_life = {initial_life.first, mirror_end, within.parent != no_region};
      if (ours) {
        no_release_.push_back(initial);
      } else {
        after_[index(mirror_end)].push_back(event(Kind::allocate, inside));
      }
      return;
    }
    // Nothing is kept: the first repetition takes over the initial storage if nobody else needs it.
    if (inside_life.last < 0) inside_life.last = begin + 1;
    before_[index(begin)].push_back(event(Kind::allocate, inside));
  }

  static bool contains(const std::vector<TensorId>& ids, TensorId id) {
    return std::ranges::find(ids, id) != ids.end();
  }

  void live(TensorId id) {
    if (contains(no_events_, id)) return;
    const Life& life = lives_[index(id)];
    if (life.first >= 0 && !contains(never_allocated_, id)) allocate_before(life.first, id);
    const bool stays = tensor(id).role == TensorRole::parameter_gradient || contains(never_released_, id) ||
                       contains(no_release_, id) || life.last < 0 ||
                       life.last >= static_cast<int>(moments_.size());
    if (!stays) release_after(life.last, id);
  }

  // Of `released` those whose memory an equally large result takes over; they leave the list.
  static std::vector<SymbolicMemoryEvent> taken_over(const std::vector<SymbolicMemoryEvent>& allocated,
                                                     std::vector<SymbolicMemoryEvent>& released) {
    std::vector<SymbolicMemoryEvent> taken;
    for (const SymbolicMemoryEvent& result : allocated) {
      const auto operand = std::ranges::find_if(released, [&](const SymbolicMemoryEvent& event) {
        return event.kind == Kind::release && event.account == result.account && event.size == result.size;
      });
      if (operand == released.end()) continue;
      taken.push_back(*operand);
      released.erase(operand);
    }
    return taken;
  }

  std::vector<SymbolicMemoryEvent> emit() const {
    std::vector<SymbolicMemoryEvent> events;
    const auto append = [&](const std::vector<SymbolicMemoryEvent>& more) {
      events.insert(events.end(), more.begin(), more.end());
    };
    for (std::size_t m = 0; m < moments_.size(); ++m) {
      const Moment& moment = moments_[m];
      if (moment.kind == Moment::Kind::region_begin) {
        append(after_[m]);  // the initial storage goes over to the first repetition
        append(before_[m]);
        events.push_back({Kind::region_begin, Account::activation, region(moment.index).repeat});
      } else if (moment.kind == Moment::Kind::region_end) {
        events.push_back({Kind::region_end, Account::activation, Expr{0}});
        append(before_[m]);
        append(after_[m]);
      } else {
        const Step& step = program_.steps[static_cast<std::size_t>(moment.index)];
        std::vector<SymbolicMemoryEvent> released = after_[m];
        if (step.reuses_inputs) append(taken_over(before_[m], released));
        append(before_[m]);
        for (const Kernel& kernel : step.kernels) {
          if (!kernel.workspace_bytes.is(0)) {
            events.push_back({Kind::workspace, Account::activation, kernel.workspace_bytes});
          }
        }
        append(released);
      }
    }
    return events;
  }

  const Program& program_;
  std::vector<Life> lives_;
  std::vector<Moment> moments_{};
  std::map<TensorId, TypedCarry> carry_of_result_{};
  std::map<TensorId, TypedCarry> carry_of_inside_{};
  std::map<RegionId, int> begins_{};
  std::map<RegionId, int> ends_{};
  std::vector<std::vector<SymbolicMemoryEvent>> before_{};
  std::vector<std::vector<SymbolicMemoryEvent>> after_{};
  std::vector<TensorId> never_allocated_{};
  std::vector<TensorId> never_released_{};
  std::vector<TensorId> no_release_{};
  std::vector<TensorId> no_events_{};
};

}  // namespace

std::vector<SymbolicMemoryEvent> memory_events(const Program& program) {
  return Liveness(program).run();
}

}  // namespace roofcast
