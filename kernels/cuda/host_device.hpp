#pragma once
// Marks functions that both the host and devices compile, so that tests without a device run the very code. A
// loop after ROOFCAST_UNROLL has no branches on a device.

#ifdef __CUDACC__
#define ROOFCAST_HOST_DEVICE __host__ __device__
#else
#define ROOFCAST_HOST_DEVICE
#endif

#ifdef __CUDA_ARCH__
#define ROOFCAST_UNROLL _Pragma("unroll")
#else
#define ROOFCAST_UNROLL
#endif
