#include "engine/io/load_runtime.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "engine/io/file_rules.hpp"

namespace roofcast {
namespace {

bool read_fused_attention(TableReader& reader) {
  const std::string attention = reader.required_text("attention");
  const bool is_text = reader.has("attention") && reader.raw().get("attention")->is_string();
  if (is_text && attention != "fused" && attention != "unfused") {
    reader.complain(fmt::format("unknown attention '{}'", attention), reader.where("attention"),
                    "write \"fused\" (one kernel) or \"unfused\" (matmul, softmax, matmul)");
  }
  return attention != "unfused";
}

}  // namespace

Result<Runtime> load_runtime(std::string_view text, const std::string& file) {
  const auto parsed = parse_toml(text, file);
  if (!parsed) return tl::make_unexpected(parsed.error());
  Diagnostics problems;
  TableReader reader(*parsed, file, problems);
  Runtime runtime;
  runtime.name = std::filesystem::path(file).stem().string();
  check_schema(reader);
  runtime.title = filled_text(reader, "title");
  runtime.fused_attention = read_fused_attention(reader);
  runtime.launch = microseconds(positive_number(reader, "launch_us", Presence::required).value_or(0));
  runtime.context = mebibytes(positive_number(reader, "context_mib", Presence::required).value_or(0));
  runtime.sources = read_sources(reader, {"attention", "launch_us", "context_mib"});
  reader.finish();
  if (!problems.empty()) return tl::make_unexpected(in_file_order(std::move(problems)));
  return runtime;
}

}  // namespace roofcast
