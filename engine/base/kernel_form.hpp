#pragma once
// What a kernel computes, as data. `Dim` is an expression while a program is built, a slot once it is
// compiled and a number when it is timed.

#include <array>
#include <cstdint>
#include <string_view>
#include <variant>

namespace roofcast {

enum class Pass : std::uint8_t { forward, input_gradient, weight_gradient, backward };

/// C[batch, m, n] = A[batch, m, k] * B[batch, k, n]
template <class Dim>
struct Gemm {
  Dim batch{1};
  Dim m{1};
  Dim n{1};
  Dim k{1};
};

/// Convolution over up to three spatial axes; unused leading axes have size 1. Channels are totals over all
/// groups. Sizes are those of the forward pass whatever the pass; a transposed convolution is the input
/// gradient of its mirror.
template <class Dim>
struct Convolution {
  Pass pass = Pass::forward;
  Dim batch{1};
  Dim in_channels{1};
  Dim out_channels{1};
  Dim groups{1};
  std::array<Dim, 3> input{Dim{1}, Dim{1}, Dim{1}};
  std::array<Dim, 3> output{Dim{1}, Dim{1}, Dim{1}};
  std::array<Dim, 3> kernel{Dim{1}, Dim{1}, Dim{1}};
  std::array<Dim, 3> stride{Dim{1}, Dim{1}, Dim{1}};
  bool channels_last = false;  ///< activations are stored [batch, spatial..., channels]
};

/// softmax(Q K^T) V in one kernel that never writes the scores.
template <class Dim>
struct Attention {
  Pass pass = Pass::forward;
  Dim batch{1};
  Dim heads{1};
  Dim kv_heads{1};
  Dim query_length{1};
  Dim key_length{1};
  Dim head_size{1};
  Dim window{0};  ///< keys that a query sees at most; 0: all
  bool causal = false;
};

enum class StreamKind : std::uint8_t {
  elementwise,
  gated_activation,  ///< two halves of a row become one
  normalization,     ///< of rows, or of groups of channels
  rms_normalization,
  batch_normalization,
  softmax,
  reduction,
  pooling,  ///< and interpolation
  copy,
  transpose,  ///< a copy that changes the order of dimensions
  optimizer
};
inline constexpr std::size_t stream_kinds = 11;

std::string_view to_string(StreamKind kind);

/// Reads and writes each element a fixed number of times: time follows the bytes.
template <class Dim>
struct Stream {
  StreamKind kind = StreamKind::elementwise;
  Dim elements{1};
  Dim row{0};  ///< elements that are reduced together; 0: none
};

/// Reads or writes rows of a table at computed places.
template <class Dim>
struct Gather {
  bool scatter = false;
  Dim rows{1};
  Dim row_elements{1};
};

template <class Dim>
using KernelForm = std::variant<Gemm<Dim>, Convolution<Dim>, Attention<Dim>, Stream<Dim>, Gather<Dim>>;

/// The same form with each dimension replaced by `change(dimension)`.
template <class To, class From, class Change>
KernelForm<To> map_dimensions(const KernelForm<From>& form, Change&& change) {
  const auto three = [&](const std::array<From, 3>& axes) {
    return std::array<To, 3>{change(axes[0]), change(axes[1]), change(axes[2])};
  };
  if (const auto* gemm = std::get_if<Gemm<From>>(&form)) {
    return Gemm<To>{change(gemm->batch), change(gemm->m), change(gemm->n), change(gemm->k)};
  }
  if (const auto* conv = std::get_if<Convolution<From>>(&form)) {
    return Convolution<To>{
        conv->pass,           change(conv->batch), change(conv->in_channels), change(conv->out_channels),
        change(conv->groups), three(conv->input),  three(conv->output),       three(conv->kernel),
        three(conv->stride),  conv->channels_last};
  }
  if (const auto* attention = std::get_if<Attention<From>>(&form)) {
    return Attention<To>{attention->pass,
                         change(attention->batch),
                         change(attention->heads),
                         change(attention->kv_heads),
                         change(attention->query_length),
                         change(attention->key_length),
                         change(attention->head_size),
                         change(attention->window),
                         attention->causal};
  }
  if (const auto* stream = std::get_if<Stream<From>>(&form)) {
    return Stream<To>{stream->kind, change(stream->elements), change(stream->row)};
  }
  const auto& gather = std::get<Gather<From>>(form);
  return Gather<To>{gather.scatter, change(gather.rows), change(gather.row_elements)};
}

/// Bytes that a kernel reads, and the bytes that went through the device's cache since somebody touched them
/// last.
template <class Dim>
struct Reuse {
  Dim bytes{0};
  Dim distance{0};
};

/// So many are told apart for each kernel.
inline constexpr std::size_t most_reused = 3;

/// The kernel families that time models and efficiencies are kept for.
enum class KernelFamily : std::uint8_t {
  gemm,
  convolution,
  depthwise_convolution,
  attention,
  elementwise,
  normalization,
  softmax,
  reduction,
  pooling,
  copy,
  optimizer,
  gather
};
inline constexpr std::size_t kernel_families = 12;

std::string_view to_string(KernelFamily family);

/// The family of a form with known sizes. A convolution with as many groups as input channels is depthwise.
KernelFamily family(const KernelForm<std::int64_t>& form);

}  // namespace roofcast
