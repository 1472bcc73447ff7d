#include "engine/base/kernel_form.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

using Form = KernelForm<std::int64_t>;

TEST_CASE("family: a convolution is depthwise with as many groups as input channels") {
  const auto conv = [](std::int64_t channels, std::int64_t groups) {
    return Form{
        Convolution<std::int64_t>{.in_channels = channels, .out_channels = channels, .groups = groups}};
  };

  CHECK(family(conv(64, 64)) == KernelFamily::depthwise_convolution);
  CHECK(family(conv(64, 32)) == KernelFamily::convolution);
  CHECK(family(conv(64, 1)) == KernelFamily::convolution);
  CHECK(family(conv(1, 1)) == KernelFamily::convolution);
}

TEST_CASE("family: streams by what they do, gathers and scatters alike") {
  CHECK(family(Form{Stream<std::int64_t>{StreamKind::softmax, 8}}) == KernelFamily::softmax);
  CHECK(family(Form{Stream<std::int64_t>{StreamKind::optimizer, 8}}) == KernelFamily::optimizer);
  CHECK(family(Form{Gather<std::int64_t>{.scatter = true}}) == KernelFamily::gather);
  CHECK(family(Form{Gemm<std::int64_t>{}}) == KernelFamily::gemm);
  CHECK(family(Form{Attention<std::int64_t>{}}) == KernelFamily::attention);
}

TEST_CASE("map_dimensions: every dimension changes, flags stay") {
  const Form form = Attention<std::int64_t>{.pass = Pass::backward,
                                            .batch = 1,
                                            .heads = 2,
                                            .kv_heads = 3,
                                            .query_length = 4,
                                            .key_length = 5,
                                            .head_size = 6,
                                            .causal = true};

  const auto changed = std::get<Attention<std::int64_t>>(
      map_dimensions<std::int64_t>(form, [](std::int64_t size) { return 10 * size; }));

  CHECK(changed.pass == Pass::backward);
  CHECK(changed.causal);
  CHECK(changed.batch == 10);
  CHECK(changed.heads == 20);
  CHECK(changed.kv_heads == 30);
  CHECK(changed.query_length == 40);
  CHECK(changed.key_length == 50);
  CHECK(changed.head_size == 60);
}

TEST_CASE("map_dimensions: a convolution keeps its axes apart") {
  const Form form = Convolution<std::int64_t>{.pass = Pass::weight_gradient,
                                              .in_channels = 3,
                                              .input = {1, 8, 9},
                                              .output = {1, 4, 5},
                                              .kernel = {1, 2, 3},
                                              .stride = {1, 6, 7}};

  const auto changed = std::get<Convolution<std::int64_t>>(
      map_dimensions<std::int64_t>(form, [](std::int64_t size) { return size + 100; }));

  CHECK(changed.pass == Pass::weight_gradient);
  CHECK(changed.in_channels == 103);
  CHECK(changed.input == std::array<std::int64_t, 3>{101, 108, 109});
  CHECK(changed.output == std::array<std::int64_t, 3>{101, 104, 105});
  CHECK(changed.kernel == std::array<std::int64_t, 3>{101, 102, 103});
  CHECK(changed.stride == std::array<std::int64_t, 3>{101, 106, 107});
}

TEST_CASE("to_string: families have names of their own") {
  CHECK(to_string(KernelFamily::gemm) == "gemm");
  CHECK(to_string(KernelFamily::depthwise_convolution) == "depthwise_convolution");
  CHECK(to_string(KernelFamily::gather) == "gather");
}

}  // namespace
}  // namespace roofcast
