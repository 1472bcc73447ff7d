#include "engine/lower/fuse_elementwise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace roofcast {
namespace {

// From least to most demanding; a joined kernel takes the form of its most demanding member.
int demand(StreamKind kind) {
  switch (kind) {
    case StreamKind::copy: return 0;
    case StreamKind::elementwise: return 1;
    case StreamKind::gated_activation: return 2;
    case StreamKind::batch_normalization: return 3;
    case StreamKind::reduction: return 4;
    case StreamKind::rms_normalization: return 5;
    case StreamKind::normalization: return 6;
    case StreamKind::softmax: return 7;
    case StreamKind::pooling:
    case StreamKind::transpose:
    case StreamKind::optimizer: return -1;
  }
  return -1;
}

const Stream<Expr>* stream_of(const Kernel& kernel) {
  const auto* stream = std::get_if<Stream<Expr>>(&kernel.form);
  return stream != nullptr && demand(stream->kind) >= 0 && kernel.count.is(1) ? stream : nullptr;
}

bool streams(const Step& step) {
  return !step.kernels.empty() &&
         std::ranges::all_of(step.kernels, [](const Kernel& kernel) { return stream_of(kernel) != nullptr; });
}

bool is_pointwise(const Kernel& kernel) {
  return demand(stream_of(kernel)->kind) <= demand(StreamKind::gated_activation);
}

bool contains(const std::vector<TensorId>& ids, TensorId id) {
  return std::ranges::find(ids, id) != ids.end();
}

void add_new(std::vector<TensorId>& ids, TensorId id) {
  if (!contains(ids, id)) ids.push_back(id);
}

// Reads of one tensor add up in a kernel that passes over it more than once.
bool passes_twice(const Kernel& kernel) {
  return stream_of(kernel)->kind == StreamKind::batch_normalization;
}

// Members that become one kernel.
struct Chain {
  std::vector<std::size_t> members{};  // steps, ascending
  std::set<TensorId> read{};           // storage
  std::set<TensorId> made{};           // storage of results
};

class Fusion {
 public:
  explicit Fusion(Program program) : program_(std::move(program)) {
    for (std::size_t i = 0; i < program_.tensors.size(); ++i)
      roots_.push_back(root_of(static_cast<TensorId>(i)));
  }

  Program run() {
    split_steps();
    note_uses();
    chain_of_.assign(steps().size(), -1);
    for (std::size_t i = 0; i < steps().size(); ++i) {
      if (streams(step(i))) join(i);
      for (const TensorId id : step(i).outputs) {
        if (!step(i).kernels.empty()) writer_[root(id)] = i;
      }
    }
    program_.steps = rebuilt();
    return std::move(program_);
  }

 private:
  std::vector<Step>& steps() { return program_.steps; }
  const Step& step(std::size_t i) const { return program_.steps[i]; }
  const ProgramTensor& tensor(TensorId id) const { return program_.tensors[static_cast<std::size_t>(id)]; }
  TensorId root(TensorId id) const { return roots_[static_cast<std::size_t>(id)]; }
  TensorId root_of(TensorId id) const {
    while (tensor(id).storage != id) id = tensor(id).storage;
    return id;
  }
  // Views of all of a tensor are that tensor.
  TensorId content(TensorId id) const {
    return elements(tensor(id).shape) == elements(tensor(root(id)).shape) ? root(id) : id;
  }

  // One kernel for each step that streams: pointwise kernels in a row become one, others steps of their own.
  void split_steps() {
    std::vector<Step> split;
    for (Step& whole : steps()) {
      if (!streams(whole) || whole.kernels.size() == 1) {
        split.push_back(std::move(whole));
      } else if (std::ranges::all_of(whole.kernels, is_pointwise)) {
        whole.kernels = {in_one(whole)};
        split.push_back(std::move(whole));
      } else {
        split_into(split, whole);
      }
    }
    steps() = std::move(split);
  }

