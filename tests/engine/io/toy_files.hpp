#pragma once
// Small data files for tests, and a folder to put them in that goes away again.

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace roofcast {

inline const std::string toy_device_file = R"(schema = 1
name = "NVIDIA Toy 8GB"
vendor = "nvidia"
aliases = ["toy-sxm"]
[assumed_aliases]
toy = "toy names two cards; taken as 8 GB"

[compute]
architecture = "toy"
compute_capability = "8.0"
sm_count = 10
base_clock_mhz = 800
boost_clock_mhz = 1000
tensor_clock_mhz = 900

[compute.flops_per_clock_per_sm.vector]
fp64 = 4
fp32 = 128

[compute.flops_per_clock_per_sm.tensor]
fp16_fp32_accumulate = 512

[memory]
type = "HBM2"
bus_bits = 1024
capacity_mib = 8192
usable_gib = 7.5
bandwidth_gbytes_per_s = 100
l2_mib = 4

[sm]
shared_memory_kib = 100
l1_and_shared_kib = 128
registers_kib = 256
max_threads = 2048

[links]
pcie_generation = 4
pcie_lanes = 16

[board]
tdp_watts = 100
launch_year = 2020
[quoted]
fp32_tflops = 1.28
unchecked = []


[sources]
compute = "made up"
flops_per_clock_per_sm = "made up"
memory = "made up"
sm = "made up"
links = "made up"
board = "made up"
quoted = "made up"
)";

/// An empty folder for one test, deleted with it.
class ScratchFolder {
 public:
  ScratchFolder() {
    static std::atomic<int> count{0};
    path_ = std::filesystem::temp_directory_path() /
            ("roofcast-test-" + std::to_string(getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void write(const std::filesystem::path& file, std::string_view text) const {
    std::filesystem::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file, std::ios::binary) << text;
  }

 private:
  std::filesystem::path path_{};
};

}  // namespace roofcast
