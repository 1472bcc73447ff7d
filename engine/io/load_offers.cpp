#include "engine/io/load_offers.hpp"

#include <fmt/format.h>

#include "engine/io/file_rules.hpp"

namespace roofcast {
namespace {

Offer read_offer(TableReader& table, const std::string& cloud) {
  Offer offer{.cloud = cloud};
  offer.gpu = filled_text(table, "gpu");
  offer.instance = filled_text(table, "instance");
  offer.gpu_count = positive_integer(table, "gpu_count", Presence::required).value_or(1);
  offer.region = table.text("region").value_or("");
  if (const auto price = positive_number(table, "usd_per_hour", Presence::optional)) {
    offer.on_demand = UsdPerHour{*price};
  }
  if (const auto price = positive_number(table, "spot_usd_per_hour", Presence::optional)) {
    offer.spot = UsdPerHour{*price};
  }
  if (!table.has("usd_per_hour") && !table.has("spot_usd_per_hour")) {
    table.complain("an offer needs 'usd_per_hour' or 'spot_usd_per_hour'", table.where());
  }
  offer.as_of = read_date(table, "as_of");
  read_date(table, "spot_as_of");  // checked; nothing uses spot prices yet
  offer.source = filled_text(table, "source");
  const auto confidence = table.text("confidence");
  if (confidence && *confidence != "low") {
    table.complain(fmt::format("unknown confidence '{}'", *confidence), table.where("confidence"),
                   "write \"low\" for a price to doubt, else leave the key out");
  }
  offer.doubtful = confidence.has_value();
  table.finish();
  return offer;
}

}  // namespace

Result<std::vector<Offer>> load_offers(std::string_view text, const std::string& file) {
  const auto parsed = parse_toml(text, file);
  if (!parsed) return tl::make_unexpected(parsed.error());
  Diagnostics problems;
  TableReader reader(*parsed, file, problems);
  check_schema(reader);
  const std::string cloud = filled_text(reader, "name");
  filled_text(reader, "title");
  std::vector<Offer> offers;
  for (TableReader& table : reader.tables("offer")) offers.push_back(read_offer(table, cloud));
  reader.finish();
  if (!problems.empty()) return tl::make_unexpected(in_file_order(std::move(problems)));
  return offers;
}

}  // namespace roofcast