  // Of an operator's own pointwise kernels: each operand is read and each result written once.
  Kernel in_one(const Step& whole) const {
    Kernel kernel{.name = whole.kernels.front().name};
    const TensorId result = whole.outputs.front();
    StreamKind kind = StreamKind::copy;
    std::map<TensorId, KernelAccess> reads;
    for (const Kernel& part : whole.kernels) {
      if (demand(stream_of(part)->kind) > demand(kind)) kind = stream_of(part)->kind;
      kernel.operations += part.operations;
      add_further(kernel, part);
      for (const KernelAccess& access : part.reads) {
        if (!contains(whole.outputs, access.tensor)) keep_larger(reads, access.tensor, access);
      }
    }
    kernel.form = Stream<Expr>{.kind = kind, .elements = elements(tensor(result).shape)};
    for (const auto& [id, access] : reads) kernel.reads.push_back(access);
    for (const TensorId id : whole.outputs) {
      kernel.writes.push_back(
          {.tensor = id, .elements = elements(tensor(id).shape), .bytes = tensor(id).bytes});
    }
    add_bytes(kernel);
    return kernel;
  }

  static void split_into(std::vector<Step>& split, const Step& whole) {
    std::vector<TensorId> made;
    for (std::size_t i = 0; i < whole.kernels.size(); ++i) {
      const Kernel& kernel = whole.kernels[i];
      const bool is_last = i + 1 == whole.kernels.size();
      Step part{.name = whole.name, .op = whole.op, .phase = whole.phase, .region = whole.region};
      part.called = whole.called && i == 0;  // it stays one operator
      if (i == 0) {
        part.parameters = whole.parameters;
        part.layer_elements = whole.layer_elements;
      }
      for (const KernelAccess& access : kernel.reads) add_new(part.inputs, access.tensor);
      for (const TensorId id : whole.inputs) {
        if (is_last) add_new(part.inputs, id);
      }
      for (const TensorId id : whole.outputs) {
        const bool writes =
            std::ranges::find(kernel.writes, id, &KernelAccess::tensor) != kernel.writes.end();
        if (writes || (is_last && !contains(made, id))) {
          part.outputs.push_back(id);
          made.push_back(id);
        }
      }
      part.kernels = {kernel};
      split.push_back(std::move(part));
    }
  }

  // Who reads each piece of storage, and what must be there at the end or for the next repetition.
  void note_uses() {
    for (std::size_t i = 0; i < steps().size(); ++i) {
      for (const TensorId id : step(i).inputs) {
        if (!is_view(i, root(id))) readers_[root(id)].push_back(i);
      }
    }
    for (const TensorId id : program_.outputs) kept_.insert(root(id));
    for (const TypedRegion& region : program_.regions) {
      for (const TypedCarry& carry : region.carries) {
        for (const TensorId id : {carry.initial, carry.inside, carry.next, carry.result})
          kept_.insert(root(id));
      }
    }
  }

  // Whether the step only looks into this storage.
  bool is_view(std::size_t i, TensorId storage) const {
    return step(i).kernels.empty() &&
           std::ranges::any_of(step(i).outputs, [&](TensorId id) { return root(id) == storage; });
  }

  // Whether anybody but `chain` needs what it made.
  bool is_needed(TensorId storage, const Chain& chain) const {
    const TensorRole role = tensor(storage).role;
    if (role != TensorRole::activation && role != TensorRole::gradient) return true;
    return kept_.contains(storage) || is_read_outside(storage, chain);
  }
  bool is_read_outside(TensorId storage, const Chain& chain) const {
    const auto readers = readers_.find(storage);
    if (readers == readers_.end()) return false;
    return std::ranges::any_of(readers->second, [&](std::size_t reader) {
      return reader > chain.members.front() && !std::ranges::binary_search(chain.members, reader);
    });
  }

