#include "kernels/cpu/cpu_facts.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>

#include "kernels/cpu/blas.hpp"

namespace roofcast {
namespace {

/// What follows `key` and a colon in a file of lines "key : value"; empty if no line has it.
std::string value_of(const char* file, std::string_view key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':');
    if (!line.starts_with(key) || colon == std::string::npos) continue;
    const auto first = line.find_first_not_of(" \t", colon + 1);
    return first == std::string::npos ? std::string{} : line.substr(first);
  }
  return {};
}

/// "MemAvailable:   23110748 kB"
Bytes memory_line(std::string_view key) {
  const std::string value = value_of("/proc/meminfo", key);
  return value.empty() ? Bytes{} : Bytes{1024.0 * std::stod(value)};
}

std::string vendor_name(const std::string& id) {
  if (id == "AuthenticAMD") return "amd";
  if (id == "GenuineIntel") return "intel";
  return id.empty() ? "unknown" : id;
}

std::string first_line(const std::string& file) {
  std::ifstream lines(file);
  std::string line;
  std::getline(lines, line);
  return line;
}

/// How many numbers "0-3,8" lists: 5. At least 1.
int listed(const std::string& list) {
  int count = 0;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto dash = part.find('-');
    count += dash == std::string::npos ? 1 : std::stoi(part.substr(dash + 1)) - std::stoi(part) + 1;
  }
  return std::max(count, 1);
}

struct Cache {
  int level = 0;
  Bytes size{};  ///< of one, which `shared_by` processors share
  int shared_by = 1;
};

/// The cache for data of the highest level that is not above `highest`, as the system's files describe those
/// of the first processor. Level 0 if there are no such files.
Cache cache(int highest) {
  Cache found;
  for (int i = 0; i < 8; ++i) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", i);
    const std::string size = first_line(folder + "size");  // "8192K"
    const std::string level = first_line(folder + "level");
    if (size.empty() || level.empty() || first_line(folder + "type") == "Instruction") continue;
    if (std::stoi(level) <= found.level || std::stoi(level) > highest) continue;
    found = {std::stoi(level), Bytes{1024.0 * std::stod(size)},
             listed(first_line(folder + "shared_cpu_list"))};
  }
  return found;
}

}  // namespace

DeviceFacts cpu_facts() {
  utsname system{};
  const bool known = ::uname(&system) == 0;
  const std::string model = value_of("/proc/cpuinfo", "model name");
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  constexpr int any_level = 9;
  const Cache last = cache(any_level);
  return {.name = model.empty() ? "unknown processor" : model,
          .vendor = vendor_name(value_of("/proc/cpuinfo", "vendor_id")),
          .driver = known ? fmt::format("{} {}", system.sysname, system.release) : std::string{},
          .libraries = blas_version(),
          .units = cores,
          .memory = memory_line("MemTotal"),
          .usable = memory_line("MemAvailable"),
          .last_level_cache = last.size * std::max(1, cores / last.shared_by),
          .first_level_cache = cache(1).size};
}

}  // namespace roofcast
