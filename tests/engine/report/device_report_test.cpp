#include "engine/report/device_report.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "engine/report/csv.hpp"
#include "engine/report/table.hpp"

namespace roofcast {
namespace {

Device toy_device() {
  Device device{.slug = "toy-8gb", .name = "Toy", .vendor = "nvidia"};
  device.sm_count = 10;
  device.boost_clock = megahertz(1000);
  device.operations_per_clock_per_sm[static_cast<std::size_t>(Arithmetic::vector_fp32)] = 128;
  device.quoted_tera = {{"fp32_tflops", 1.3}};
  device.unchecked_quotes = {"fp32_tflops"};
  device.assumed_aliases = {{"toy", "taken as 8 GB"}};
  device.sources = {{"memory", "data sheet"}};
  return device;
}

TEST_CASE("device_document: peaks stand next to what was quoted, and facts that are missing are left out") {
  CHECK(write_table(device_document(toy_device())) ==
        "Toy (toy-8gb)\n"
        "\n"
        "fact                   value\n"
        "-------------------------------\n"
        "vendor                 nvidia\n"
        "multiprocessors (SMs)  10\n"
        "boost clock            1000 MHz\n"
        "\n"
        "Dense peaks in Tera operations/s, a multiply-add counting 2\n"
        "arithmetic  derived  quoted\n"
        "--------------------------------------------\n"
        "fp32           1.28    1.30  known to differ\n"
        "derived = rate per clock and SM x SMs x clock; predictions use these\n"
        "\n"
        "Other names\n"
        "- toy: taken as 8 GB\n"
        "\n"
        "Sources\n"
        "- memory: data sheet\n");
}

TEST_CASE("device_json: facts carry their unit, peaks are operations per second") {
  const auto json = nlohmann::json::parse(device_json(toy_device(), "1"));

  CHECK(json["facts"]["boost_clock"]["value"] == 1000);
  CHECK(json["facts"]["boost_clock"]["unit"] == "MHz");
  CHECK(json["facts"]["nvlink"]["value"].is_null());
  CHECK(json["peaks"][0]["derived_per_s"] == 128.0 * 10 * 1e9);
  CHECK(json["peaks"][0]["quoted_tera_per_s"] == 1.3);
  CHECK(json["sources"]["memory"] == "data sheet");
}

TEST_CASE("device_rows: one row a fact") {
  const std::string csv = write_csv(device_rows(toy_device()));

  CHECK(csv.starts_with("hw,fact,value,unit\ntoy-8gb,vendor,nvidia,\n"));
  CHECK(csv.find("toy-8gb,peak_fp32_tflops,1.28,1e12/s\ntoy-8gb,quoted_fp32_tflops,1.3,1e12/s\n") !=
        std::string::npos);
}

}  // namespace
}  // namespace roofcast