  // The step continues the chains that made what it reads; all of them if that is possible.
  void join(std::size_t i) {
    std::set<int> linked;
    for (const KernelAccess& read : step(i).kernels.front().reads) {
      const auto writer = writer_.find(root(read.tensor));
      if (writer != writer_.end() && chain_of_[writer->second] >= 0 && links(writer->second, i, read))
        linked.insert(chain_of_[writer->second]);
    }
    std::vector<int> joined;
    if (!linked.empty() && can_join({linked.begin(), linked.end()}, i)) {
      joined = {linked.begin(), linked.end()};
    } else {
      for (auto chain = linked.rbegin(); chain != linked.rend() && joined.empty(); ++chain) {
        if (can_join({*chain}, i)) joined = {*chain};
      }
    }
    if (joined.empty()) {
      joined = {static_cast<int>(chains_.size())};
      chains_.emplace_back();
    }
    Chain& chain = chains_[static_cast<std::size_t>(joined.front())];
    for (const int other : joined) {
      if (other == joined.front()) continue;
      chain = united(chain, chains_[static_cast<std::size_t>(other)]);
      chains_[static_cast<std::size_t>(other)] = {};
    }
    chain = united(chain, of_step(i));
    for (const std::size_t member : chain.members) chain_of_[member] = joined.front();
  }

  Chain of_step(std::size_t i) const {
    Chain chain{.members = {i}};
    for (const TensorId id : step(i).inputs) chain.read.insert(root(id));
    for (const TensorId id : step(i).outputs) chain.made.insert(root(id));
    return chain;
  }

  static Chain united(Chain left, const Chain& right) {
    left.members.insert(left.members.end(), right.members.begin(), right.members.end());
    std::ranges::sort(left.members);
    left.read.insert(right.read.begin(), right.read.end());
    left.made.insert(right.made.begin(), right.made.end());
    return left;
  }

  // Whether the step reads, one by one, the elements that `writer` wrote.
  bool links(std::size_t writer, std::size_t reader, const KernelAccess& read) const {
    const Kernel& kernel = step(reader).kernels.front();
    if (read.elements != stream_of(kernel)->elements) return false;
    const auto& reads = kernel.reads;
    const bool twice = std::ranges::count(reads, read.tensor, &KernelAccess::tensor) > 1;
    if (twice && passes_twice(kernel)) return false;
    return std::ranges::any_of(step(writer).kernels.front().writes, [&](const KernelAccess& write) {
      return root(write.tensor) == root(read.tensor) && write.elements == read.elements;
    });
  }

  bool can_join(const std::vector<int>& ids, std::size_t i) const {
    Chain before;
    for (const int id : ids) {
      const Chain& chain = chains_[static_cast<std::size_t>(id)];
      const Step& last = step(chain.members.back());
      if (last.region != step(i).region || last.phase != step(i).phase) return false;
      before = united(before, chain);
    }
    for (const KernelAccess& read : step(i).kernels.front().reads) {
      const auto writer = writer_.find(root(read.tensor));
      if (before.made.contains(root(read.tensor)) &&
          (writer == writer_.end() || !std::ranges::binary_search(before.members, writer->second) ||
           !links(writer->second, i, read)))
        return false;
    }
    return one_reduction(before, i) && can_wait(before, i);
  }

  // Reductions share a kernel only over the same rows.
  bool one_reduction(const Chain& chain, std::size_t i) const {
    std::vector<const Stream<Expr>*> reductions;
    const auto add = [&](std::size_t member) {
      const Stream<Expr>* stream = stream_of(step(member).kernels.front());
      const bool running =
          stream->kind == StreamKind::batch_normalization && program_.task == Task::inference;
      if (demand(stream->kind) >= demand(StreamKind::batch_normalization) && !running)
        reductions.push_back(stream);
    };
    for (const std::size_t member : chain.members) add(member);
    add(i);
    return reductions.size() < 2 || std::ranges::all_of(reductions, [&](const Stream<Expr>* stream) {
             return !stream->row.is(0) && stream->row == reductions.front()->row &&
                    stream->elements == reductions.front()->elements;
           });
  }

