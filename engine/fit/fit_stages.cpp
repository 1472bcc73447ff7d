#include "engine/fit/fit_stages.hpp"

namespace roofcast {
namespace {

const BoundKernel& kernel(const KernelSample& sample) {
  return sample.kernels.front();
}

MatrixUnit unit(const KernelSample& sample) {
  return matrix_unit(kernel(sample).arithmetic, sample.machine);
}

template <class Form>
bool is(const KernelSample& sample) {
  return std::holds_alternative<Form>(kernel(sample).form);
}

// Sources whose products run as networks would: not those of serving programs with kernels of their own.
bool is_library_product(const KernelSample& sample) {
  return sample.source != "vidur";
}

// Weights in 4 or 8 bits that are multiplied in 16: a kernel of its own.
bool stores_other_weights(const KernelSample& sample) {
  return sample.precision.starts_with('w');
}

}  // namespace

std::vector<FitStage> fit_stages() {
  using Dim = std::int64_t;
  std::vector<FitStage> all;
  for (const MatrixUnit wanted :
       {MatrixUnit::vector, MatrixUnit::tensor16, MatrixUnit::tensor32, MatrixUnit::tensor8}) {
    const std::string name(to_string(wanted));
    const auto index = static_cast<std::size_t>(wanted);
    all.push_back(
        {.name = "gemm." + name,
         .tables = {"gemm." + name, "power." + name},
         .takes =
             [wanted](const KernelSample& sample) {
               return is<Gemm<Dim>>(sample) && unit(sample) == wanted && is_library_product(sample) &&
                      !stores_other_weights(sample);
             },
         .residual = [index](Priors& priors) { return &priors.kernels.gemm[index].residual; },
         .spread = [index](Priors& priors) -> Spread& { return priors.kernels.gemm[index].spread; }});
  }
  const auto vector = static_cast<std::size_t>(MatrixUnit::vector);
  all.push_back(
      {.name = "convolution.vector",
       .tables = {"convolution.vector", "convolution.vector.product"},
       .takes =
           [](const KernelSample& sample) {
             return is<Convolution<Dim>>(sample) && unit(sample) == MatrixUnit::vector;
           },
       .residual = [](Priors& priors) { return &priors.kernels.convolution[vector].residual; },
       .spread = [](Priors& priors) -> Spread& { return priors.kernels.convolution[vector].spread; },
       .noise = 0.12,
       .prior_weight = 4});
  all.push_back({.name = "attention",
                 .tables = {"attention"},
                 .takes =
                     [](const KernelSample& sample) {
                       return is<Attention<Dim>>(sample) && unit(sample) == MatrixUnit::tensor16;
                     },
                 .spread = [](Priors& priors) -> Spread& { return priors.kernels.attention.spread; },
                 .noise = 0.1});
  for (const StreamKind kind :
       {StreamKind::elementwise, StreamKind::gated_activation, StreamKind::normalization,
        StreamKind::rms_normalization, StreamKind::softmax}) {
    const auto index = static_cast<std::size_t>(kind);
    all.push_back(
        {.name = "stream." + std::string(to_string(kind)),
         .tables = {"stream." + std::string(to_string(kind))},
         .takes =
             [kind](const KernelSample& sample) {
               const auto* stream = std::get_if<Stream<Dim>>(&kernel(sample).form);
               // Vidur prints whole microseconds, and its tensors stay in the cache of an H100.
               const bool coarse = kind == StreamKind::elementwise && sample.source == "vidur";
               return stream != nullptr && stream->kind == kind && !coarse;
             },
         .spread = [index](Priors& priors) -> Spread& { return priors.kernels.stream[index].spread; },
         .noise = 0.03});
  }
  return all;
}

}  // namespace roofcast
