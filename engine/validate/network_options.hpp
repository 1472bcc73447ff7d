#pragma once
// A network's row as what the engine is asked: the one place where columns become options.

#include "engine/predict.hpp"
#include "engine/validate/measured_row.hpp"
#include "engine/validate/outcome.hpp"

namespace roofcast {

/// The policy of the row's element types and switches.
Predicted<PrecisionPolicy> network_precision(const NetworkRow& row);

/// Options for a row that ran under `runtime`. No prediction for what the engine does not have, such as
/// adapters or recomputation. `overridden` is left empty.
Predicted<CompileOptions> network_options(const NetworkRow& row, const Runtime& runtime);

}  // namespace roofcast
