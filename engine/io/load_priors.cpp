#include "engine/io/load_priors.hpp"

#include "engine/io/read_priors.hpp"

namespace roofcast {

Result<Priors> load_priors(std::string_view text, const std::string& file, const FindPriors& find) {
  const auto parsed = parse_toml(text, file);
  if (!parsed) return tl::make_unexpected(parsed.error());
  Diagnostics problems;
  TableReader reader(*parsed, file, problems);
  auto read = read_priors(reader, file, find, problems);
  if (!read) return tl::make_unexpected(read.error());
  reader.finish();
  if (!problems.empty()) return tl::make_unexpected(in_file_order(std::move(problems)));
  return std::move(read->priors);
}

}  // namespace roofcast
