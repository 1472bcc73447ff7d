// What must hold for the time of any kernel on any card that we ship, with the priors that we ship.

#include <functional>

#include "engine/kernel_time/terms.hpp"
#include "tests/hardware_db/database.hpp"
#include "tests/laws/fast_convolution.hpp"
#include "tests/laws/random_kernel.hpp"

namespace roofcast {
namespace {

constexpr std::uint64_t seed = 20261130;

struct Card {
  Device device{};
  Priors priors{};
};

const std::vector<Card>& cards() {
  static const std::vector<Card> all = [] {
    std::vector<Card> loaded;
    for (const Device& device : all_devices()) {
      auto priors = data_folder().priors_for(device);
      INFO("complaint: ", priors ? std::string("none") : to_string(priors.error()));
      REQUIRE(priors.has_value());
      loaded.push_back({device, *std::move(priors)});
    }
    return loaded;
  }();
  return all;
}

// Calls `check(model, random)` `count` times for each card.
template <class Check>
void for_all_cards(int count, const Check& check) {
  for (const Card& card : cards()) {
    const TimeModel model = time_model(card.device, card.priors);
    std::mt19937_64 random(seed);
    for (int i = 0; i < count; ++i) {
      INFO("seed ", seed, ", card ", card.device.slug, ", kernel ", i);
      check(model, random);
    }
  }
}

double seconds(const BoundKernel& kernel, const TimeModel& model) {
  return kernel_time(kernel, model).total.count();
}

std::string name_of(const BoundKernel& kernel) {
  return std::string(to_string(kernel.arithmetic)) + " " + describe(kernel.form);
}

TEST_CASE("law: no kernel multiplies faster than its card or moves bytes faster than the L2 cache") {
  for_all_cards(60, [](const TimeModel& model, std::mt19937_64& random) {
    const BoundKernel kernel = RandomKernel(random, model.machine).any();
    const KernelTime time = kernel_time(kernel, model);
    INFO(name_of(kernel));
    const double l2 =
        model.priors->kernels.cache.l2_bytes_per_clock * model.machine.sms * model.machine.clock.value;
    CHECK(time.total.count() >=
          (kernel.read + kernel.written).value / std::max(l2, model.machine.bandwidth.value));
    if (kernel.macs == 0) return;
    const double multiplied = time.executed_macs * least_multiplied(kernel, model.machine);
    const double peak = model.machine.matrix[static_cast<std::size_t>(kernel.arithmetic)].value;
    constexpr double rounding = 1 - 1e-9;
    CHECK(time.total.count() >= rounding * 2 * multiplied / peak);
  });
}

// A larger kernel may fit a library's tiles better. In kernels of a few microseconds twice the blocks wait
// for the memory side by side, with less than twice the bytes.
constexpr double better_tiles = 0.8;
// The residual correction is a function of sizes and knows no such law.
constexpr double corrected = 0.7;
constexpr double hardly_faster = 0.95;

// The same card without residuals.
Priors without_residuals(Priors priors) {
  for (GemmParameters& gemm : priors.kernels.gemm) gemm.residual = {};
  for (ConvolutionParameters& convolution : priors.kernels.convolution) convolution.residual = {};
  return priors;
}

template <class Form>
using Grow = std::function<void(Form&)>;

template <class Form>
void check_growth(const Form& form, Arithmetic arithmetic, const TimeModel& model,
                  const std::vector<Grow<Form>>& dimensions) {
  const Priors physics = without_residuals(*model.priors);
  const TimeModel plain{.machine = model.machine, .priors = &physics};
  const BoundKernel before = kernel_of(form, arithmetic);
  for (const Grow<Form>& grow : dimensions) {
    Form larger = form;
    grow(larger);
    const BoundKernel kernel = kernel_of(larger, arithmetic);
    INFO(name_of(before), " -> ", describe(kernel.form));
    CHECK(seconds(kernel, plain) >= better_tiles * seconds(before, plain));
    CHECK(seconds(kernel, model) >= corrected * seconds(before, model));
  }
}

TEST_CASE("law: a product does not get faster when a dimension doubles") {
  const std::vector<Grow<Gemm<Dim>>> dimensions = {
      [](auto& form) { form.m *= 2; }, [](auto& form) { form.n *= 2; }, [](auto& form) { form.k *= 2; }};
  for_all_cards(40, [&](const TimeModel& model, std::mt19937_64& random) {
    RandomKernel kernels(random, model.machine);
    const Gemm<Dim> form = kernels.gemm();
    check_growth(form, kernels.arithmetic(), model, dimensions);
  });
}

TEST_CASE("law: a batch of products does not get faster when there are more of them") {
  for_all_cards(20, [&](const TimeModel& model, std::mt19937_64& random) {
    RandomKernel kernels(random, model.machine);
    Gemm<Dim> form = kernels.gemm();
    form.batch = std::max<Dim>(form.batch, 2);  // one by itself has kernels of its own
    check_growth<Gemm<Dim>>(form, kernels.arithmetic(), model, {[](auto& larger) { larger.batch *= 2; }});
  });
}

TEST_CASE("law: a convolution does not get faster when batch or channels double") {
  for_all_cards(40, [&](const TimeModel& model, std::mt19937_64& random) {
    RandomKernel kernels(random, model.machine);
    const Convolution<Dim> form = kernels.convolution();
    std::vector<Grow<Convolution<Dim>>> dimensions = {[](auto& larger) { larger.batch *= 2; }};
    if (form.groups == form.in_channels) {
      dimensions.push_back([](auto& larger) {
        larger.in_channels *= 2;
        larger.out_channels *= 2;
        larger.groups *= 2;
      });
    } else {
      dimensions.push_back([](auto& larger) { larger.in_channels *= 2; });
      dimensions.push_back([](auto& larger) { larger.out_channels *= 2; });
    }
    check_growth(form, kernels.arithmetic(), model, dimensions);
  });
}

TEST_CASE("law: attention does not get faster when sequences, heads or keys double") {
  const std::vector<Grow<Attention<Dim>>> dimensions = {[](auto& form) { form.batch *= 2; },
                                                        [](auto& form) { form.heads *= 2; },
                                                        [](auto& form) { form.key_length *= 2; }};
  for_all_cards(20, [&](const TimeModel& model, std::mt19937_64& random) {
    RandomKernel kernels(random, model.machine);
    const Attention<Dim> form = kernels.attention();
    check_growth(form, kernels.arithmetic(), model, dimensions);
  });
}

TEST_CASE("law: a stream does not get faster with more rows or longer ones") {
  for_all_cards(40, [&](const TimeModel& model, std::mt19937_64& random) {
    const Stream<Dim> form = RandomKernel(random, model.machine).stream();
    Stream<Dim> more = form;
    more.elements *= 2;
    Stream<Dim> longer = more;
    longer.row *= 2;
    INFO(to_string(form.kind), " of ", form.elements, " in rows of ", form.row);
    const double before = seconds(kernel_of(form), model);
    CHECK(seconds(kernel_of(more), model) >= hardly_faster * before);
    CHECK(seconds(kernel_of(longer), model) >= hardly_faster * before);
  });
}

TEST_CASE("law: a faster memory and more SMs are not slower") {
  for (const Card& card : cards()) {
    std::mt19937_64 random(seed);
    const TimeModel model = time_model(card.device, card.priors);
    Device memory = card.device;
    memory.bandwidth = 1.25 * memory.bandwidth;
    Device larger = card.device;
    larger.sm_count = larger.sm_count * 5 / 4;
    for (int i = 0; i < 40; ++i) {
      const BoundKernel kernel = RandomKernel(random, model.machine).any();
      INFO("seed ", seed, ", card ", card.device.slug, ", kernel ", i, ": ", name_of(kernel));
      const double before = seconds(kernel, model);
      CHECK(seconds(kernel, time_model(memory, card.priors)) <= before);
      // A known gap: decoding counts its blocks for each SM, so that more SMs seem to starve.
      const auto* attention = std::get_if<Attention<Dim>>(&kernel.form);
      if (attention != nullptr && attention->query_length <= 8) continue;
      CHECK(hardly_faster * seconds(kernel, time_model(larger, card.priors)) <= before);
    }
  }
}

TEST_CASE("law: times are finite and positive from sizes of 1 to 2^20") {
  constexpr Dim huge = 1 << 20;
  for (const Card& card : cards()) {
    const TimeModel model = time_model(card.device, card.priors);
    std::vector<BoundKernel> kernels;
    for (int bits = 0; bits < 16; ++bits) {
      const auto size = [&](int bit) { return (bits >> bit & 1) != 0 ? huge : Dim{1}; };
      for (std::size_t i = 0; i < arithmetics; ++i) {
        if (model.machine.matrix[i].value <= 0) continue;
        const auto arithmetic = static_cast<Arithmetic>(i);
        kernels.push_back(
            kernel_of(Gemm<Dim>{.batch = size(0), .m = size(1), .n = size(2), .k = size(3)}, arithmetic));
        for (const Pass pass : {Pass::forward, Pass::input_gradient, Pass::weight_gradient}) {
          kernels.push_back(kernel_of(Convolution<Dim>{.pass = pass,
                                                       .batch = size(0),
                                                       .in_channels = size(1),
                                                       .out_channels = size(2),
                                                       .input = {1, size(3), 1},
                                                       .output = {1, size(3), 1}},
                                      arithmetic));
        }
        kernels.push_back(kernel_of(Attention<Dim>{.batch = size(0),
                                                   .heads = size(1),
                                                   .kv_heads = 1,
                                                   .query_length = size(2),
                                                   .key_length = size(3),
                                                   .head_size = 1,
                                                   .causal = true},
                                    arithmetic));
      }
      kernels.push_back(kernel_of(Gather<Dim>{.rows = size(0), .row_elements = size(1)}));
      for (std::size_t kind = 0; kind < stream_kinds; ++kind) {
        kernels.push_back(
            kernel_of(Stream<Dim>{static_cast<StreamKind>(kind), size(0) * size(1), size(1) * size(2)}));
      }
    }
    for (const BoundKernel& kernel : kernels) {
      const KernelTime time = kernel_time(kernel, model);
      INFO("card ", card.device.slug, ": ", name_of(kernel));
      CHECK(std::isfinite(time.total.count()));
      CHECK(time.total.count() > 0);
      CHECK(std::isfinite(time.power));
    }
  }
}

}  // namespace
}  // namespace roofcast