  // Whether the chain can run as late as step i: no step in between touches what it makes or changes what it
  // reads, and no more memory is in use meanwhile.
  bool can_wait(const Chain& chain, std::size_t i) const {
    bool waits = false;
    Chain before;  // the members that step `at` would overtake
    for (std::size_t at = chain.members.front(); at < i; ++at) {
      if (std::ranges::binary_search(chain.members, at)) {
        before = united(std::move(before), of_step(at));
        continue;
      }
      const Step& between = step(at);
      if (between.region != step(i).region) return false;
      if (between.kernels.empty()) continue;
      waits = waits || at > chain.members.back();
      for (const TensorId id : between.inputs) {
        if (before.made.contains(root(id))) return false;
      }
      for (const TensorId id : between.outputs) {
        if (before.made.contains(root(id)) || before.read.contains(root(id))) return false;
      }
    }
    return !waits || keeps_no_more(chain, i);
  }

  // Whether what the chain would keep for itself until step i is one operand, no larger than a result that
  // would be there instead.
  bool keeps_no_more(const Chain& chain, std::size_t i) const {
    std::vector<TensorId> ending;
    for (const TensorId id : chain.read) {
      const TensorRole role = tensor(id).role;
      const bool comes_and_goes = role == TensorRole::activation || role == TensorRole::gradient;
      const auto readers = readers_.find(id);
      const bool lasts = kept_.contains(id) || (readers != readers_.end() && readers->second.back() >= i);
      if (comes_and_goes && !chain.made.contains(id) && !lasts) ending.push_back(id);
    }
    if (ending.empty()) return true;
    if (ending.size() > 1) return false;
    const ProgramTensor& operand = tensor(ending.front());
    return std::ranges::any_of(step(i).inputs, [&](TensorId id) {
      const ProgramTensor& result = tensor(root(id));
      return chain.made.contains(root(id)) && elements(operand.shape) == elements(result.shape) &&
             bits(operand.dtype) <= bits(result.dtype);
    });
  }

  static void keep_larger(std::map<TensorId, KernelAccess>& accesses, TensorId key,
                          const KernelAccess& access) {
    const auto [known, is_new] = accesses.try_emplace(key, access);
    if (is_new) return;
    known->second.bytes = maximum(known->second.bytes, access.bytes);
    known->second.elements = maximum(known->second.elements, access.elements);
  }

  static void add_further(Kernel& sum, const Kernel& kernel) {
    sum.bytes_read += kernel.bytes_read;
    for (const KernelAccess& access : kernel.reads) sum.bytes_read = sum.bytes_read - access.bytes;
    sum.bytes_written += kernel.bytes_written;
    for (const KernelAccess& access : kernel.writes) sum.bytes_written = sum.bytes_written - access.bytes;
  }
  static void add_bytes(Kernel& kernel) {
    for (const KernelAccess& access : kernel.reads) kernel.bytes_read += access.bytes;
    for (const KernelAccess& access : kernel.writes) kernel.bytes_written += access.bytes;
  }

  // What a kernel reads of each tensor in all its passes.
  std::map<TensorId, KernelAccess> reads_of(const Kernel& kernel) const {
    std::map<TensorId, KernelAccess> reads;
    for (const KernelAccess& access : kernel.reads) {
      const TensorId key = content(access.tensor);
      if (const auto known = reads.find(key); known != reads.end() && passes_twice(kernel)) {
        known->second.bytes += access.bytes;
      } else {
        keep_larger(reads, key, access);
      }
    }
    return reads;
  }

