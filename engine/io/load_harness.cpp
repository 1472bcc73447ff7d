#include "engine/io/load_harness.hpp"

#include <filesystem>

#include "engine/io/file_rules.hpp"

namespace roofcast {

Result<Harness> load_harness(std::string_view text, const std::string& file) {
  const auto parsed = parse_toml(text, file);
  if (!parsed) return tl::make_unexpected(parsed.error());
  Diagnostics problems;
  TableReader reader(*parsed, file, problems);
  check_schema(reader);
  Harness harness{.name = std::filesystem::path(file).stem().string(), .title = filled_text(reader, "title")};
  harness.weight_copies = positive_integer(reader, "weight_copies", Presence::required).value_or(1);
  harness.cold = reader.flag("cold").value_or(false);
  TableReader overhead = reader.table("overhead_us");
  for (std::size_t i = 0; i < kernel_families; ++i) {
    const std::string_view family = to_string(static_cast<KernelFamily>(i));
    if (!overhead.has(family)) continue;
    harness.overhead[i] = microseconds(positive_number(overhead, family, Presence::required).value_or(0));
  }
  overhead.finish();
  harness.sources = read_sources(reader, {"overhead_us", "weight_copies"});
  reader.finish();
  if (!problems.empty()) return tl::make_unexpected(in_file_order(std::move(problems)));
  return harness;
}

}  // namespace roofcast
