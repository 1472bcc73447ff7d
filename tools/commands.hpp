#pragma once
// The commands. Each returns an exit code.

#include "engine/io/data_folder.hpp"
#include "tools/options.hpp"

namespace roofcast {

int estimate_command(const DataFolder& data, const Options& options);
int explain_command(const DataFolder& data, const Options& options);
int list_command(const DataFolder& data, const Options& options);
int show_command(const DataFolder& data, const Options& options);
int validate_command(const DataFolder& data, const Options& options);

}  // namespace roofcast
