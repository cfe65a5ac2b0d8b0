// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "base/system/unique_handle.h"

namespace ringside::cuda {

struct StreamTraits {
    using Handle = cudaStream_t;
    static Handle none() { return nullptr; }
    static void close(Handle stream) noexcept { cudaStreamDestroy(stream); }
};
using UniqueStream = UniqueHandle<StreamTraits>;

struct DeviceMemoryTraits {
    using Handle = void*;
    static Handle none() { return nullptr; }
    static void close(Handle memory) noexcept { cudaFree(memory); }
};
using UniqueDeviceMemory = UniqueHandle<DeviceMemoryTraits>;

// Page-locked host memory, which the GPU can copy while the CPU works.
struct PinnedMemoryTraits {
    using Handle = void*;
    static Handle none() { return nullptr; }
    static void close(Handle memory) noexcept { cudaFreeHost(memory); }
};
using UniquePinnedMemory = UniqueHandle<PinnedMemoryTraits>;

struct GraphTraits {
    using Handle = cudaGraphExec_t;
    static Handle none() { return nullptr; }
    static void close(Handle graph) noexcept { cudaGraphExecDestroy(graph); }
};
using UniqueGraph = UniqueHandle<GraphTraits>;

}  // namespace ringside::cuda
