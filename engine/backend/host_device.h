// SPDX-License-Identifier: Apache-2.0
// Marks a function that is compiled for the CPU and for GPU kernels.
#pragma once

#ifdef __CUDACC__
#define RINGSIDE_HOST_DEVICE __host__ __device__ inline
#else
#define RINGSIDE_HOST_DEVICE inline
#endif
