// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <sched.h>

#include <algorithm>
#include <string>

#include "backend/cuda/device/device_text.h"
#include "backend/cuda/kernels/kernels.h"
#include "base/errors/errors.h"
#include "tensor/gpu_runtime.h"

namespace ringside {
namespace {

std::string currentGpu() {
    int index = 0;
    cudaDeviceProp properties{};
    cudaGetDevice(&index);
    cudaGetDeviceProperties(&properties, index);
    return "GPU " + std::to_string(index) + " (" + properties.name + ")";
}

class CudaRuntime final : public GpuRuntime {
  public:
    // Makes a stream with a higher priority than the compute stream, so that a bucket's collective starts while the
    // backward pass still occupies the GPU.
    DeviceStream createStream() override {
        int lowest = 0;
        int highest = 0;
        check(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "reading stream priorities");
        cudaStream_t stream = nullptr;
        check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, highest), "creating a stream");
        return stream;
    }
    void destroyStream(DeviceStream stream) noexcept override { cudaStreamDestroy(static_cast<cudaStream_t>(stream)); }

    DeviceEvent createEvent() override {
        cudaEvent_t event = nullptr;
        check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "creating an event");
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
        if (state == cudaErrorNotReady) {
            cudaGetLastError();  // clears the error, which the next launch would report otherwise
            return false;
        }
        check(state, "copying data or running a collective");
        return true;
    }

    void* allocate(std::size_t bytes) override {
        void* memory = nullptr;
        const cudaError_t error = cudaMalloc(&memory, bytes);
        if (error == cudaErrorMemoryAllocation) failForMemory(bytes);
        check(error, "allocating memory for collectives");
        check(cudaMemset(memory, 0, bytes), "clearing memory for collectives");
        check(cudaStreamSynchronize(nullptr), "clearing memory for collectives");
        return memory;
    }
    void release(void* memory) noexcept override { cudaFree(memory); }

    void* allocateHost(std::size_t bytes) override {
        void* memory = nullptr;
        const cudaError_t error = cudaMallocHost(&memory, bytes);
        if (error == cudaErrorMemoryAllocation) throw DeviceError(cuda::noPinnedMemoryText(m_gpu, bytes));
        check(error, "allocating page-locked memory");
        return memory;
    }
    void releaseHost(void* memory) noexcept override { cudaFreeHost(memory); }

    bool isHostMemory(const void* memory) override {
        cudaPointerAttributes attributes{};
        check(cudaPointerGetAttributes(&attributes, memory), "determining whether a buffer is in host memory");
        return attributes.type == cudaMemoryTypeUnregistered || attributes.type == cudaMemoryTypeHost;
    }
    void copy(void* to, const void* from, std::size_t bytes, DeviceStream stream) override {
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, static_cast<cudaStream_t>(stream)),
              "copying data for a collective");
    }

    void addInTree(float* blocks, std::size_t count, int ranks, float* out, DeviceStream stream) override {
        const cuda::TreeSumValue value{blocks, count, static_cast<std::size_t>(ranks), out};
        cuda::eachValue(count, value, static_cast<cudaStream_t>(stream));
        check(cudaGetLastError(), "adding the gradients of the ranks");
    }

    void pause() override { sched_yield(); }

  private:
    void check(cudaError_t error, const char* doing) const {
        if (error != cudaSuccess)
            throw DeviceError(cuda::failureText(m_gpu, doing, cudaGetErrorName(error), cudaGetErrorString(error)));
    }
    [[noreturn]] void failForMemory(std::size_t bytes) const {
        std::size_t free = 0;
        std::size_t total = 0;
        cudaGetLastError();  // clears the error of the failed call, so that no later call reports it
        cudaMemGetInfo(&free, &total);
        throw DeviceError(
            cuda::outOfMemoryText({m_gpu, "memory for gradients or collectives", static_cast<std::int64_t>(bytes),
                                   static_cast<std::int64_t>(free), static_cast<std::int64_t>(total)}));
    }

    std::string m_gpu = currentGpu();
};

}  // namespace

std::unique_ptr<GpuRuntime> makeGpuRuntime() {
    return std::make_unique<CudaRuntime>();
}

}  // namespace ringside
