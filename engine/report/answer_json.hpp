#pragma once
// One configuration as JSON. Only for this folder's .cpp files.

#include "engine/decide/answer.hpp"
#include "engine/report/json.hpp"

namespace roofcast {

Json row_json(const AnswerRow& row, bool recommended);

}  // namespace roofcast
