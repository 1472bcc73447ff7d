#pragma once
// Marks functions that both the host and devices compile, so that tests without a device run the very code. A
// loop after ROOFCAST_UNROLL has no branches on a device. A template after ROOFCAST_EITHER_SIDE is
// instantiated for one side only: what it calls need not be there for the other.

#ifdef __CUDACC__
#define ROOFCAST_HOST_DEVICE __host__ __device__
#define ROOFCAST_EITHER_SIDE _Pragma("nv_exec_check_disable")
#else
#define ROOFCAST_HOST_DEVICE
#define ROOFCAST_EITHER_SIDE
#endif

#ifdef __CUDA_ARCH__
#define ROOFCAST_UNROLL _Pragma("unroll")
#else
#define ROOFCAST_UNROLL
#endif
