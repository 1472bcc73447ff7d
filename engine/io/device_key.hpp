#pragma once
// How spellings of a card's name are compared.

#include <string>
#include <string_view>

namespace roofcast {

/// Lower case, letters and digits only, without leading `nvidia`, `geforce`, `tesla` and `quadro`:
/// "NVIDIA GeForce RTX 3090" and "rtx-3090" are both "rtx3090".
std::string device_key(std::string_view name);

}  // namespace roofcast