  Step fused(const Chain& chain) const {
    const Step& last = step(chain.members.back());
    Step result{.name = last.name, .op = last.op, .phase = last.phase, .region = last.region};
    result.reuses_inputs = true;
    result.called =
        std::ranges::any_of(chain.members, [&](const std::size_t member) { return step(member).called; });
    Kernel kernel;
    std::map<TensorId, KernelAccess> reads;
    std::map<TensorId, KernelAccess> writes;
    std::set<TensorId> made;
    std::vector<std::string> names;
    int most = -1;
    for (const std::size_t i : chain.members) {
      const Step& member = step(i);
      const Kernel& part = member.kernels.front();
      if (std::ranges::find(names, part.name) == names.end()) names.push_back(part.name);
      kernel.operations += part.operations;
      add_further(kernel, part);
      if (demand(stream_of(part)->kind) > most) {
        most = demand(stream_of(part)->kind);
        kernel.form = part.form;
      }
      // What a single kernel keeps beside its operands is what two of them would hand over.
      if (chain.members.size() == 1) kernel.workspace_bytes = part.workspace_bytes;
      for (const auto& [id, access] : reads_of(part)) {
        if (!made.contains(root(id))) keep_larger(reads, id, access);
      }
      for (const KernelAccess& access : part.writes) {
        if (is_needed(root(access.tensor), chain)) keep_larger(writes, content(access.tensor), access);
      }
      for (const TensorId id : member.inputs) {
        if (!made.contains(root(id))) add_new(result.inputs, id);
      }
      for (const TensorId id : member.outputs) {
        made.insert(root(id));
        if (is_needed(root(id), chain)) add_new(result.outputs, id);
      }
      result.parameters += member.parameters;
      result.layer_elements += member.layer_elements;
    }
    for (const auto& [id, access] : reads) kernel.reads.push_back(access);
    for (const auto& [id, access] : writes) kernel.writes.push_back(access);
    add_bytes(kernel);
    kernel.name = fmt::format("{}", fmt::join(names, " + "));
    result.kernels = {std::move(kernel)};
    return result;
  }

  // Views of what stays inside go; views of what is not there yet wait for it.
  std::vector<Step> rebuilt() {
    std::vector<Step> result;
    std::map<TensorId, const Chain*> maker;
    for (const Chain& chain : chains_) {
      for (const TensorId id : chain.made) {
        if (!chain.members.empty()) maker[id] = &chain;
      }
    }
    std::map<std::size_t, std::vector<std::size_t>> waiting;  // views by the step that they wait for
    for (std::size_t i = 0; i < steps().size(); ++i) {
      if (step(i).kernels.empty()) {
        Step view = step(i);
        view.called = false;
        const auto chain = view.outputs.empty() ? maker.end() : maker.find(root(view.outputs.front()));
        if (chain == maker.end() || chain->second->members.front() > i) {
          result.push_back(std::move(view));
        } else if (is_needed(chain->first, *chain->second)) {
          if (chain->second->members.back() < i) {
            result.push_back(std::move(view));
          } else {
            waiting[chain->second->members.back()].push_back(i);
          }
        }
        continue;
      }
      if (chain_of_[i] < 0) {
        result.push_back(step(i));
        continue;
      }
      const Chain& chain = chains_[static_cast<std::size_t>(chain_of_[i])];
      if (chain.members.back() != i) continue;
      result.push_back(fused(chain));
      for (const std::size_t view : waiting[i]) {
        result.push_back(step(view));
        result.back().called = false;
      }
    }
    return result;
  }

  Program program_;
  std::vector<TensorId> roots_{};
  std::map<TensorId, std::vector<std::size_t>> readers_{};  // steps, by storage
  std::set<TensorId> kept_{};
  std::map<TensorId, std::size_t> writer_{};  // the last step that wrote it
  std::vector<Chain> chains_{};
  std::vector<int> chain_of_{};  // of each step, -1: none
};

}  // namespace

Program fuse_elementwise(Program program) {
  return Fusion(std::move(program)).run();
}

}  // namespace roofcast
