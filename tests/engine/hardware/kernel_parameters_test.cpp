#include "engine/hardware/kernel_parameters.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace roofcast {
namespace {

TEST_CASE("named_parameters: every number has a name and a place of its own") {
  KernelParameters parameters;
  std::set<std::string> names;
  std::set<const double*> places;
  for (const NamedParameter& parameter : named_parameters(parameters)) {
    const std::string name = parameter.table + "." + std::string(parameter.key);
    CAPTURE(name);
    CHECK(names.insert(name).second);
    CHECK(places.insert(parameter.value).second);
  }
  CHECK(names.contains("gemm.tensor16.peak_share"));
  CHECK(names.contains("convolution.vector.product.wave_us"));
  CHECK(names.contains("stream.rms_normalization.launch_us"));
  CHECK(names.contains("cache.resident_share"));
}

TEST_CASE("named_parameters: structures start within the bounds") {
  KernelParameters parameters;
  for (const NamedParameter& parameter : named_parameters(parameters)) {
    CAPTURE(parameter.table);
    CAPTURE(parameter.key);
    CHECK(parameter.low < parameter.high);
    CHECK(*parameter.value >= parameter.low);
    CHECK(*parameter.value <= parameter.high);
    CHECK(parameter.spread >= 0);
  }
}

TEST_CASE("named_parameters: writing one changes it") {
  KernelParameters parameters;
  for (const NamedParameter& parameter : named_parameters(parameters)) {
    if (parameter.table == "gemm.tensor8" && parameter.key == "wave_us") *parameter.value = 7;
  }

  CHECK(parameters.gemm[static_cast<std::size_t>(MatrixUnit::tensor8)].wave_us == 7);
  CHECK(parameters.gemm[static_cast<std::size_t>(MatrixUnit::tensor16)].wave_us == GemmParameters{}.wave_us);
}

}  // namespace
}  // namespace roofcast
