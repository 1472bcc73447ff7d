#pragma once
// One thing to measure: an operator with its sizes, and what it has to do at least.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/units.hpp"
#include "kernels/attention_sizes.hpp"
#include "kernels/collective_sizes.hpp"
#include "kernels/convolution_sizes.hpp"

namespace roofcast {

/// Where a run finds its operands. Cold: in memory, because sets of buffers that are together larger than the
/// last-level cache take turns. Warm: wherever the run before has left them.
enum class Residency : std::uint8_t { cold, warm };

std::string_view to_string(Residency residency);

/// Burst: timed at the clock that a cool device has. Sustained: after seconds of the same, at the clock that
/// power and heat leave.
enum class Load : std::uint8_t { burst, sustained };

struct Probe {
  std::string op{};  ///< as tables of measured times name it (tests/validation/README.md), or stream_...
  std::string precision = "fp32";
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 0;                             ///< 0 where nothing is multiplied
  std::optional<AttentionSizes> attention{};      ///< then m rows of n values are its results
  std::optional<ConvolutionSizes> convolution{};  ///< then m, n and k mean nothing
  std::optional<CollectiveSizes> collective{};    ///< the same
  Residency residency = Residency::cold;
  Load load = Load::burst;
  std::string group{};  ///< probes too alike to judge each other

  // The least that any implementation does: padding, and lines that are read to be overwritten, are left out.
  Flops operations{};
  Bytes read{};
  Bytes written{};
};

inline bool is_product(const Probe& probe) {
  return probe.k > 0;
}

/// Bytes of an operand's value as it is stored: 4 of fp32 and tf32, 2 of fp16 and bf16, 1 of int8 and fp8.
double value_bytes(std::string_view precision);

/// Bytes of a product's result: int8 is summed up in 32 bits, fp8 is written as bf16, others as they came.
double product_bytes(std::string_view precision);

/// "gemm fp32 128x256x64 cold", "attention_prefill bf16 b2 q512 kv512 h16/16 d64 cold",
/// "conv2d fp16 8x64x56 to 256 k1s1p0 cold", "all_reduce bf16 4096 bytes on 8 warm"; those under load end in
/// " sustained". No two probes of a list have the same name.
std::string name(const Probe& probe);

}  // namespace roofcast
