// SPDX-License-Identifier: Apache-2.0
// In front of a function that the CPU and a GPU's kernels share.
#pragma once

#ifdef __CUDACC__
#define RINGSIDE_HOST_DEVICE __host__ __device__ inline
#else
#define RINGSIDE_HOST_DEVICE inline
#endif
