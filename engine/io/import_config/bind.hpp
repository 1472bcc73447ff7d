#pragma once
// What `{ config = "hidden_size", ... }` in a family's file comes to in a configuration.

#include "engine/io/import_config/config.hpp"
#include "engine/io/toml_reader.hpp"

namespace roofcast {

/// The size that `rule` takes from the configuration, or its default, which may be an expression. Nothing
/// after a mistake, which has been noted with the rule.
std::optional<Expr> bind_size(TableReader rule, const Config& config);

/// The word that `rule` takes from the configuration, such as the name of an operator.
std::optional<std::string> bind_word(TableReader rule, const Config& config);

}  // namespace roofcast
