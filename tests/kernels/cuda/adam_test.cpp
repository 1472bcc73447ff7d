#include "kernels/cuda/adam.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "kernels/cuda/cuda_kernel.hpp"
#include "kernels/random.hpp"

namespace roofcast {
namespace {

TEST_CASE("adam_step: by hand") {
  // m' = 0.5 * 2 + 0.5 * 4 = 3, s' = 0.75 * 16 + 0.25 * 16 = 16, p' = 10 - 2 * 3 / (0.5 * 4 + 1) = 8
  const AdamState state = adam_step({10, 2, 16}, 4, {0.5F, 0.75F, 2, 0.5F, 1});

  CHECK(state.mean == 3);
  CHECK(state.square == 16);
  CHECK(state.parameter == 8);
  CHECK(adam_step({10, 2, -16}, 4, {0.5F, 0.75F, 2, 0.5F, 1}).square == 16);
}

/// Tensors of some sizes, one behind the other.
struct Tensors {
  explicit Tensors(const std::vector<std::int64_t>& sizes) {
    std::int64_t all = 0;
    for (const std::int64_t size : sizes) all += size;
    values.resize(static_cast<std::size_t>(7 * all));
    std::int64_t at = 0;
    for (const std::int64_t size : sizes) {
      float* first = values.data() + at;
      list.push_back({first, first + all, first + 2 * all, first + 3 * all, first + 4 * all, first + 5 * all,
                      first + 6 * all, size});
      at += size;
    }
    for (std::size_t i = 0; i < 4 * static_cast<std::size_t>(all); ++i) values[i] = random_bell(1, i);
  }
  std::vector<float> values{};  // at multiples of 16 bytes, as `new` gives them
  std::vector<AdamTensor> list{};
};

TEST_CASE("adam_launches: each chunk of each tensor once, within what a launch holds") {
  const std::vector<std::vector<std::int64_t>> lists = {
      {4}, std::vector<std::int64_t>(100, 8), {adam_chunk * 700 + 4, 12}, {8, adam_chunk, adam_chunk + 4}};
  for (const auto& sizes : lists) {
    const std::vector<float> places(sizes.size());  // a tensor is known by its address; nothing is read there
    std::vector<AdamTensor> tensors;
    std::vector<std::vector<int>> updated;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      tensors.push_back({.gradients = &places[i], .count = sizes[i]});
      updated.emplace_back(static_cast<std::size_t>((sizes[i] + adam_chunk - 1) / adam_chunk), 0);
    }
    for (const AdamLaunch& launch : adam_launches(tensors, {})) {
      CHECK(launch.blocks > 0);
      CHECK(launch.blocks <= adam_chunks);
      for (int block = 0; block < launch.blocks; ++block) {
        const int slot = launch.tensor_of_block[block];
        REQUIRE(slot < adam_tensors);
        const auto tensor = static_cast<std::size_t>(launch.tensors[slot].gradients - places.data());
        ++updated.at(tensor).at(launch.chunk_of_block[block]);
      }
    }
    for (const auto& chunks : updated) {
      for (const int times : chunks) CHECK(times == 1);
    }
  }
}

TEST_CASE("adam_share: all threads of all launches update each value as double precision does") {
  // More tensors than a launch holds; one of more than a chunk, which is no whole number of rounds.
  std::vector<std::int64_t> sizes(40, 12);
  sizes[7] = adam_chunk + 2052;
  Tensors tensors(sizes);
  const AdamFactors factors{0.9F, 0.999F, 1.5e-3F, 10, 1e-8F};

  const auto launches = adam_launches(tensors.list, factors);
  for (const AdamLaunch& launch : launches) {
    for (int block = 0; block < launch.blocks; ++block) {
      for (int thread = 0; thread < adam_threads; ++thread) adam_share(launch, block, thread);
    }
  }

  CHECK(launches.size() == 2);
  for (const AdamTensor& tensor : tensors.list) {
    for (std::int64_t i = 0; i < tensor.count; ++i) {
      const double g = tensor.gradients[i];
      const double mean = 0.9 * tensor.means[i] + 0.1 * g;
      const double square = 0.999 * std::abs(tensor.squares[i]) + 0.001 * g * g;
      const double parameter = tensor.parameters[i] - 1.5e-3 * mean / (10 * std::sqrt(square) + 1e-8);
      REQUIRE(tensor.new_means[i] == doctest::Approx(mean).epsilon(1e-5));
      REQUIRE(tensor.new_squares[i] == doctest::Approx(square).epsilon(1e-4));
      REQUIRE(tensor.new_parameters[i] == doctest::Approx(parameter).epsilon(1e-5));
    }
  }
}

TEST_CASE("adam: what a run writes is what the reference expects") {
  const Probe probe{.op = "adam", .m = 3, .n = 8};
  const CudaKernel* kernel = find_cuda_kernel("adam", "fp32", {});
  REQUIRE(kernel != nullptr);
  const double rate = 1e-3 / (1 - std::pow(0.9, 10));
  const double root = 1 / std::sqrt(1 - std::pow(0.999, 10));
  const AdamFactors factors{0.9F, 0.999F, static_cast<float>(rate), static_cast<float>(root), 1e-8F};
  const InputValues inputs = [](std::size_t input, std::size_t at) {
    return input_value(Element::fp32, input, at);
  };
  for (std::size_t at = 0; at < 24; ++at) {
    const AdamState state =
        adam_step({static_cast<float>(inputs(1, at)), static_cast<float>(inputs(1, 24 + at)),
                   static_cast<float>(inputs(1, 48 + at))},
                  static_cast<float>(inputs(0, at)), factors);
    for (const auto& [found, result] :
         {std::pair{state.parameter, at}, std::pair{state.mean, 24 + at}, std::pair{state.square, 48 + at}}) {
      const ExpectedResult expected = kernel->expected(probe, {}, inputs, result);
      CHECK(std::abs(found - expected.value) <= kernel->tolerance * expected.magnitude);
    }
  }
  CHECK(kernel->inputs(probe, {}).size() == 2);
  CHECK(kernel->results(probe, {}).values == 3 * 24);
  CHECK_FALSE(kernel->prepare({.op = "adam", .m = 3, .n = 7}, {}));
}

}  // namespace
}  // namespace roofcast
