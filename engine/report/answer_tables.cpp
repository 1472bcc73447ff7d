#include "engine/report/answer_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/decide/recommend.hpp"
#include "engine/report/folded_rows.hpp"
#include "engine/report/numbers.hpp"

namespace roofcast {
namespace {

std::string limit_of(const AnswerRow& row) {
  return row.bound ? fmt::format("{} {}", to_string(*row.bound), percent(row.bound_share)) : std::string{};
}

std::string fits_of(const AnswerRow& row) {
  switch (row.memory.fits) {
    case Fit::yes: return "yes";
    case Fit::marginal: return "marginal";
    case Fit::no: return "no";
  }
  return {};
}

std::string milliseconds_of(const AnswerRow& row) {
  return row.latency ? three_digits(as_milliseconds(row.latency->p50)) : std::string("OOM");
}

std::string range_of(const AnswerRow& row) {
  if (!row.latency) return {};
  return fmt::format("{}-{}", three_digits(as_milliseconds(row.latency->p10)),
                     three_digits(as_milliseconds(row.latency->p90)));
}

std::string optional_number(const std::optional<double>& value) {
  return value ? three_digits(*value) : std::string{};
}

std::string gibibytes_of(Bytes amount) {
  return three_digits(as_gibibytes(amount));
}

// "samples/s" as a head of two lines.
std::string rate_head(const AnswerRow& row) {
  std::string head = row.throughput_unit;
  if (const auto slash = head.find('/'); slash != std::string::npos) head.insert(slash, "\n");
  return head;
}

template <class Has>
bool any_row(const std::vector<AnswerRow>& rows, Has&& has) {
  return std::ranges::any_of(rows, has);
}

// "batch" has its own column. What differs between phases, and the switches that make them, say nothing more.
std::string symbols_of(const std::vector<AnswerRow>& rows) {
  std::string text;
  for (const auto& [name, value] : rows.front().symbols) {
    const bool same = std::ranges::all_of(rows, [&, key = name, expected = value](const AnswerRow& row) {
      const auto found = row.symbols.find(key);
      return found != row.symbols.end() && found->second == expected;
    });
    const bool is_switch = is_serving_phase(rows.front()) && (name == "cached" || name == "positions");
    if (name != "batch" && !is_switch && (same || !is_serving_phase(rows.front())))
      text += fmt::format(", {} {}", name, value);
  }
  return text;
}

std::string grid_title(const AnswerGroup& group) {
  const AnswerRow& row = group.rows.front();
  return fmt::format("{} ({} GiB usable), {}{}, {}{}{}, {}", row.hw, gibibytes_of(row.memory.usable),
                     row.model, symbols_of(group.rows), row.task == Task::training ? "training" : "inference",
                     row.optimizer.empty() ? "" : " with ", row.optimizer, row.runtime);
}

std::string price_line(const AnswerRow& row) {
  const Price& price = *row.price;
  std::string text = fmt::format("price: ${:.2f} per GPU and hour, {}", price.per_gpu.value, price.cloud);
  if (!price.instance.empty()) text += " " + price.instance;
  if (price.cloud != "user") text += ", " + (price.as_of.empty() ? std::string("date unknown") : price.as_of);
  return text;
}

// Where the numbers shown come from, once if it is the same for all.
std::string evidence_line(const std::vector<AnswerRow>& rows) {
  const Evidence first = rows.front().evidence;
  if (any_row(rows, [&](const AnswerRow& row) { return row.evidence != first; })) return {};
  return fmt::format("basis of the times: {}", to_string(first));
}

const AnswerRow* chosen_row(const AnswerGroup& group) {
  if (group.recommended && *group.recommended < group.rows.size()) return &group.rows[*group.recommended];
  return smallest_row(group.rows);
}

}  // namespace

Table grid_table(const AnswerGroup& group, bool all) {
  Table table;
  const std::vector<AnswerRow>& rows = group.rows;
  if (rows.empty()) return table;
  // Phases of serving are measured in tokens, everything else in samples first.
  const bool phased = any_row(rows, is_serving_phase);
  const bool tokens = any_row(rows, [](const AnswerRow& row) { return row.tokens_per_second.has_value(); });
  const bool samples = !phased || !tokens;
  const bool prices =
      samples && any_row(rows, [](const AnswerRow& row) { return row.usd_per_million_samples.has_value(); });
  const bool token_prices =
      any_row(rows, [](const AnswerRow& row) { return row.usd_per_million_tokens.has_value(); });
  table.title = grid_title(group);
  using enum Alignment;
  table.columns = {{"", "recommended", left}};
  if (phased) table.columns.push_back({"phase", "phase", left});
  for (Column column :
       {Column{"precision", "precision", left}, Column{"batch", "batch", right},
        Column{"latency\nms", "latency_ms", right}, Column{"p10-p90\nms", "latency_range_ms", right}}) {
    table.columns.push_back(std::move(column));
  }
  if (samples) table.columns.push_back({rate_head(rows.front()), "throughput", right});
  if (tokens) table.columns.push_back({"tokens\n/s", "tokens_per_s", right, samples});
  table.columns.push_back({"memory\nGiB", "memory_gib", right});
  table.columns.push_back({"fits", "fits", left});
  table.columns.push_back({"limit", "limit", left});
  if (prices) table.columns.push_back({"$/M\nsamples", "usd_per_m_samples", right});
  if (token_prices) table.columns.push_back({"$/M\ntokens", "usd_per_m_tokens", right, samples});

  std::vector<std::size_t> shown = folded_rows(group);
  if (all || rows.size() - shown.size() < 2) {  // a line that says "1 more" takes as much room as that one
    shown.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) shown[i] = i;
  }
  for (const std::size_t i : shown) {
    const AnswerRow& row = rows[i];
    const bool best = group.recommended == i;
    Row line{.emphasis = best ? Emphasis::strong : row.latency ? Emphasis::none : Emphasis::weak};
    line.cells = {std::string(best ? "*" : "")};
    if (phased) line.cells.emplace_back(row.phase);
    for (std::string cell : {row.precision, grouped(row.batch), milliseconds_of(row), range_of(row)})
      line.cells.emplace_back(std::move(cell));
    if (samples) line.cells.emplace_back(optional_number(row.throughput));
    if (tokens) line.cells.emplace_back(optional_number(row.tokens_per_second));
    line.cells.emplace_back(gibibytes_of(row.memory.needed));
    line.cells.emplace_back(fits_of(row));
    line.cells.emplace_back(limit_of(row));
    if (prices) line.cells.emplace_back(optional_number(row.usd_per_million_samples));
    if (token_prices) line.cells.emplace_back(optional_number(row.usd_per_million_tokens));
    table.rows.push_back(std::move(line));
  }
  if (group.recommended) {
    table.footer.push_back(fmt::format("* recommended: smallest batch within 5% of the best throughput{}",
                                       phased ? " of " + rows[*group.recommended].phase : std::string{}));
  }
  if (shown.size() < rows.size()) {
    table.footer.push_back(fmt::format("{} more rows: --all or --format csv", rows.size() - shown.size()));
  }
  const auto priced = std::ranges::find_if(rows, [](const AnswerRow& row) { return row.price.has_value(); });
  if (priced != rows.end()) table.footer.push_back(price_line(*priced));
  if (std::string line = evidence_line(rows); !line.empty()) table.footer.push_back(std::move(line));
  return table;
}

