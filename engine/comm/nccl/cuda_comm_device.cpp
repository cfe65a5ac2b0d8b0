// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <sched.h>

#include <string>

#include "base/errors.h"
#include "comm/nccl/comm_device.h"

namespace ringside {
namespace {

void check(cudaError_t error, const char* what) {
    if (error != cudaSuccess)
        throw DeviceError(std::string("the GPU failed while ") + what + ": " + cudaGetErrorString(error));
}

class CudaCommDevice final : public CommDevice {
  public:
    // Above the compute stream's priority, so that a bucket starts while backward still fills the GPU.
    DeviceStream createStream() override {
        int lowest = 0;
        int highest = 0;
        check(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "asking for stream priorities");
        cudaStream_t stream = nullptr;
        check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, highest), "making a stream");
        return stream;
    }
    void destroyStream(DeviceStream stream) noexcept override { cudaStreamDestroy(static_cast<cudaStream_t>(stream)); }

    DeviceEvent createEvent() override {
        cudaEvent_t event = nullptr;
        check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event");
        return event;
    }
    void destroyEvent(DeviceEvent event) noexcept override { cudaEventDestroy(static_cast<cudaEvent_t>(event)); }

    void record(DeviceEvent event, DeviceStream stream) override {
        check(cudaEventRecord(static_cast<cudaEvent_t>(event), static_cast<cudaStream_t>(stream)), "ordering streams");
    }
    void streamWaits(DeviceStream stream, DeviceEvent event) override {
        check(cudaStreamWaitEvent(static_cast<cudaStream_t>(stream), static_cast<cudaEvent_t>(event), 0),
              "ordering streams");
    }
    bool finished(DeviceEvent event) override {
        const cudaError_t state = cudaEventQuery(static_cast<cudaEvent_t>(event));
        if (state == cudaErrorNotReady) return false;
        check(state, "running a collective");
        return true;
    }

    void* allocate(std::size_t bytes) override {
        void* memory = nullptr;
        check(cudaMalloc(&memory, bytes), "getting memory for collectives");
        check(cudaMemset(memory, 0, bytes), "clearing memory for collectives");
        check(cudaDeviceSynchronize(), "clearing memory for collectives");
        return memory;
    }
    void release(void* memory) noexcept override { cudaFree(memory); }

    void* allocateHost(std::size_t bytes) override {
        void* memory = nullptr;
        check(cudaMallocHost(&memory, bytes), "getting page-locked memory for collectives");
        return memory;
    }
    void releaseHost(void* memory) noexcept override { cudaFreeHost(memory); }

    bool isHostMemory(const void* memory) override {
        cudaPointerAttributes attributes{};
        check(cudaPointerGetAttributes(&attributes, memory), "looking up a buffer");
        return attributes.type == cudaMemoryTypeUnregistered || attributes.type == cudaMemoryTypeHost;
    }
    void copy(void* to, const void* from, std::size_t bytes, DeviceStream stream) override {
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, static_cast<cudaStream_t>(stream)),
              "copying a buffer");
    }

    void pause() override { sched_yield(); }
};

}  // namespace

std::unique_ptr<CommDevice> makeCudaCommDevice() {
    return std::make_unique<CudaCommDevice>();
}

}  // namespace ringside
