// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/device/device_text.h"

#include <array>
#include <utility>

namespace ringside::cuda {
namespace {

// Major version of the oldest compute capability for which this build contains machine code.
constexpr int kOldestMajor = 8;
constexpr int kExclusiveMode = 1;
constexpr int kProhibitedMode = 2;

std::string mebibytes(std::int64_t bytes) {
    return std::to_string(bytes >> 20) + " MiB";
}

std::string adviceOn(const std::string& errorName, const std::string& otherwise) {
    static const std::array<std::pair<const char*, const char*>, 11> kAdvice{{
        {"cudaErrorInsufficientDriver", "the NVIDIA driver is older than this build needs: update the driver"},
        {"cudaErrorNoDevice", "the driver no longer lists a GPU: see dmesg for Xid messages, then restart the run"},
        {"cudaErrorDevicesUnavailable", "another program uses the GPU exclusively: find it with nvidia-smi"},
        {"cudaErrorECCUncorrectable", "the memory of the GPU is damaged (nvidia-smi -q -d ECC): use another GPU"},
        {"cudaErrorNoKernelImageForDevice",
         "this build contains no code for this GPU: configure with -DCMAKE_CUDA_ARCHITECTURES=native and build again"},
        {"cudaErrorLaunchTimeout", "the watchdog of a display stopped the computation: use a GPU without a display"},
        {"cudaErrorDeviceUninitialized",
         "the driver lost the connection to the GPU: see dmesg for Xid messages, then restart the run"},
        {"cudaErrorSystemDriverMismatch",
         "the versions of the NVIDIA driver and of libcuda differ: restart the machine after a driver update"},
        {"cudaErrorSystemNotReady",
         "NVIDIA's Fabric Manager is not running: start it (systemctl start nvidia-fabricmanager)"},
        {"cudaErrorCompatNotSupportedOnDevice",
         "this GPU does not support the compatibility libcuda: remove its folder from LD_LIBRARY_PATH"},
        {"cudaErrorUnknown", "the GPU may be lost: see dmesg for Xid messages, then restart the run"},
    }};
    for (const auto& [name, advice] : kAdvice)
        if (errorName == name) return advice;
    return otherwise;
}

}  // namespace

std::string versionText(int cudaVersion) {
    return std::to_string(cudaVersion / 1000) + "." + std::to_string(cudaVersion % 1000 / 10);
}

std::string outOfMemoryText(const MemoryShortage& shortage) {
    return shortage.gpu + " does not have enough space for " + shortage.what + ": " +
           mebibytes(shortage.requestedBytes) + " requested, " + mebibytes(shortage.freeBytes) + " of " +
           mebibytes(shortage.totalBytes) +
           " free: lower loader.batch_size, choose a smaller model, or stop other programs on the GPU (nvidia-smi)";
}

std::string noPinnedMemoryText(const std::string& gpu, std::size_t requestedBytes) {
    return gpu + " received no page-locked memory from the host (" +
           mebibytes(static_cast<std::int64_t>(requestedBytes)) +
           " requested): switch loader.pin_memory off, lower loader.batch_size or loader.prefetch_factor, or use fewer "
           "ranks";
}

std::string noDeviceText(const DeviceCountFailure& failure) {
    if (failure.driver == 0)
        return "libcuda.so.1 cannot be loaded (is a driver installed; was the container started with "
               "--gpus all?)";
    if (failure.errorName == "cudaErrorInsufficientDriver")
        return "the NVIDIA driver is too old: it runs CUDA up to " + versionText(failure.driver) +
               ", this build needs " + versionText(failure.runtime) + ": update the driver";
    if (failure.errorName == "cudaErrorNoDevice")
        return "the NVIDIA driver is loaded but lists no GPU (is CUDA_VISIBLE_DEVICES empty?)";
    return "the NVIDIA driver failed while looking for GPUs: " + failure.errorText + " (" + failure.errorName +
           "): " + adviceOn(failure.errorName, "check that nvidia-smi responds, and look for NVRM messages in dmesg");
}

std::string whyNotUsable(int major, int minor, int computeMode) {
    const std::string capability = std::to_string(major) + "." + std::to_string(minor);
    if (major < kOldestMajor)
        return "the compute capability of the GPU is " + capability + ", but this build needs " +
               std::to_string(kOldestMajor) + ".0 or newer";
    if (computeMode == kProhibitedMode)
        return "the compute mode of the GPU prohibits its use: permit it with nvidia-smi -c 0";
    if (computeMode == kExclusiveMode)
        return "the compute mode of the GPU permits only one thread: permit several with nvidia-smi -c 0";
    return {};
}

std::string failureText(const std::string& gpu, const std::string& doing, const std::string& errorName,
                        const std::string& errorText) {
    return gpu + " failed while " + doing + ": " + errorText + " (" + errorName +
           "): " + adviceOn(errorName, "see dmesg for Xid messages. The last checkpoint of the run is intact");
}

}  // namespace ringside::cuda
