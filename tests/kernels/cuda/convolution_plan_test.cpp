// cuDNN plans convolutions for a device that is only described, so that all but the run is tried without one.
// Skipped where there is no cuDNN 9.8 or later.

#include "kernels/cuda/convolution_plan.hpp"

#include <doctest/doctest.h>

#include <array>

#include "tests/no_leak_check.hpp"

namespace roofcast {
namespace {

// An H100, as cuDNN describes devices.
constexpr const char* h100 =
    R"({"version": 1, "deviceName": "NVIDIA H100 80GB HBM3", "deviceVer": 900, "multiProcessorCount": 132,
        "driverVer": 13000, "maxGridSize": [2147483647, 65535, 65535], "maxBlockSize": [1024, 1024, 64],
        "totalGlobalMem": 85000000000, "regsPerBlock": 65536, "maxRegistersPerSM": 65536, "warpSize": 32,
        "smClockRateKHz": 1980000, "memClockRateKHz": 2619000, "l2CacheSize": 52428800,
        "maxSharedMemoryPerBlock": 49152, "maxSharedMemoryPerBlockOptin": 232448,
        "reservedSharedMemoryPerBlock": 1024, "maxCtasPerSM": 32, "maxThreadsPerBlock": 1024,
        "maxThreadsPerSM": 2048, "cudaDeviceId": 0, "pciDeviceId": 0, "isTccDriver": 0,
        "supportCoopLaunch": 1})";

TEST_CASE(
    "plan_convolution: cuDNN has a kernel for each pass and precision, with Tensor Cores but for fp32") {
  const NoLeakCheck of_cudnn;
  const auto library = Cudnn::open_for(h100);
  if (!library) {
    MESSAGE("skipped: ", library.error().front().message);
    return;
  }
  constexpr ConvolutionSizes sizes{.batch = 8,
                                   .in_channels = 64,
                                   .out_channels = 64,
                                   .kernel = 3,
                                   .in_size = 56,
                                   .stride = 1,
                                   .padding = 1};
  for (const ConvolutionPass pass :
       {ConvolutionPass::forward, ConvolutionPass::data_gradient, ConvolutionPass::weight_gradient}) {
    for (const char* precision : {"fp32", "tf32", "fp16", "bf16"}) {
      CAPTURE(static_cast<int>(pass));
      CAPTURE(precision);
      const auto plan = plan_convolution(**library, {.sizes = sizes, .pass = pass, .precision = precision});
      REQUIRE(plan);
      CAPTURE(plan->algorithm);
      const bool single = std::string_view(precision) == "fp32";
      CHECK(plan->algorithm.starts_with(single ? "layout=nchw engine=" : "layout=nhwc engine="));
      CHECK((plan->algorithm.find("tensor_core") == std::string::npos) == single);
      CHECK(plan->workspace <= most_convolution_workspace);
    }
  }
}

TEST_CASE("plan_convolution: what is no convolution is told in the library's words") {
  const NoLeakCheck of_cudnn;
  const auto library = Cudnn::open_for(h100);
  if (!library) return;
  constexpr ConvolutionSizes sizes{
      .batch = 1, .in_channels = 0, .out_channels = 1, .kernel = 1, .in_size = 4, .stride = 1};

  const auto plan = plan_convolution(**library, {.sizes = sizes, .precision = "fp16"});

  REQUIRE_FALSE(plan);
  CHECK(plan.error().front().message.starts_with("cuDNN: CUDNN_STATUS_"));
}

}  // namespace
}  // namespace roofcast
