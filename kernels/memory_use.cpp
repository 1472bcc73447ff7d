#include "kernels/memory_use.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>

#include "kernels/message.hpp"

namespace roofcast {
namespace {

std::string first_message(const Diagnostics& problems) {
  return problems.empty() ? "unknown" : problems.front().message;
}

MemoryUse measure_step(const MemoryStep& step) {
  const auto before = step.free();
  if (!before) return {.name = step.name, .failure = first_message(before.error())};
  if (const auto done = step.run(); !done) return {.name = step.name, .failure = first_message(done.error())};
  const auto after = step.free();
  if (!after) return {.name = step.name, .failure = first_message(after.error())};
  return {.name = step.name, .taken = *before - *after - step.operands};
}

/// All that a child writes until it ends; less if the time is over.
std::string read_until_end(int pipe, Seconds patience) {
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::duration_cast<std::chrono::steady_clock::duration>(patience);
  std::string text;
  std::array<char, 4096> piece{};
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd waiting{.fd = pipe, .events = POLLIN, .revents = 0};
    if (left.count() <= 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) return text;
    const ssize_t got = ::read(pipe, piece.data(), piece.size());
    if (got <= 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

std::string message_of(const std::vector<MemoryUse>& uses) {
  MessageWriter message;
  message << uses.size();
  for (const MemoryUse& use : uses) message << use.name << use.taken << use.failure;
  return message.bytes();
}

}  // namespace

std::vector<MemoryUse> measure_memory_use(std::span<const MemoryStep> steps) {
  std::vector<MemoryUse> uses;
  for (const MemoryStep& step : steps) {
    MemoryUse use = measure_step(step);
    if (!step.name.empty()) uses.push_back(std::move(use));
  }
  return uses;
}

Result<Bytes> allocation_step(const std::function<Result<void*>(std::size_t bytes)>& allocate,
                              const std::function<void(void*)>& release,
                              const std::function<Result<Bytes>()>& free) {
  constexpr std::size_t block = 16384;
  constexpr std::size_t most_blocks = (std::size_t{64} << 20U) / block;
  std::vector<void*> blocks;
  std::vector<Bytes> levels;  // what was free, each time it became less
  Result<Bytes> step = fail("memory is given away without steps");
  while (blocks.size() < most_blocks && levels.size() < 3) {
    const auto left = free();
    if (!left) {
      step = tl::make_unexpected(left.error());
      break;
    }
    if (levels.empty() || *left < levels.back()) levels.push_back(*left);
    const auto made = allocate(block);
    if (!made) {
      step = tl::make_unexpected(made.error());
      break;
    }
    blocks.push_back(*made);
  }
  if (levels.size() == 3) step = levels[1] - levels[2];
  for (void* each : blocks) release(each);
  return step;
}

Result<std::vector<MemoryUse>> memory_use_of_child(const std::function<std::vector<MemoryUse>()>& measure,
                                                   Seconds patience) {
  int ends[2] = {-1, -1};
  if (::pipe(ends) != 0) return fail("no pipe to a child process");
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    const std::string message = message_of(measure());
    // Short enough for the pipe to take it whole.
    const ssize_t written = ::write(ends[1], message.data(), message.size());
    ::_exit(written == static_cast<ssize_t>(message.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  const std::string message = child < 0 ? std::string{} : read_until_end(ends[0], patience);
  ::close(ends[0]);
  if (child > 0) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  MessageReader in(message);
  std::size_t count = 0;
  in >> count;
  std::vector<MemoryUse> uses;
  for (std::size_t i = 0; i < count && in.is_whole(); ++i) {
    MemoryUse use;
    in >> use.name >> use.taken >> use.failure;
    uses.push_back(std::move(use));
  }
  if (!in.is_whole()) return fail("the process that measures memory ended or hung");
  return uses;
}

std::string memory_table(std::span<const MemoryUse> uses, const SampleOrigin& origin) {
  std::string text = "source,hw,metric,value,unit,framework,usable,reason,date\n";
  for (const MemoryUse& use : uses) {
    const bool known = use.failure.empty();
    text += fmt::format("calibrate,{},memory_{},{},bytes,{},{},{},{}\n", csv_field(origin.hardware), use.name,
                        known ? fmt::format("{:.0f}", use.taken.value) : std::string{},
                        csv_field(origin.libraries), known ? 1 : 0, csv_field(use.failure),
                        csv_field(origin.date));
  }
  return text;
}

}  // namespace roofcast
