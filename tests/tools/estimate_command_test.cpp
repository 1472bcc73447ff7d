// Options of `simulate` as a user gives them; whole outputs are in tests/golden.

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/golden/run_simulate.hpp"

namespace roofcast {
namespace {

const std::string resnet = "--hw a100 --model resnet50 --precision fp16 --batch 64 ";

nlohmann::json first_row(const std::string& arguments) {
  const ProcessResult result = run_simulate(arguments + " --json");
  INFO("complaint: ", result.error);
  REQUIRE(result.exit_code == 0);
  return nlohmann::json::parse(result.out)["results"][0];
}

double milliseconds(const std::string& arguments) {
  return 1e3 * first_row(arguments)["latency_s"]["p50"].get<double>();
}

bool has_note(const nlohmann::json& row, const std::string& beginning) {
  for (const auto& note : row["notes"]) {
    if (note.get<std::string>().starts_with(beginning)) return true;
  }
  return false;
}

TEST_CASE("simulate: wrong values of options are told together, with the way out") {
  const ProcessResult result =
      run_simulate(resnet + "--attention flashed --input-rate fast --runtime pytorch-compiled");

  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  CHECK(result.error.find("error: --input-rate: 'fast' is not a number of samples per second above 0\n") !=
        std::string::npos);
  CHECK(result.error.find("error: --attention: unknown kind 'flashed'\n") != std::string::npos);
  CHECK(result.error.find("did you mean 'pytorch-compile'?") != std::string::npos);
}

TEST_CASE("simulate: the runtime that is taken if none is named stands in the inputs") {
  const auto answer = nlohmann::json::parse(run_simulate(resnet + "--json").out);
  CHECK(answer["inputs"]["runtime"] == "pytorch-eager");
  CHECK(answer["assumptions"].dump().find("Runtime pytorch-eager") != std::string::npos);
}

TEST_CASE("simulate --input-copy: batch x 3 x 224 x 224 values in 16 bits over PCIe 4, and 10 us") {
  const double bytes = 64.0 * 3 * 224 * 224 * 2;
  const double copy_ms = 1e3 * bytes / (0.85 * 16 * 16e9 / 8 * 128 / 130) + 0.01;

  CHECK(milliseconds(resnet + "--input-copy") - milliseconds(resnet) ==
        doctest::Approx(copy_ms).epsilon(1e-6));
}

TEST_CASE("simulate --input-rate: a slow pipeline is the limit, and the answer says so") {
  const auto row = first_row(resnet + "--input-rate 100");

  CHECK(row["throughput"].get<double>() == doctest::Approx(100));
  CHECK(row["bound"] == "input");
  CHECK(has_note(row, "the input pipeline is the limit: it delivers 100 samples/s"));
}

TEST_CASE("simulate --attention: written out it is slower whatever the runtime has") {
  const std::string bert = "--hw a100 --model bert --precision fp16 --batch 8 --set seq=512 ";

  CHECK(milliseconds(bert + "--attention unfused") > milliseconds(bert));
  CHECK(milliseconds(bert + "--attention unfused") ==
        milliseconds(bert + "--attention unfused --runtime pytorch-eager-unfused"));
  CHECK(milliseconds(bert + "--runtime pytorch-eager-unfused --attention fused") == milliseconds(bert));
}

TEST_CASE("simulate --channels-last: convolutions on Tensor Cores copy nothing first") {
  CHECK(milliseconds(resnet + "--channels-last") < milliseconds(resnet));
}

TEST_CASE("simulate: a batch that the host limits is told in words, and a recorded graph helps") {
  const std::string small = "--hw h100 --model bert --precision fp16 --batch 1 ";
  const auto row = first_row(small);

  CHECK(row["bound"] == "launch");
  CHECK(has_note(row, "limited by the host: kernels wait for their launches"));
  CHECK(milliseconds(small + "--runtime pytorch-compile") < milliseconds(small));
  CHECK(milliseconds(small + "--runtime pytorch-cudagraphs") <
        milliseconds(small + "--runtime pytorch-compile"));
}

TEST_CASE("simulate --batch with a step, --threads: a row a size, the same on any number of threads") {
  const std::string sweep = "--hw a100 --model bert --precision fp16 --batch 1..1500:1 --format csv ";
  const ProcessResult alone = run_simulate(sweep + "--threads 1");
  const ProcessResult together = run_simulate(sweep + "--threads 3");

  REQUIRE(alone.exit_code == 0);
  CHECK(std::ranges::count(alone.out, '\n') == 1 + 1500);
  CHECK((alone.out == together.out));
  CHECK((alone.out == run_simulate(sweep).out));
}

TEST_CASE("simulate --threads: what is no number of threads is refused") {
  for (const char* command : {"", "explain ", "validate --measured tests/validation/example "}) {
    CAPTURE(command);
    const std::string model = std::string(command).starts_with("validate") ? "" : resnet;
    const ProcessResult result = run_simulate(command + model + "--threads none");
    CHECK(result.exit_code == 2);
    CHECK(result.error.starts_with("error: --threads: 'none' is not a whole number from 1 to 1024\n"));
  }
}

}  // namespace
}  // namespace roofcast
