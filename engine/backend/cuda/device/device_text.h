// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// What a person reads when a GPU fails or is not used; values in, sentences out, no CUDA.
namespace ringside::cuda {

// "13.0" for 13000.
std::string versionText(int cudaVersion);

struct MemoryShortage {
    std::string gpu;   // "GPU 0 (NVIDIA H200)"
    std::string what;  // "a tensor of shape (128, 64)"
    std::int64_t askedBytes = 0;
    std::int64_t freeBytes = 0;
    std::int64_t totalBytes = 0;
};
std::string outOfMemoryText(const MemoryShortage& shortage);

// The host has no page-locked memory left to give.
std::string noPinnedMemoryText(const std::string& gpu, std::size_t askedBytes);

// What CUDA says when it finds no GPU: its versions (driver 0: there is none), and the error's name and text.
struct DeviceCountFailure {
    int driver = 0;
    int runtime = 0;
    std::string errorName;  // "cudaErrorNoDevice"
    std::string errorText;
};
std::string noDeviceText(const DeviceCountFailure& failure);

// Why this GPU cannot be used; empty when it can. computeMode as cudaComputeMode.
std::string whyNotUsable(int major, int minor, int computeMode);

// A failed call: its CUDA name and text, and what to do about it.
std::string failureText(const std::string& gpu, const std::string& doing, const std::string& errorName,
                        const std::string& errorText);

}  // namespace ringside::cuda
