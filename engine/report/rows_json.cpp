#include "engine/report/rows_json.hpp"

#include "engine/report/json.hpp"

namespace roofcast {

std::string rows_json(const Document& rows, const std::string& name) {
  Json list = Json::array();
  for (const Block& block : rows.blocks) {
    const auto* table = std::get_if<Table>(&block);
    if (table == nullptr) continue;
    for (const Row& row : table->rows) {
      Json object = Json::object();
      for (std::size_t i = 0; i < row.cells.size(); ++i)
        object[table->columns[i].key] = json_cell(row.cells[i]);
      list.push_back(std::move(object));
    }
    break;
  }
  return dumped(Json{{"schema_version", 1}, {name, std::move(list)}});
}

}  // namespace roofcast
