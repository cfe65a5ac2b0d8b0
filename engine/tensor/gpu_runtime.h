// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

namespace ringside {

using DeviceStream = void*;  // cudaStream_t
using DeviceEvent = void*;   // cudaEvent_t

// What collectives and uploads need of the GPU's runtime, on the current device: a seam, so that their order, deadlines
// and failures are tested without a GPU. Everything but finished() only enqueues; everything throws DeviceError when
// the GPU fails.
class GpuRuntime {
  public:
    virtual ~GpuRuntime() = default;

    virtual DeviceStream createStream() = 0;
    virtual void destroyStream(DeviceStream stream) noexcept = 0;
    virtual DeviceEvent createEvent() = 0;
    virtual void destroyEvent(DeviceEvent event) noexcept = 0;

    virtual void record(DeviceEvent event, DeviceStream stream) = 0;
    virtual void streamWaits(DeviceStream stream, DeviceEvent event) = 0;
    // Asks, never waits. Neither while a step is recorded nor of an event that was last recorded then.
    virtual bool finished(DeviceEvent event) = 0;

    virtual void* allocate(std::size_t bytes) = 0;  // zeroed
    virtual void release(void* memory) noexcept = 0;
    virtual void* allocateHost(std::size_t bytes) = 0;  // page-locked
    virtual void releaseHost(void* memory) noexcept = 0;
    virtual bool isHostMemory(const void* memory) = 0;
    virtual void copy(void* to, const void* from, std::size_t bytes, DeviceStream stream) = 0;

    // Between two questions of a waiting loop: gives the CPU away for a moment.
    virtual void pause() = 0;
};

std::unique_ptr<GpuRuntime> makeGpuRuntime();  // CUDA's

}  // namespace ringside
