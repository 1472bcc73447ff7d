#include "kernels/isolated_backend.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <vector>

#include "kernels/message.hpp"

namespace roofcast {
namespace {

using Open = std::function<Result<std::unique_ptr<Backend>>()>;

enum class Request : std::uint8_t { footprint, prepare, verify, run, drop, clock, condition };

MessageWriter& operator<<(MessageWriter& out, const Probe& probe) {
  return out << probe.op << probe.precision << probe.m << probe.n << probe.k << probe.attention
             << probe.convolution << probe.collective << probe.residency << probe.load << probe.group
             << probe.operations << probe.read << probe.written;
}

MessageReader& operator>>(MessageReader& in, Probe& probe) {
  return in >> probe.op >> probe.precision >> probe.m >> probe.n >> probe.k >> probe.attention >>
         probe.convolution >> probe.collective >> probe.residency >> probe.load >> probe.group >>
         probe.operations >> probe.read >> probe.written;
}

MessageWriter& operator<<(MessageWriter& out, const DeviceFacts& facts) {
  return out << facts.name << facts.vendor << facts.driver << facts.libraries << facts.units << facts.clock
             << facts.memory << facts.usable << facts.last_level_cache << facts.first_level_cache;
}

MessageReader& operator>>(MessageReader& in, DeviceFacts& facts) {
  return in >> facts.name >> facts.vendor >> facts.driver >> facts.libraries >> facts.units >> facts.clock >>
         facts.memory >> facts.usable >> facts.last_level_cache >> facts.first_level_cache;
}

/// Waits for the other side, at most until `end`; without `end` for ever.
bool receive_bytes(int socket, char* to, std::size_t size,
                   const std::chrono::steady_clock::time_point* end = nullptr) {
  while (size > 0) {
    if (end != nullptr) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(*end - std::chrono::steady_clock::now());
      if (left.count() <= 0) return false;
      pollfd waiting{.fd = socket, .events = POLLIN, .revents = 0};
      const int ready = ::poll(&waiting, 1, static_cast<int>(left.count()));
      if (ready < 0 && errno == EINTR) continue;
      if (ready <= 0) return false;
    }
    const ssize_t got = ::recv(socket, to, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

std::optional<std::string> receive(int socket, const std::chrono::steady_clock::time_point* end = nullptr) {
  std::uint64_t size = 0;
  if (!receive_bytes(socket, reinterpret_cast<char*>(&size), sizeof size, end)) return std::nullopt;
  std::string message(size, '\0');
  if (!receive_bytes(socket, message.data(), size, end)) return std::nullopt;
  return message;
}

bool send_message(int socket, const std::string& message) {
  const std::string whole = (MessageWriter() << std::string_view(message)).bytes();
  for (std::size_t sent = 0; sent < whole.size();) {
    const ssize_t more = ::send(socket, whole.data() + sent, whole.size() - sent, MSG_NOSIGNAL);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return false;
    sent += static_cast<std::size_t>(more);
  }
  return true;
}

// An answer begins with whether it went well. Where it did not, there follow a message and a hint.
MessageWriter well() {
  MessageWriter answer;
  answer << true;
  return answer;
}

MessageWriter badly(const Diagnostics& problems) {
  MessageWriter answer;
  const Diagnostic first = problems.empty() ? Diagnostic{.message = "unknown"} : problems.front();
  answer << false << first.message << first.hint;
  return answer;
}

/// The child's side of a backend.
class Server {
 public:
  explicit Server(std::unique_ptr<Backend> backend) : backend_(std::move(backend)) {}

  MessageWriter answer(const std::string& request) {
    MessageReader in(request);
    Request what{};
    in >> what;
    switch (what) {
      case Request::footprint: {
        Probe probe;
        in >> probe;
        return well() << backend_->footprint(probe);
      }
      case Request::prepare: {
        Probe probe;
        in >> probe;
        prepared_.reset();
        auto prepared = backend_->prepare(probe);
        if (!prepared) return badly(prepared.error());
        prepared_ = *std::move(prepared);
        return well();
      }
      case Request::verify: {
        const auto right = prepared_->verify();
        return right ? well() << prepared_->algorithm() : badly(right.error());
      }
      case Request::run: {
        std::int64_t times = 1;
        in >> times;
        const auto took = prepared_->run(times);
        return took ? well() << took->count() : badly(took.error());
      }
      case Request::drop: prepared_.reset(); return well();
      case Request::clock: {
        const auto clock = backend_->clock_now();
        return well() << clock.has_value() << clock.value_or(Hertz{});
      }
      case Request::condition: {
        const DeviceCondition now = backend_->condition_now();
        return well() << now.power.has_value() << now.power.value_or(Watts{}) << now.throttled;
      }
    }
    return badly({});
  }

  bool is_lost() { return backend_->is_lost(); }

 private:
  std::unique_ptr<Backend> backend_{};
  std::unique_ptr<Prepared> prepared_{};
};

/// Introduces the backend, then answers until the other side is gone or the backend is lost.
void serve(int socket, const Open& open) {
  auto backend = open();
  if (!backend) {
    send_message(socket, badly(backend.error()).bytes());
    return;
  }
  const ProbeLimits limits = (*backend)->limits();
  MessageWriter hello = well();
  hello << (*backend)->device() << limits.memory << limits.operations << limits.units << limits.devices
        << limits.cache << limits.supported.size();
  for (const SupportedOp& each : limits.supported) hello << each.op << each.precision;
  if (!send_message(socket, hello.bytes())) return;
  Server server(*std::move(backend));
  while (const auto request = receive(socket)) {
    const std::string answer = server.answer(*request).bytes();
    const bool failed = answer.front() == '\0';
    if (!send_message(socket, answer) || (failed && server.is_lost())) return;
  }
}

/// A child process and the socket to it. Ends with it.
class Child {
 public:
  Child(const Open& open, Seconds patience) : patience_(patience) {
    int sockets[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) return;
    process_ = ::fork();
    if (process_ == 0) {
      ::close(sockets[0]);
      serve(sockets[1], open);
      ::_exit(0);  // without this process's copies of what others have opened
    }
    ::close(sockets[1]);
    socket_ = sockets[0];
  }
  ~Child() {
    if (socket_ >= 0) ::close(socket_);
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  std::optional<std::string> hear() {
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::duration_cast<std::chrono::steady_clock::duration>(patience_);
    return socket_ < 0 ? std::nullopt : receive(socket_, &end);
  }
  std::optional<std::string> ask(const std::string& request) {
    return socket_ >= 0 && send_message(socket_, request) ? hear() : std::nullopt;
  }

 private:
  Seconds patience_{};
  pid_t process_ = -1;
  int socket_ = -1;
};

struct SupportedText {
  std::string op{};
  std::string precision{};
};

class IsolatedBackend : public Backend {
 public:
  IsolatedBackend(Open open, Seconds patience) : open_(std::move(open)), patience_(patience) {}

  /// A child that has opened its backend. What the first one says about the device stays.
  Result<void> start() {
    auto child = std::make_unique<Child>(open_, patience_);
    const auto hello = child->hear();
    if (!hello) return fail("the device's process ended before it was open");
    MessageReader in(*hello);
    bool opened = false;
    in >> opened;
    if (!opened) return failure(in);
    ++generation_;
    child_ = std::move(child);
    if (generation_ > 1) return {};
    std::size_t count = 0;
    in >> facts_ >> limits_.memory >> limits_.operations >> limits_.units >> limits_.devices >>
        limits_.cache >> count;
    supported_text_.resize(count);
    for (SupportedText& each : supported_text_) in >> each.op >> each.precision;
    for (const SupportedText& each : supported_text_) supported_.push_back({each.op, each.precision});
    limits_.supported = supported_;
    return in.is_whole() ? Result<void>{} : fail("the device's process spoke in parts");
  }

  const DeviceFacts& device() const override { return facts_; }
  ProbeLimits limits() const override { return limits_; }

  Bytes footprint(const Probe& probe) const override {
    MessageWriter request;
    request << Request::footprint << probe;
    const auto answer = ask(request);
    Bytes bytes;
    if (answer) MessageReader(*answer) >> bytes;
    return bytes;
  }

  Result<std::unique_ptr<Prepared>> prepare(const Probe& probe) override;

  std::optional<Hertz> clock_now() override {
    MessageWriter request;
    request << Request::clock;
    const auto answer = ask(request);
    bool known = false;
    Hertz clock;
    if (answer) MessageReader(*answer) >> known >> clock;
    return known ? std::optional(clock) : std::nullopt;
  }

  DeviceCondition condition_now() override {
    MessageWriter request;
    request << Request::condition;
    const auto answer = ask(request);
    bool known = false;
    Watts power;
    DeviceCondition now;
    if (answer) MessageReader(*answer) >> known >> power >> now.throttled;
    if (known) now.power = power;
    return now;
  }

  /// What follows "well" in the answer. Without an answer the child is given up.
  Result<std::string> ask(const MessageWriter& request) const {
    if (!child_) return fail("the device's process has ended");
    const auto answer = child_->ask(request.bytes());
    if (!answer) {
      child_.reset();
      return fail("the device's process ended or hung");
    }
    MessageReader in(*answer);
    bool went_well = false;
    in >> went_well;
    if (!went_well) return failure(in);
    return answer->substr(sizeof went_well);
  }

  std::uint64_t generation() const { return generation_; }

 private:
  static tl::unexpected<Diagnostics> failure(MessageReader& in) {
    std::string message = "unknown";
    std::string hint;
    in >> message >> hint;
    return fail(std::move(message), {}, std::move(hint));
  }

  Open open_{};
  Seconds patience_{};
  mutable std::unique_ptr<Child> child_{};
  std::uint64_t generation_ = 0;  // of children
  DeviceFacts facts_{};
  ProbeLimits limits_{};
  std::vector<SupportedText> supported_text_{};
  std::vector<SupportedOp> supported_{};
};

/// The probe that the child has prepared last.
class IsolatedPrepared : public Prepared {
 public:
  explicit IsolatedPrepared(IsolatedBackend& backend)
      : backend_(backend), generation_(backend.generation()) {}
  ~IsolatedPrepared() override {
    MessageWriter request;
    request << Request::drop;
    if (generation_ == backend_.generation()) (void)backend_.ask(request);
  }
  IsolatedPrepared(const IsolatedPrepared&) = delete;
  IsolatedPrepared& operator=(const IsolatedPrepared&) = delete;

  Result<void> verify() override {
    MessageWriter request;
    request << Request::verify;
    const auto answer = backend_.ask(request);
    if (!answer) return tl::make_unexpected(answer.error());
    MessageReader(*answer) >> algorithm_;
    return {};
  }

  Result<Seconds> run(std::int64_t times) override {
    MessageWriter request;
    request << Request::run << times;
    const auto answer = backend_.ask(request);
    if (!answer) return tl::make_unexpected(answer.error());
    double seconds = 0;
    MessageReader(*answer) >> seconds;
    return Seconds{seconds};
  }

  std::string algorithm() const override { return algorithm_; }

 private:
  IsolatedBackend& backend_;
  std::uint64_t generation_ = 0;
  std::string algorithm_{};
};

// A lost child answers once more and then ends, which only shows when it is asked again.
Result<std::unique_ptr<Prepared>> IsolatedBackend::prepare(const Probe& probe) {
  MessageWriter request;
  request << Request::prepare << probe;
  MessageWriter still_there;
  still_there << Request::drop;
  if (!child_ || !ask(still_there)) {
    if (const auto started = start(); !started) return tl::make_unexpected(started.error());
  }
  if (const auto answer = ask(request); !answer) return tl::make_unexpected(answer.error());
  return std::make_unique<IsolatedPrepared>(*this);
}

}  // namespace

Result<std::unique_ptr<Backend>> open_isolated(Open open, Seconds patience) {
  auto backend = std::make_unique<IsolatedBackend>(std::move(open), patience);
  if (const auto started = backend->start(); !started) return tl::make_unexpected(started.error());
  return backend;
}

}  // namespace roofcast
