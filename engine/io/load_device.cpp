#include "engine/io/load_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "engine/hardware/arithmetic_keys.hpp"
#include "engine/io/file_rules.hpp"

namespace roofcast {
namespace {

constexpr auto required = Presence::required;
constexpr auto optional = Presence::optional;

void read_names(TableReader& file, Device& device) {
  device.name = filled_text(file, "name");
  device.vendor = filled_text(file, "vendor");
  device.aliases = file.texts("aliases");
  TableReader assumed = file.table("assumed_aliases");
  for (const auto& [key, node] : assumed.raw()) {
    const std::string alias(key.str());
    device.assumed_aliases.emplace(alias, filled_text(assumed, alias));
  }
}

void read_rates(TableReader& compute, Device& device) {
  TableReader rates = compute.table("flops_per_clock_per_sm", true);
  const bool has_tensor_cores = rates.has("tensor");
  TableReader vector = rates.table("vector", rates.raw().size() > 0);
  TableReader tensor = rates.table("tensor");
  for (const ArithmeticKey& key : arithmetic_keys()) {
    const bool always =
        key.arithmetic == Arithmetic::vector_fp64 || key.arithmetic == Arithmetic::vector_fp32;
    device.operations_per_clock_per_sm[static_cast<std::size_t>(key.arithmetic)] = positive_number(
        key.tensor ? tensor : vector, key.rate, always && vector.raw().size() > 0 ? required : optional);
  }
  vector.finish();
  tensor.finish();
  rates.finish();
  if (has_tensor_cores && !compute.has("tensor_clock_mhz")) {
    compute.complain("'compute.tensor_clock_mhz' is missing: the card has tensor rates", compute.where(),
                     "write the clock that the quoted tensor figures assume; often the boost clock");
  }
}

void read_compute(TableReader& file, Device& device) {
  const bool present = file.has("compute");
  TableReader compute = file.table("compute", true);
  if (!present) return;
  device.architecture = filled_text(compute, "architecture");
  device.compute_capability = filled_text(compute, "compute_capability");
  device.sm_count = positive_integer(compute, "sm_count", required).value_or(0);
  device.base_clock = megahertz(positive_number(compute, "base_clock_mhz", optional).value_or(0));
  device.boost_clock = megahertz(positive_number(compute, "boost_clock_mhz", required).value_or(0));
  device.tensor_clock = megahertz(positive_number(compute, "tensor_clock_mhz", optional).value_or(0));
  device.running_clock = megahertz(positive_number(compute, "running_clock_mhz", optional).value_or(0));
  read_rates(compute, device);
  compute.finish();
}

void read_memory(TableReader& file, Device& device) {
  const bool present = file.has("memory");
  TableReader memory = file.table("memory", true);
  if (!present) return;
  device.memory_type = filled_text(memory, "type");
  device.memory_bus_bits = positive_integer(memory, "bus_bits", required).value_or(0);
  device.capacity = mebibytes(positive_number(memory, "capacity_mib", required).value_or(0));
  device.usable = {std::floor(gibibytes(positive_number(memory, "usable_gib", required).value_or(0)).value)};
  device.bandwidth =
      gigabytes_per_second(positive_number(memory, "bandwidth_gbytes_per_s", required).value_or(0));
  device.l2 = mebibytes(positive_number(memory, "l2_mib", required).value_or(0));
  if (device.capacity.value > 0 && device.usable > device.capacity) {
    memory.complain(fmt::format("'usable_gib' is above 'capacity_mib': {} GiB of {} GiB",
                                as_gibibytes(device.usable), as_gibibytes(device.capacity)),
                    memory.where("usable_gib"));
  }
  memory.finish();
}

void read_sm(TableReader& file, Device& device) {
  const bool present = file.has("sm");
  TableReader sm = file.table("sm", true);
  if (!present) return;
  const auto kibibytes = [&](std::string_view key) {
    return mebibytes(positive_number(sm, key, required).value_or(0) / 1024.0);
  };
  device.shared_memory_per_sm = kibibytes("shared_memory_kib");
  device.l1_and_shared_per_sm = kibibytes("l1_and_shared_kib");
  device.registers_per_sm = kibibytes("registers_kib");
  device.threads_per_sm = positive_integer(sm, "max_threads", required).value_or(0);
  sm.finish();
}

void read_links(TableReader& file, Device& device) {
  const bool present = file.has("links");
  TableReader links = file.table("links", true);
  if (!present) return;
  const Presence nvlink =
      links.has("nvlink_generation") || links.has("nvlink_gbytes_per_s") ? required : optional;
  device.nvlink_generation = positive_integer(links, "nvlink_generation", nvlink).value_or(0);
  if (const auto rate = positive_number(links, "nvlink_gbytes_per_s", nvlink)) {
    device.nvlink = gigabytes_per_second(*rate);
  }
  device.pcie_generation = positive_integer(links, "pcie_generation", required).value_or(0);
  device.pcie_lanes = positive_integer(links, "pcie_lanes", required).value_or(0);
  links.finish();
}

void read_board(TableReader& file, Device& device) {
  const bool present = file.has("board");
  TableReader board = file.table("board", true);
  if (!present) return;
  device.board_power = Watts{positive_number(board, "tdp_watts", required).value_or(0)};
  device.launch_year = positive_integer(board, "launch_year", required).value_or(0);
  if (const auto price = positive_number(board, "launch_price_usd", optional))
    device.launch_price = Usd{*price};
  board.finish();
}

void read_quoted(TableReader& file, Device& device) {
  TableReader quoted = file.table("quoted");
  for (const ArithmeticKey& key : arithmetic_keys()) {
    if (const auto rate = positive_number(quoted, key.quoted, optional)) {
      device.quoted_tera.emplace(key.quoted, *rate);
    }
  }
  device.unchecked_quotes = quoted.texts("unchecked");
  for (const ArithmeticKey& key : arithmetic_keys()) {
    const auto rate = device.quoted_tera.find(std::string(key.quoted));
    const auto peak = device.peak(key.arithmetic);
    const bool unchecked =
        std::ranges::find(device.unchecked_quotes, key.quoted) != device.unchecked_quotes.end();
    if (rate == device.quoted_tera.end() || !peak || unchecked) continue;
    constexpr double tolerance = 0.03;
    const double derived = peak->value / 1e12;
    if (derived <= 0) continue;  // a mistake that has its own message
    if (std::abs(derived / rate->second - 1.0) <= tolerance) continue;
    quoted.complain(fmt::format("'quoted.{}' is {:.4g}, but clock, SMs and rate per clock give {:.4g}",
                                key.quoted, rate->second, derived),
                    quoted.where(key.quoted),
                    "one of them is mistyped, or the quote is known to differ: then list it in 'unchecked'");
  }
  for (const std::string& name : device.unchecked_quotes) {
    if (device.quoted_tera.contains(name)) continue;
    std::vector<std::string> names;
    for (const auto& [known, rate] : device.quoted_tera) names.push_back(known);
    quoted.complain(fmt::format("'unchecked' names '{}', which is not quoted here", name),
                    quoted.where("unchecked"), did_you_mean(name, names));
  }
  quoted.finish();
}

std::vector<std::string> tables_that_need_a_source(const TableReader& file) {
  std::vector<std::string> needed = {"compute", "flops_per_clock_per_sm", "memory", "sm", "links", "board"};
  if (file.has("quoted")) needed.emplace_back("quoted");
  return needed;
}

}  // namespace

Result<Device> load_device(std::string_view text, const std::string& file) {
  const auto parsed = parse_toml(text, file);
  if (!parsed) return tl::make_unexpected(parsed.error());
  Diagnostics problems;
  TableReader reader(*parsed, file, problems);
  Device device;
  device.slug = std::filesystem::path(file).stem().string();
  check_schema(reader);
  read_names(reader, device);
  read_compute(reader, device);
  read_memory(reader, device);
  read_sm(reader, device);
  read_links(reader, device);
  read_board(reader, device);
  read_quoted(reader, device);
  device.sources = read_sources(reader, tables_that_need_a_source(reader));
  reader.finish();
  if (!problems.empty()) return tl::make_unexpected(in_file_order(std::move(problems)));
  return device;
}

}  // namespace roofcast
