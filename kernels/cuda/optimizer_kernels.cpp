// A fused step of an optimiser. m: tensors, n: values of each.

#include <array>
#include <cmath>

#include "kernels/cuda/adam.hpp"
#include "kernels/cuda/cuda_kernel.hpp"

namespace roofcast {
namespace {

constexpr double mean_factor = 0.9;
constexpr double square_factor = 0.999;
constexpr double learning_rate = 1e-3;
constexpr double epsilon = 1e-8;
constexpr int step = 10;

double rate() {
  return learning_rate / (1 - std::pow(mean_factor, step));
}

double root() {
  return 1 / std::sqrt(1 - std::pow(square_factor, step));
}

// Gradients; parameters, means and squares one behind the other, as results are.

std::vector<Operand> inputs(const Probe& probe, const CudaDevice& /*device*/) {
  return {{Element::fp32, cuda_elements(probe)}, {Element::fp32, 3 * cuda_elements(probe)}};
}

Operand results(const Probe& probe, const CudaDevice& /*device*/) {
  return {Element::fp32, 3 * cuda_elements(probe)};
}

std::vector<AdamTensor> tensors_of(const Probe& probe, const CudaOperands& operands) {
  const std::int64_t all = probe.m * probe.n;
  const auto* gradients = static_cast<const float*>(operands.inputs[0]);
  const auto* state = static_cast<const float*>(operands.inputs[1]);
  auto* updated = static_cast<float*>(operands.results);
  std::vector<AdamTensor> tensors;
  for (std::int64_t at = 0; at < all; at += probe.n) {
    tensors.push_back({gradients + at, state + at, state + all + at, state + 2 * all + at, updated + at,
                       updated + all + at, updated + 2 * all + at, probe.n});
  }
  return tensors;
}

Result<Launch> prepare(const Probe& probe, const CudaDevice& /*device*/) {
  if (probe.n % Pack<float>::size != 0) return fail("tensors are of a multiple of 4 values");
  const AdamFactors factors{static_cast<float>(mean_factor), static_cast<float>(square_factor),
                            static_cast<float>(rate()), static_cast<float>(root()),
                            static_cast<float>(epsilon)};
  return Launch{[probe, factors](const CudaOperands& operands, cudaStream_t stream) {
                  for (const AdamLaunch& launch : adam_launches(tensors_of(probe, operands), factors)) {
                    if (const auto status = launch_adam(launch, stream); status != cudaSuccess) return status;
                  }
                  return cudaSuccess;
                },
                "fused: chunks of 65536 values of at most 36 tensors a launch"};
}

ExpectedResult stepped(const Probe& probe, const CudaDevice& /*device*/, const InputValues& inputs,
                       std::size_t at) {
  const std::size_t all = cuda_elements(probe);
  const std::size_t place = at % all;
  const double gradient = inputs(0, place);
  const double old_mean = mean_factor * inputs(1, all + place);
  const double mean = old_mean + (1 - mean_factor) * gradient;
  const double square =
      square_factor * std::abs(inputs(1, 2 * all + place)) + (1 - square_factor) * gradient * gradient;
  const double magnitude = std::abs(old_mean) + (1 - mean_factor) * std::abs(gradient);
  if (at / all == 1) return {mean, magnitude};
  if (at / all == 2) return {square, square};
  const double parameter = inputs(1, place);
  const double per_mean = rate() / (root() * std::sqrt(square) + epsilon);
  return {parameter - per_mean * mean, std::abs(parameter) + per_mean * magnitude};
}

constexpr std::array<std::string_view, 1> single = {"fp32"};

}  // namespace

std::span<const CudaKernel> cuda_optimizer_kernels() {
  static constexpr std::array kernels = {
      CudaKernel{"adam", single, inputs, results, prepare, stepped, 0, 1e-6},
  };
  return kernels;
}

}  // namespace roofcast
