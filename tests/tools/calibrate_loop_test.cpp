// The whole loop on the host's processor: measured quickly, fitted, predicted, measured. Machines differ and
// are shared, so errors are printed and only asserted to be no nonsense.

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "engine/fit/fit_calibration.hpp"
#include "engine/io/load_model.hpp"
#include "engine/predict.hpp"
#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/measure.hpp"
#include "kernels/samples.hpp"
#include "tests/toy_model.hpp"
#include "tools/calibrate_samples.hpp"
#include "tools/card_file.hpp"

namespace roofcast {
namespace {

namespace fs = std::filesystem;

Seconds now() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

/// A folder for two sets of tables and a card file.
class Bench {
 public:
  Bench() : path_(fs::temp_directory_path() / fmt::format("calibrate_loop_test_{}", ::getpid())) {
    fs::create_directories(path_);
  }
  ~Bench() { fs::remove_all(path_); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(file(name)) << text; }

 private:
  fs::path path_;
};

constexpr TimingRules rules{.warm_up = Seconds{0.01}, .least_total = Seconds{0.03}, .cap = Seconds{0.12}};

// Streams that say how fast the memory is, products and streaming kernels whose runs are short.
std::vector<Probe> short_probes(const Backend& backend) {
  constexpr Flops most{1e9};
  constexpr Bytes largest = mebibytes(128);
  std::vector<Probe> probes;
  for (Probe& probe : probe_list(Extent::quick, backend.limits())) {
    const Bytes moved = probe.read + probe.written;
    const bool stream = probe.op.starts_with("stream_");
    if (stream && (probe.residency == Residency::warm || moved < mebibytes(16))) continue;
    if (probe.operations < most && moved < largest) probes.push_back(std::move(probe));
  }
  return probes;
}

// Every fourth of the products and of the streaming kernels is kept from the fit.
bool is_unseen(const Probe& probe, int& products, int& others) {
  if (probe.op.starts_with("stream_")) return false;
  return ++(is_product(probe) ? products : others) % 4 == 0;
}

double median_error(std::vector<double> logarithms) {
  return fit_errors(logarithms).median;
}

// The feed-forward part of a transformer's layer, as its kernels run one after the other.
constexpr int tokens = 128;
constexpr int hidden = 384;
constexpr int inner = 1536;

Seconds measured_network(Backend& backend) {
  const std::vector<Probe> layers = {
      {.op = "gemm", .m = tokens, .n = inner, .k = hidden, .residency = Residency::warm},
      {.op = "gelu", .m = tokens, .n = inner, .residency = Residency::warm},
      {.op = "gemm", .m = tokens, .n = hidden, .k = inner, .residency = Residency::warm},
      {.op = "add_tensor", .m = tokens, .n = hidden, .residency = Residency::warm},
      {.op = "layernorm", .m = tokens, .n = hidden, .residency = Residency::warm}};
  std::vector<std::unique_ptr<Prepared>> prepared;
  for (const Probe& layer : layers) {
    auto kernel = backend.prepare(layer);
    REQUIRE(kernel);
    prepared.push_back(*std::move(kernel));
  }
  const auto timing = time_kernel({.run = [&](std::int64_t times) -> Result<Seconds> {
                                     Seconds sum{};
                                     for (std::int64_t i = 0; i < times; ++i) {
                                       for (const auto& kernel : prepared) sum += kernel->run(1).value();
                                     }
                                     return sum;
                                   },
                                   .now = now,
                                   .clock = [&] { return backend.clock_now(); }},
                                  {}, backend.device().clock);
  REQUIRE(timing);
  return timing->of_one_run.median;
}

Seconds predicted_network(const DataFolder& data, const Device& device, const Priors& priors) {
  const std::string text =
      "schema = 1\nname = \"net\"\n" + input("x", fmt::format("{}, {}", tokens, hidden)) +
      node("up", "linear", "\"x\"", fmt::format("out_features = {}\nbias = false", inner)) +
      node("act", "gelu") +
      node("down", "linear", {}, fmt::format("out_features = {}\nbias = false", hidden)) +
      node("sum", "add", "\"down\", \"x\"") + node("norm", "layer_norm");
  auto runtime = data.runtime("onnxruntime-cpu");
  REQUIRE(runtime);
  runtime->latency = runtime->gap = {};  // here nothing but kernels is called
  const auto compiled = compile(load(text), {.runtime = *runtime});
  REQUIRE(compiled);
  const auto prediction = Evaluator(*compiled, device, *runtime, priors).evaluate(Bindings{});
  REQUIRE(prediction);
  return prediction->time.p50;
}

TEST_CASE("calibrate, fit, predict, measure: the loop closes on this processor") {
  const Bench bench;
  const auto backend = open_cpu_backend();
  REQUIRE(backend);
  const std::vector<Probe> probes = short_probes(**backend);
  {
    auto seen = SampleFolder::open(bench.file("seen"), {.hardware = "here", .date = "2026-01-01"}, false);
    auto unseen = SampleFolder::open(bench.file("unseen"), {.hardware = "here", .date = "2026-01-01"}, false);
    REQUIRE(seen);
    REQUIRE(unseen);
    int products = 0;
    int others = 0;
    for (const Probe& probe : probes) {
      const Sample sample = measure(**backend, probe, rules, now);
      CHECK(sample.failure.empty());
      REQUIRE((is_unseen(probe, products, others) ? *unseen : *seen).write(sample));
    }
  }
  const auto peaks = measured_peaks(bench.file("seen"), probes);
  REQUIRE(peaks);
  bench.write("here.toml", card_file((*backend)->device(), *peaks, "2026-01-01"));
  for (const char* folder : {"seen", "unseen"})
    bench.write(std::string(folder) + "/devices.csv", "hw,slug\nhere,\"" + bench.file("here.toml") + "\"\n");

  const auto data = DataFolder::open(ROOFCAST_SOURCE_DIR);
  REQUIRE(data);
  const auto card = data->find_device(bench.file("here.toml"));
  REQUIRE(card);
  const auto architecture = data->priors_for(card->device);
  REQUIRE(architecture);
  const auto samples = choose_samples(*data, card->device, {.path = bench.file("seen")});
  const auto further = choose_samples(*data, card->device, {.path = bench.file("unseen")});
  REQUIRE(samples);
  REQUIRE(further);
  const Seconds begin = now();
  const CalibrationFit fit = fit_calibration(*architecture, samples->samples, GroupSplit::all);
  const Seconds fitting = now() - begin;

  std::vector<KernelSample> products;
  std::vector<KernelSample> streams;
  for (const KernelSample& sample : further->samples)
    (sample.kernel == "gemm" ? products : streams).push_back(sample);
  const double product_error = median_error(errors(products, fit.priors));
  const double stream_error = median_error(errors(streams, fit.priors));
  const Seconds network = measured_network(**backend);
  const Seconds predicted = predicted_network(*data, card->device, fit.priors);
  fmt::print(
      "{}: fitted {} samples in {:.2f} s; unseen: {} products off by {:.0f}% in the median, {} streaming "
      "kernels by {:.0f}%, a network of five kernels by {:+.0f}%\n",
      card->device.name, samples->fitted, fitting.count(), products.size(), 100 * product_error,
      streams.size(), 100 * stream_error, 100 * (predicted / network - 1));

  CHECK(products.size() >= 5);
  CHECK(streams.size() >= 5);
  CHECK(product_error < 1.0);
  CHECK(stream_error < 1.0);
  CHECK(predicted > 0.25 * network);
  CHECK(predicted < 4.0 * network);
}

}  // namespace
}  // namespace roofcast
