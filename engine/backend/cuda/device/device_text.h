// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// Messages for users about GPUs that fail or cannot be used. Pure functions that do not call CUDA.
namespace ringside::cuda {

// Formats CUDA's version number: 13000 becomes "13.0".
std::string versionText(int cudaVersion);

// A failed allocation on a GPU; sizes in bytes.
struct MemoryShortage {
    std::string gpu;   // name of the GPU, such as "GPU 0 (NVIDIA H200)"
    std::string what;  // purpose of the memory, such as "a tensor of shape (128, 64)"
    std::int64_t requestedBytes = 0;
    std::int64_t freeBytes = 0;
    std::int64_t totalBytes = 0;
};
std::string outOfMemoryText(const MemoryShortage& shortage);

// Returns the message for exhausted page-locked memory of the host.
std::string noPinnedMemoryText(const std::string& gpu, std::size_t requestedBytes);

// CUDA's report when it finds no GPU: versions of driver (0 if there is no driver) and runtime, name and text of the
// error.
struct DeviceCountFailure {
    int driver = 0;
    int runtime = 0;
    std::string errorName;  // CUDA's name of the error, such as "cudaErrorNoDevice"
    std::string errorText;
};
std::string noDeviceText(const DeviceCountFailure& failure);

// Returns the reason why a GPU cannot be used, or an empty text if it can be used. major, minor: compute capability.
// computeMode: as in cudaComputeMode.
std::string whyNotUsable(int major, int minor, int computeMode);

// Returns the message for a failed call: the name and text of CUDA's error, and a hint what to do.
std::string failureText(const std::string& gpu, const std::string& doing, const std::string& errorName,
                        const std::string& errorText);

}  // namespace ringside::cuda
