#pragma once
// The time of a convolution, by the algorithm that libraries take for its sizes.

#include "engine/base/kernel_form.hpp"
#include "engine/kernel_time/gemm.hpp"

namespace roofcast {

enum class ConvolutionAlgorithm : std::uint8_t { implicit_gemm, winograd, fused_winograd, fft, direct };

std::string_view to_string(ConvolutionAlgorithm algorithm);

/// A convolution with what it moves.
struct ConvolutionWork {
  Convolution<std::int64_t> form{};
  Arithmetic arithmetic = Arithmetic::vector_fp32;
  Bytes read{};
  Bytes written{};
  double cached = 0;  ///< share of `read` that is in the L2 cache already, in [0, 1]
  bool channels_last = false;
};

struct ConvolutionTime {
  Seconds total{};
  Seconds launch{};
  Seconds product{};    ///< the matrix products
  Seconds transform{};  ///< Winograd's transforms, changes of layout
  ConvolutionAlgorithm algorithm = ConvolutionAlgorithm::implicit_gemm;
  double executed_macs = 0;  ///< by the chosen algorithm
  GemmTime gemm{};           ///< of one product; for `direct` the memory terms only
};

/// Implicit GEMM (Chetlur et al., "cuDNN", 2014), with P x Q outputs and R x S taps:
///
///     pass             m        n                  k
///     forward          N P Q    C_out / g          C_in / g R S
///     input gradient   N H W    C_in / g           C_out / g R S / stride^2
///     weight gradient  C_out/g  C_in / g R S       N P Q
///
/// Winograd F(4x4, 3x3) for 3 x 3 with stride 1 (Lavin, Gray, "Fast algorithms for convolutional neural
/// networks", 2016): 36 products of ceil(P/4) ceil(Q/4) N x C_out x C_in, which multiply 4 times less,
/// between transforms that read and write 2.25 times the inputs and outputs. F(2x2, 3x3) in one kernel
/// multiplies 2.25 times less; the faster of the two. Only in fp32 on vector units: Tensor Cores are faster
/// without.
///
/// FFT for larger windows with stride 1 (Mathieu, Henaff, LeCun, "Fast training of convolutional networks
/// through FFTs", 2014), over tiles of 32 x 32 that give (33 - R) (33 - S) results each: 32 x 17 complex
/// products of N tiles x C_out x C_in, where that is faster than implicit GEMM. For 3 x 3 libraries choose it
/// now and then; Winograd's time is then as near. A library whose `winograd_share` is 0 has no transforms at
/// all.
///
/// One channel in a group is a stencil: its bytes, and its taps on top.
///
/// Tensor Cores want channels last: in other layouts a share of the activations is copied first, and channels
/// are padded to 16 bytes.
ConvolutionTime convolution_time(const ConvolutionWork& work, const Machine& machine,
                                 const ConvolutionParameters& parameters);

}  // namespace roofcast
