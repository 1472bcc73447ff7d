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

TEST_CASE("simulate --set with several values: an answer for each, as if asked for alone") {
  const auto rows = [&](const std::string& set) {
    const ProcessResult result = run_simulate(
        "--hw a100 --hw t4 --model bert --precision fp16 --batch 1..4 " + set + " --threads 3 --json");
    INFO("complaint: ", result.error);
    REQUIRE(result.exit_code == 0);
    return nlohmann::json::parse(result.out)["results"];
  };
  const auto together = rows("--set seq=128..384:128 --set layers=6");
  const auto alone = rows("--set seq=256 --set layers=6");

  REQUIRE(together.size() == 2 * 3 * 3);  // cards, lengths, batches
  for (std::size_t card = 0; card < 2; ++card) {
    for (std::size_t batch = 0; batch < 3; ++batch) {
      CHECK(together[card * 9 + 3 + batch] == alone[card * 3 + batch]);
    }
  }
  CHECK(together[6]["symbols"]["seq"] == 384);
}

TEST_CASE("simulate --set with several values: named in verdicts, tables and CSV") {
  const std::string sweep = "--hw a100 --model bert --precision fp16 --batch 8 --set seq=128,384 ";

  const std::string text = run_simulate(sweep + "--wide").out;
  CHECK(text.starts_with("bert-base-uncased with seq 128 on NVIDIA A100"));
  CHECK(text.find("\nbert-base-uncased with seq 384 on") != std::string::npos);
  CHECK(text.find("seq 384  fp16") != std::string::npos);
  const std::string csv = run_simulate(sweep + "--format csv").out;
  CHECK(csv.find(",recommended,symbol_seq\n") != std::string::npos);
  CHECK(csv.find("true,128\n") < csv.find("true,384\n"));
  CHECK(csv.ends_with("true,384\n"));
}

TEST_CASE("simulate --set with several values: one for explain and show, and not too many") {
  const ProcessResult explain = run_simulate("explain --hw a100 --model bert --set seq=128,256");
  CHECK(explain.exit_code == 2);
  CHECK(explain.error == "error: explain takes one value of each symbol, not 2\n");
  const ProcessResult show = run_simulate("show model bert --set seq=128,256");
  CHECK(show.exit_code == 2);
  CHECK(show.error == "error: show takes one value of each symbol\n");
  const ProcessResult many = run_simulate("--hw a100 --model bert --set seq=1..5000:1 --set layers=1..3:1");
  CHECK(many.exit_code == 2);
  CHECK(many.error.starts_with("error: --set: more than 10000 combinations of values\n"));
  const ProcessResult rows =
      run_simulate("--hw a100 --model bert --precision fp16 --batch 1..1000:1 --set seq=1..1001:1");
  CHECK(rows.exit_code == 2);
  CHECK(rows.error.starts_with("error: 1001000 configurations are more than 1000000\n"));
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