Table comparison_table(const std::vector<AnswerGroup>& groups) {
  using enum Alignment;
  Table table{.title = "Recommended configuration of each"};
  table.columns = {{"hw", "hw", left},
                   {"model", "model", left},
                   {"precision", "precision", left},
                   {"batch", "batch", right},
                   {"latency\nms", "latency_ms", right},
                   {"per\nsecond", "throughput", right},
                   {"against\nfirst", "ratio", right},
                   {"memory\nGiB", "memory_gib", right},
                   {"fits", "fits", left, true},
                   {"limit", "limit", left, true},
                   {"$/M\nsamples", "usd_per_m_samples", right, true}};
  const bool phased = std::ranges::any_of(groups, [](const AnswerGroup& group) {
    const AnswerRow* row = chosen_row(group);
    return row != nullptr && is_serving_phase(*row);
  });
  constexpr std::ptrdiff_t after_model = 2;
  if (phased) table.columns.insert(table.columns.begin() + after_model, {"phase", "phase", left, true});
  const bool listed =
      std::ranges::any_of(groups, [](const AnswerGroup& group) { return !group.listed.empty(); });
  if (listed) table.columns.insert(table.columns.begin() + after_model, {"with", "symbols", left});
  std::map<std::string, double> first;  // by model: cards are compared, models are not
  for (const AnswerGroup& group : groups) {
    const AnswerRow* row = chosen_row(group);
    if (row == nullptr) continue;
    const double reference = first.try_emplace(row->model, row->throughput.value_or(0)).first->second;
    Row line{.emphasis = row->latency ? Emphasis::none : Emphasis::weak};
    const bool comparable = row->throughput && reference > 0;
    line.cells = {row->hw,
                  row->model,
                  row->precision,
                  grouped(row->batch),
                  milliseconds_of(*row),
                  optional_number(row->throughput),
                  comparable ? three_digits(*row->throughput / reference) + "x" : std::string{},
                  gibibytes_of(row->memory.needed),
                  fits_of(*row),
                  limit_of(*row),
                  optional_number(row->usd_per_million_samples)};
    if (phased) line.cells.insert(line.cells.begin() + after_model, Cell{row->phase});
    if (listed) line.cells.insert(line.cells.begin() + after_model, Cell{listed_values(group)});
    table.rows.push_back(std::move(line));
  }
  return table;
}

Table memory_table(const AnswerGroup& group) {
  using enum Alignment;
  Table table;
  const AnswerRow* row = chosen_row(group);
  if (row == nullptr) return table;
  const MemoryPlan& plan = row->memory;
  table.title = fmt::format("Memory at {}{}, batch {}", is_serving_phase(*row) ? row->phase + " in " : "",
                            row->precision, grouped(row->batch));
  table.columns = {{"category", "category", left}, {"GiB", "gib", right}, {"%", "percent", right}};
  const auto add = [&](std::string name, Bytes amount, bool share) {
    const double needed = plan.needed.value;
    const bool tiny = amount.value > 0 && as_gibibytes(amount) < 0.001;
    table.rows.push_back({{std::move(name), tiny ? std::string("<0.001") : gibibytes_of(amount),
                           share && needed > 0 ? percent(amount.value / needed) : std::string{}}});
  };
  for (std::size_t i = 0; i < memory_categories; ++i) {
    if (plan.by_category[i].value == 0) continue;
    std::string name(to_string(static_cast<MemoryCategory>(i)));
    std::ranges::replace(name, '_', ' ');
    if (name.starts_with("kv ")) name.replace(0, 2, "KV");
    add(std::move(name), plan.by_category[i], true);
  }
  add("needed", plan.needed, true);
  table.rows.back().emphasis = Emphasis::strong;
  add("reserved by the allocator", plan.reserved, false);
  add("shown by nvidia-smi", plan.device, false);
  add("usable on the card", plan.usable, false);
  return table;
}

}  // namespace roofcast
