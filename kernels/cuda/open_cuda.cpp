#include "kernels/cuda/open_cuda.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "kernels/cuda/cublas_lt.hpp"
#include "kernels/cuda/cuda_backend.hpp"
#ifdef ROOFCAST_HAS_CUDNN
#include "kernels/cuda/cudnn.hpp"
#endif
#ifdef ROOFCAST_HAS_NCCL
#include "kernels/cuda/nccl.hpp"
#endif
#include "kernels/isolated_backend.hpp"

namespace roofcast {
namespace {

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

tl::unexpected<Diagnostics> no_device(cudaError_t status) {
  const char* hint = "`--backend cpu` measures the host's processor";
  if (status == cudaErrorInsufficientDriver) {
    return fail(fmt::format("no CUDA device: there is no NVIDIA driver, or it is older than CUDA {}",
                            version_text(CUDART_VERSION)),
                {}, hint);
  }
  return fail(fmt::format("no CUDA device: {}",
                          status == cudaSuccess ? "the driver shows none" : cudaGetErrorString(status)),
              {}, hint);
}

/// Opens cuDNN for `device`. Its version, or why there is none.
std::string open_convolutions(CudaDevice& device) {
#ifdef ROOFCAST_HAS_CUDNN
  auto opened = Cudnn::open();
  if (!opened) return opened.error().front().message;
  device.convolutions = *std::move(opened);
  return device.convolutions->version();
#else
  (void)device;
  return "built without cuDNN";
#endif
}

/// Opens NCCL for a team of devices. Its version, or why there is none.
std::string open_collectives(CudaDevice& device) {
#ifdef ROOFCAST_HAS_NCCL
  if (device.devices < 2) return "one device";
  auto opened = load_nccl();
  if (!opened) return opened.error().front().message;
  device.collectives = *std::move(opened);
  return version_of(*device.collectives);
#else
  (void)device;
  return "built without NCCL";
#endif
}

/// In this process, which then has a CUDA context.
Result<std::unique_ptr<Backend>> open_cuda_device() {
  int count = 0;  // stays as it is without a driver
  const auto status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) return no_device(status);
  cudaDeviceProp properties{};
  auto done = succeeded(cudaSetDevice(0), "device");
  if (done) done = succeeded(cudaGetDeviceProperties(&properties, 0), "device");
  std::size_t usable = 0;
  std::size_t memory = 0;
  if (done) done = succeeded(cudaMemGetInfo(&usable, &memory), "memory");
  if (!done) return tl::make_unexpected(done.error());
  int driver = 0;
  int runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  CudaDevice device{.units = properties.multiProcessorCount,
                    .compute_capability = 10 * properties.major + properties.minor,
                    .devices = count};
  auto products = CublasLt::open();
  if (products) device.products = *std::move(products);
  const std::string convolutions = open_convolutions(device);
  const std::string collectives = open_collectives(device);
  auto nvml = Nvml::open(properties.pciDomainID, properties.pciBusID, properties.pciDeviceID);
  DeviceFacts facts{.name = properties.name,
                    .vendor = "nvidia",
                    .driver = fmt::format("driver {} for CUDA {}", nvml ? nvml->driver_version() : "unknown",
                                          version_text(driver)),
                    .libraries = fmt::format(
                        "CUDA runtime {}; {}; {}; {}", version_text(runtime),
                        device.products ? device.products->version() : products.error().front().message,
                        convolutions, collectives),
                    .units = device.units,
                    .memory = Bytes{static_cast<double>(memory)},
                    .usable = Bytes{static_cast<double>(usable)},
                    .last_level_cache = Bytes{static_cast<double>(properties.l2CacheSize)},
                    .first_level_cache = Bytes{static_cast<double>(properties.sharedMemPerMultiprocessor)}};
  return make_cuda_backend(cuda_runtime(), std::move(facts), std::move(device), std::move(nvml));
}

}  // namespace

Result<std::unique_ptr<Backend>> open_cuda_backend() {
  return open_isolated(open_cuda_device);
}

}  // namespace roofcast
