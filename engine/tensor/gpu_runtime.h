// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

namespace ringside {

using DeviceStream = void*;  // type cudaStream_t of CUDA
using DeviceEvent = void*;   // type cudaEvent_t of CUDA

// Interface to the GPU runtime for collectives and uploads on the current device. Tests replace it to check order,
// timeouts and failures without a GPU. record(), streamWaits(), copy() and addInTree() only enqueue work on a stream
// and return. All functions throw DeviceError if the GPU fails, except those marked noexcept.
class GpuRuntime {
  public:
    virtual ~GpuRuntime() = default;

    virtual DeviceStream createStream() = 0;
    virtual void destroyStream(DeviceStream stream) noexcept = 0;
    virtual DeviceEvent createEvent() = 0;
    virtual void destroyEvent(DeviceEvent event) noexcept = 0;

    // Enqueues the event on a stream. The event is finished when all earlier work of the stream is finished.
    virtual void record(DeviceEvent event, DeviceStream stream) = 0;
    // Makes later work of the stream wait for the event, without blocking the caller.
    virtual void streamWaits(DeviceStream stream, DeviceEvent event) = 0;
    // Returns whether the work before the event is done, without waiting. Must not be called while a CUDA graph is
    // recorded, nor for an event that was last recorded into a graph.
    virtual bool finished(DeviceEvent event) = 0;

    virtual void* allocate(std::size_t bytes) = 0;  // returns device memory filled with zeros
    virtual void release(void* memory) noexcept = 0;
    virtual void* allocateHost(std::size_t bytes) = 0;  // returns page-locked host memory
    virtual void releaseHost(void* memory) noexcept = 0;
    virtual bool isHostMemory(const void* memory) = 0;
    // Enqueues a copy in any direction between host and device memory.
    virtual void copy(void* to, const void* from, std::size_t bytes, DeviceStream stream) = 0;
    // Enqueues the sum of the blocks of `ranks` ranks along the tree of a canonical reduction (ReduceOp::kTreeSum).
    // ranks must be a power of two. blocks: the blocks of all ranks, `count` floats each, one after the other in device
    // memory; they are overwritten.
    virtual void addInTree(float* blocks, std::size_t count, int ranks, float* out, DeviceStream stream) = 0;

    // Yields the CPU for a moment between two polls of finished().
    virtual void pause() = 0;
};

std::unique_ptr<GpuRuntime> makeGpuRuntime();  // returns the CUDA implementation

}  // namespace ringside
