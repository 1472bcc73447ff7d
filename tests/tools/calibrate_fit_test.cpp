// `calibrate fit` as a user runs it, and `simulate` with the profile that it writes.

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/golden/run_simulate.hpp"

namespace roofcast {
namespace {

/// A copy of the data folder without profiles of our own, and a table in which the memory of a T4 (320 GB/s)
/// gives elementwise kernels 40% of its bandwidth; launches take 2 us.
class Workshop {
 public:
  Workshop()
      : path_(std::filesystem::temp_directory_path() / ("roofcast-workshop-" + std::to_string(::getpid()))) {
    const std::filesystem::path source = ROOFCAST_SOURCE_DIR;
    std::filesystem::create_directories(path_ / "hardware_db" / "calibrations");
    for (const auto& entry : std::filesystem::directory_iterator(source / "hardware_db")) {
      if (entry.is_directory() && entry.path().filename() != "calibrations")
        std::filesystem::create_directory_symlink(entry.path(),
                                                  path_ / "hardware_db" / entry.path().filename());
    }
    std::filesystem::create_directory_symlink(source / "models", path_ / "models");
    std::ofstream table(path_ / "samples.csv");
    table << "source,hw,op,precision,m,n,latency_us\n";
    for (int n = 1; n <= 24; ++n) {
      const double bytes = 2.0 * 4 * 8192 * 64 * n;
      table << "me,t4,relu,fp32,8192," << 64 * n << ',' << 2 + 1e6 * bytes / (0.4 * 320e9) << '\n';
    }
  }
  ~Workshop() { std::filesystem::remove_all(path_); }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

  ProcessResult run(const std::string& program, const std::string& arguments) const {
    const std::string output = file("out");
    const std::string command = "ROOFCAST_DATA='" + path_.string() + "' TERM=dumb '" + program + "' " +
                                arguments + " >'" + output + "' 2>'" + file("err") + "' </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, file_text(output), file_text(file("err"))};
  }
  ProcessResult calibrate(const std::string& arguments) const { return run(CALIBRATE_BINARY, arguments); }
  ProcessResult simulate(const std::string& arguments) const { return run(SIMULATE_BINARY, arguments); }

