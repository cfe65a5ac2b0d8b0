// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "backend/cuda/device/cuda_handles.h"

namespace ringside::cuda {

// GPUs this process sees. Throws DeviceError with the reason when there are none.
int deviceCount();
// Those that ranks may compute on, as `--devices` counts them. Throws DeviceError when there are none.
std::vector<int> usableDevices();

// As nvidia-smi writes it: GPU-8-4-4-4-12 hexadecimal digits.
std::string uuidText(const cudaUUID_t& uuid);

// One GPU made current, with its name for error texts. Everything throws DeviceError.
class CudaDevice {
  public:
    explicit CudaDevice(int index);

    int index() const { return m_index; }
    const std::string& name() const { return m_name; }  // "GPU 0 (NVIDIA H200)"
    const std::string& uuid() const { return m_uuid; }  // "GPU-..."

    void check(cudaError_t error, const std::string& doing) const;
    UniqueDeviceMemory allocate(std::size_t bytes, const std::string& what) const;  // zeroed
    UniquePinnedMemory allocatePinned(std::size_t bytes) const;
    UniqueStream makeStream() const;

    // Waits for what the stream holds without ever blocking inside CUDA: asks, calls meanwhile() (which may throw),
    // gives the CPU away, up to the deadline.
    void wait(cudaStream_t stream, std::chrono::milliseconds deadline, const std::function<void()>& meanwhile) const;

  private:
    int m_index;
    std::string m_name;
    std::string m_uuid;
};

}  // namespace ringside::cuda
