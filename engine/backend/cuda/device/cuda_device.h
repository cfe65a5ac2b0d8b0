// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "backend/cuda/device/cuda_handles.h"

namespace ringside::cuda {

// Returns the number of GPUs visible to this process. Throws DeviceError with the reason if there are none.
int deviceCount();
// Returns the indices of the GPUs on which ranks may compute, in the order of `ringside-worker-cuda --devices`. Throws
// DeviceError if there are none.
std::vector<int> usableDevices();

// Formats a UUID as nvidia-smi does: GPU-8-4-4-4-12 hexadecimal digits.
std::string uuidText(const cudaUUID_t& uuid);

// One GPU, made current by the constructor, with its name for error messages. Every member throws DeviceError on
// failure.
class CudaDevice {
  public:
    explicit CudaDevice(int index);

    int index() const { return m_index; }
    const std::string& name() const { return m_name; }  // returns, for example, "GPU 0 (NVIDIA H200)"
    const std::string& uuid() const { return m_uuid; }  // returns the identifier that the driver reports, "GPU-..."

    void check(cudaError_t error, const std::string& doing) const;
    void checkLaunch(const char* doing) const { check(cudaGetLastError(), doing); }
    // Returns zeroed device memory. `what` is the purpose of the memory, for error messages.
    UniqueDeviceMemory allocate(std::size_t bytes, const std::string& what) const;
    UniquePinnedMemory allocatePinned(std::size_t bytes) const;
    UniqueStream makeStream() const;

    // Waits until the stream has finished, without blocking inside CUDA: repeatedly queries the stream's state, calls
    // meanwhile(), which may throw, and yields the CPU. Throws DeviceError after the deadline.
    void wait(cudaStream_t stream, std::chrono::milliseconds deadline, const std::function<void()>& meanwhile) const;

  private:
    int m_index;
    std::string m_name;
    std::string m_uuid;
};

}  // namespace ringside::cuda
