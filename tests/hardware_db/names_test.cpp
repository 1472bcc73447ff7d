// Spellings that people use, and which card they mean.

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <sstream>
#include <utility>

#include "tests/hardware_db/database.hpp"

namespace roofcast {
namespace {

std::string slug_of(const std::string& name) {
  const auto found = data_folder().find_device(name);
  return found ? found->device.slug : to_string(found.error());
}

TEST_CASE("names: slugs, names of nvidia-smi and short forms") {
  constexpr std::array<std::pair<const char*, const char*>, 32> names = {{
      {"a100-sxm4-80gb", "a100-sxm4-80gb"},
      {"NVIDIA A100-SXM4-80GB", "a100-sxm4-80gb"},
      {"NVIDIA A100-SXM4-40GB", "a100-sxm4-40gb"},
      {"NVIDIA A100-PCIE-40GB", "a100-pcie-40gb"},
      {"NVIDIA A100 80GB PCIe", "a100-pcie-80gb"},
      {"a100-80gb-sxm", "a100-sxm4-80gb"},
      {"NVIDIA H100 80GB HBM3", "h100-sxm5-80gb"},
      {"NVIDIA H100 PCIe", "h100-pcie-80gb"},
      {"H100-SXM-80GB", "h100-sxm5-80gb"},
      {"NVIDIA H100 NVL", "h100-nvl-94gb"},
      {"NVIDIA H200", "h200-sxm-141gb"},
      {"NVIDIA GeForce RTX 3090", "rtx-3090"},
      {"3090", "rtx-3090"},
      {"rtx3090", "rtx-3090"},
      {"RTX 4090", "rtx-4090"},
      {"NVIDIA GeForce RTX 5090", "rtx-5090"},
      {"NVIDIA GeForce GTX 1080 Ti", "gtx-1080-ti"},
      {"gtx1080ti", "gtx-1080-ti"},
      {"Tesla T4", "t4"},
      {"T4", "t4"},
      {"Tesla V100-SXM2-16GB", "v100-sxm2-16gb"},
      {"Tesla V100-SXM2-32GB", "v100-sxm2-32gb"},
      {"Tesla P100-PCIE-16GB", "p100-pcie-16gb"},
      {"NVIDIA L4", "l4"},
      {"NVIDIA L40S", "l40s"},
      {"NVIDIA A10G", "a10g"},
      {"NVIDIA A10", "a10"},
      {"NVIDIA RTX A6000", "rtx-a6000"},
      {"NVIDIA RTX 6000 Ada Generation", "rtx-6000-ada"},
      {"Quadro RTX 6000", "quadro-rtx-6000"},
      {"NVIDIA TITAN V", "titan-v"},
      {"TITAN RTX", "titan-rtx"},
  }};
  for (const auto& entry : names) {
    const char* name = entry.first;
    const char* slug = entry.second;
    CAPTURE(name);
    CHECK(slug_of(name) == slug);
  }
}

TEST_CASE("names: ones that leave a choice are taken for something, with a note") {
  for (const char* name : {"a100", "h100", "a100-40gb", "a100-80gb", "v100", "h200"}) {
    CAPTURE(name);
    const auto found = data_folder().find_device(name);
    REQUIRE(found.has_value());
    const bool exact =
        found->device.slug == name || std::ranges::count(found->device.aliases, name) > 0 ||
        found->device.name == std::string("NVIDIA ") + static_cast<char>(std::toupper(name[0])) + (name + 1);
    CHECK(found->note.empty() == exact);
  }
}

TEST_CASE("names: every slug, name and alias of the database means its own card") {
  for (const Device& device : all_devices()) {
    std::vector<std::string> names = device.aliases;
    names.push_back(device.slug);
    names.push_back(device.name);
    for (const std::string& name : names) {
      CAPTURE(name);
      CHECK(slug_of(name) == device.slug);
    }
    for (const auto& entry : device.assumed_aliases) {
      const std::string& name = entry.first;
      CAPTURE(name);
      const auto found = data_folder().find_device(name);
      REQUIRE(found.has_value());
      CHECK(found->device.slug == device.slug);
      CHECK(found->note == entry.second);
    }
  }
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> all;
  std::stringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) all.push_back(cell);
  return all;
}

// Measurements that may lie beside the project name cards in their own spelling; columns hw and slug.
TEST_CASE("names: spellings of measured cards mean the cards that they were measured on") {
  const std::filesystem::path file = source_dir().parent_path() / "shared" / "measured" / "devices.csv";
  if (!std::filesystem::exists(file)) {
    MESSAGE("skipped: there is no ../shared/measured/devices.csv");
    return;
  }
  std::ifstream stream(file);
  std::string line;
  REQUIRE(std::getline(stream, line));
  if (!line.empty() && line.back() == '\r') line.pop_back();
  REQUIRE(line.starts_with("hw,slug,"));
  int rows = 0;
  while (std::getline(stream, line)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const std::vector<std::string> row = cells(line);
    if (row.size() < 2) continue;
    CAPTURE(row[0]);
    CHECK(slug_of(row[0]) == row[1]);
    ++rows;
  }
  MESSAGE(rows, " spellings checked");
  CHECK(rows > 0);
}

}  // namespace
}  // namespace roofcast
