// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/device/cuda_device.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>

#include "backend/cuda/device/device_text.h"
#include "base/errors/errors.h"

namespace ringside::cuda {

int deviceCount() {
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count == 0) error = cudaErrorNoDevice;
    if (error == cudaSuccess) return count;
    DeviceCountFailure failure{.errorName = cudaGetErrorName(error), .errorText = cudaGetErrorString(error)};
    cudaDriverGetVersion(&failure.driver);
    cudaRuntimeGetVersion(&failure.runtime);
    throw DeviceError(noDeviceText(failure));
}

std::vector<int> usableDevices() {
    std::vector<int> usable;
    std::string whyNot;
    const auto read = [](cudaDeviceAttr attribute, int index) {
        int value = 0;
        cudaDeviceGetAttribute(&value, attribute, index);
        return value;
    };
    const int count = deviceCount();
    for (int index = 0; index < count; ++index) {
        whyNot = whyNotUsable(read(cudaDevAttrComputeCapabilityMajor, index),
                              read(cudaDevAttrComputeCapabilityMinor, index), read(cudaDevAttrComputeMode, index));
        if (whyNot.empty()) usable.push_back(index);
    }
    if (usable.empty()) throw DeviceError("GPU " + std::to_string(count - 1) + " cannot be used: " + whyNot);
    return usable;
}

std::string uuidText(const cudaUUID_t& uuid) {
    std::string text = "GPU";
    for (int i = 0; i < 16; ++i) {
        if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
    }
    return text;
}

CudaDevice::CudaDevice(int index) : m_index(index), m_name("GPU " + std::to_string(index)) {
    const int count = deviceCount();
    if (index < 0 || index >= count)
        throw DeviceError(m_name + " does not exist; the number of GPUs that this process sees is " +
                          std::to_string(count) + ": lower parallel.world_size or check CUDA_VISIBLE_DEVICES");
    check(cudaSetDevice(index), "selecting the GPU for this process");
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, index), "reading the properties of the GPU");
    m_name += " (" + std::string(properties.name) + ")";
    m_uuid = uuidText(properties.uuid);
    const std::string whyNot = whyNotUsable(properties.major, properties.minor, 0);
    if (!whyNot.empty()) throw DeviceError(m_name + " cannot be used: " + whyNot);
}

void CudaDevice::check(cudaError_t error, const std::string& doing) const {
    if (error == cudaSuccess) return;
    throw DeviceError(failureText(m_name, doing, cudaGetErrorName(error), cudaGetErrorString(error)));
}

UniqueDeviceMemory CudaDevice::allocate(std::size_t bytes, const std::string& what) const {
    bytes = std::max<std::size_t>(bytes, 1);
    void* memory = nullptr;
    const cudaError_t error = cudaMalloc(&memory, bytes);
    if (error == cudaErrorMemoryAllocation) {
        std::size_t free = 0;
        std::size_t total = 0;
        cudaGetLastError();  // clears the error of the failed call, so that no later call reports it
        cudaMemGetInfo(&free, &total);
        throw DeviceError(outOfMemoryText({m_name, what, static_cast<std::int64_t>(bytes),
                                           static_cast<std::int64_t>(free), static_cast<std::int64_t>(total)}));
    }
    check(error, "allocating memory for " + what);
    UniqueDeviceMemory owned(memory);
    check(cudaMemset(memory, 0, bytes), "clearing memory");
    check(cudaStreamSynchronize(nullptr), "clearing memory");
    return owned;
}

UniquePinnedMemory CudaDevice::allocatePinned(std::size_t bytes) const {
    void* memory = nullptr;
    check(cudaMallocHost(&memory, bytes), "allocating page-locked memory");
    return UniquePinnedMemory(memory);
}

UniqueStream CudaDevice::makeStream() const {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
    return UniqueStream(stream);
}

void CudaDevice::wait(cudaStream_t stream, std::chrono::milliseconds deadline,
                      const std::function<void()>& meanwhile) const {
    const auto end = std::chrono::steady_clock::now() + deadline;
    for (;;) {
        const cudaError_t state = cudaStreamQuery(stream);
        if (state == cudaSuccess) return;
        if (state != cudaErrorNotReady) check(state, "computing");
        cudaGetLastError();  // clears the "not ready" error, which the next launch would report otherwise
        if (meanwhile) meanwhile();
        if (std::chrono::steady_clock::now() >= end)
            throw DeviceError(m_name + " did not finish its work within " + std::to_string(deadline.count() / 1000) +
                              " s: check other programs with nvidia-smi, and dmesg for Xid messages");
        sched_yield();
    }
}

}  // namespace ringside::cuda
