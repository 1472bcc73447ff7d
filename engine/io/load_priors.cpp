#include "engine/io/load_priors.hpp"

#include <fmt/format.h>

#include "engine/io/file_rules.hpp"

namespace roofcast {
namespace {

double read_share(TableReader& table, std::string_view key) {
  const auto share = positive_number(table, key, Presence::required);
  if (share && *share > 1.0) {
    table.complain(fmt::format("'{}' must be at most 1, not {}", key, *share), table.where(key));
  }
  return share.value_or(1.0);
}

void read_efficiencies(TableReader& reader, Priors& priors) {
  const bool present = reader.has("efficiency");
  TableReader efficiency = reader.table("efficiency", true);
  if (!present) return;
  for (std::size_t i = 0; i < kernel_families; ++i) {
    const std::string_view name = to_string(static_cast<KernelFamily>(i));
    const bool family_present = efficiency.has(name);
    TableReader table = efficiency.table(name, true);
    if (!family_present) continue;
    priors.efficiency[i] = {.compute = read_share(table, "compute"), .memory = read_share(table, "memory")};
    table.finish();
  }
  efficiency.finish();
}

}  // namespace

Result<Priors> load_priors(std::string_view text, const std::string& file) {
  const auto parsed = parse_toml(text, file);
  if (!parsed) return tl::make_unexpected(parsed.error());
  Diagnostics problems;
  TableReader reader(*parsed, file, problems);
  Priors priors;
  check_schema(reader);
  priors.spread = positive_number(reader, "spread", Presence::required).value_or(2.0);
  if (priors.spread < 1.0) {
    reader.complain(fmt::format("'spread' must be at least 1, not {}", priors.spread), reader.where("spread"),
                    "it is a factor: 80% of times lie within [p50 / spread, p50 * spread]");
  }
  priors.memory_spread = positive_number(reader, "memory_spread", Presence::required).value_or(0.1);
  if (priors.memory_spread > 1.0) {
    reader.complain(fmt::format("'memory_spread' must be at most 1, not {}", priors.memory_spread),
                    reader.where("memory_spread"),
                    "it is the part of the needed memory that may come on top");
  }
  read_efficiencies(reader, priors);
  priors.sources = read_sources(reader, {"efficiency", "spread", "memory_spread"});
  reader.finish();
  if (!problems.empty()) return tl::make_unexpected(in_file_order(std::move(problems)));
  return priors;
}

}  // namespace roofcast