 private:
  std::filesystem::path path_;
};

const std::string resnet = "--hw t4 --model resnet18 --precision fp32 --batch 64 ";

TEST_CASE("calibrate fit: the profile that it writes is used by simulate, unless it is told not to") {
  const Workshop workshop;
  const std::string before = workshop.simulate(resnet + "--format csv").out;

  const ProcessResult fit = workshop.calibrate("fit --samples " + workshop.file("samples.csv") +
                                               " --hw t4 --date 2026-11-30 --driver 570 -o " +
                                               workshop.file("hardware_db/calibrations/t4.toml"));

  INFO(fit.error);
  CHECK(fit.exit_code == 0);
  CHECK(fit.out.find("stream.elementwise") != std::string::npos);
  CHECK(fit.out.find("kept: parameters fitted") != std::string::npos);
  const ProcessResult with = workshop.simulate(resnet + "--json");
  INFO(with.error);
  REQUIRE(with.exit_code == 0);
  const auto answer = nlohmann::json::parse(with.out);
  CHECK(answer["assumptions"].dump().find("24 measured samples, 2026-11-30") != std::string::npos);
  CHECK(answer["results"][0]["evidence"] == "calibrated");
  CHECK(workshop.simulate(resnet + "--format csv").out != before);
  CHECK(workshop.simulate(resnet + "--format csv --no-calibration").out == before);
  CHECK(workshop.simulate("list calibrations --format csv")
            .out.find("t4,2026-11-30,24,measured,stream.elementwise") != std::string::npos);
}

TEST_CASE("calibrate fit: the same samples give the same profile") {
  const Workshop workshop;
  const std::string fit = "fit --samples " + workshop.file("samples.csv") + " --hw t4 --date 2026-11-30 -o ";

  CHECK(workshop.calibrate(fit + workshop.file("a.toml")).exit_code == 0);
  CHECK(workshop.calibrate(fit + workshop.file("b.toml")).exit_code == 0);

  CHECK_FALSE(file_text(workshop.file("a.toml")).empty());
  CHECK(file_text(workshop.file("a.toml")) == file_text(workshop.file("b.toml")));
}

TEST_CASE("calibrate fit: a profile under another card's name is refused by simulate") {
  const Workshop workshop;
  workshop.calibrate("fit --samples " + workshop.file("samples.csv") + " --hw t4 -o " +
                     workshop.file("hardware_db/calibrations/rtx-2080-ti.toml"));

  const ProcessResult result = workshop.simulate("--hw rtx-2080-ti --model resnet18 --batch 1");

  CHECK(result.exit_code == 2);
  CHECK(result.error.find("the profile is of 't4', not of 'rtx-2080-ti'") != std::string::npos);
}

TEST_CASE("calibrate fit: no rows of the card, no table, no card") {
  const Workshop workshop;
  const std::string samples = "fit --samples " + workshop.file("samples.csv");

  const ProcessResult none = workshop.calibrate(samples + " --hw a100");

  CHECK(none.exit_code == 2);
  CHECK(none.error.find("no rows of 'a100-sxm4-80gb' that a fit could use") != std::string::npos);
  CHECK(workshop.calibrate(samples + " --hw t5").exit_code == 2);
  CHECK(workshop.calibrate("fit --samples no/such/file.csv --hw t4").exit_code == 2);
  CHECK(workshop.calibrate("fit --hw t4").exit_code == 2);
  CHECK(workshop.calibrate(samples + " --hw t4 --most -5").exit_code == 2);
}

TEST_CASE("calibrate fit: a profile beside a card file belongs to that file") {
  const Workshop workshop;
  const std::string card = workshop.file("mine.toml");
  std::filesystem::copy_file(std::filesystem::path(ROOFCAST_SOURCE_DIR) / "hardware_db/gpus/t4.toml", card);
  std::ofstream(workshop.file("devices.csv")) << "hw,slug\nt4,\"" << card << "\"\n";
  const std::string ask = "--hw '" + card + "' --model resnet18 --precision fp32 --batch 64 ";
  const std::string before = workshop.simulate(ask + "--format csv").out;

  const ProcessResult fit = workshop.calibrate("fit --samples " + workshop.file("samples.csv") + " --hw '" +
                                               card + "' -o " + workshop.file("mine.profile.toml"));

  INFO(fit.error);
  CHECK(fit.exit_code == 0);
  CHECK(workshop.simulate(ask + "--json").out.find("mine.profile.toml: 24 measured samples") !=
        std::string::npos);
  CHECK(workshop.simulate(ask + "--format csv").out != before);
  CHECK(workshop.simulate(ask + "--format csv --no-calibration").out == before);
}

TEST_CASE("calibrate: options without a command are those of a card file") {
  const Workshop workshop;

  const ProcessResult plan = workshop.calibrate("--backend cpu --quick --dry-run");
  const ProcessResult nowhere = workshop.calibrate("--backend cpu");
  const ProcessResult folder = workshop.calibrate("--backend cpu -o here");
  const ProcessResult backend = workshop.calibrate("--backend abacus -o here.toml");

  CHECK(plan.exit_code == 0);
  CHECK(plan.out.find(" probes in at most ") != std::string::npos);
  CHECK(nowhere.exit_code == 2);
  CHECK(nowhere.error.find("-o CARD.toml is missing") != std::string::npos);
  CHECK(folder.exit_code == 2);
  CHECK(folder.error.find("a card file ends in .toml") != std::string::npos);
  CHECK(backend.exit_code == 2);
  CHECK(backend.error.find("unknown backend 'abacus'") != std::string::npos);
}

TEST_CASE("calibrate: a missing or unknown command is named, with a way out") {
  const Workshop workshop;

  const ProcessResult missing = workshop.calibrate("");
  const ProcessResult unknown = workshop.calibrate("mesure");

  CHECK(missing.exit_code == 2);
  CHECK(missing.error.find("a command is missing") != std::string::npos);
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.error.find("unknown command 'mesure'") != std::string::npos);
  CHECK(unknown.error.find("measure") != std::string::npos);
}

}  // namespace
}  // namespace roofcast
