// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/device/device_query.h"

#include <cuda_runtime.h>

#include "backend/cuda/device/cuda_device.h"
#include "backend/cuda/device/device_text.h"
#include "backend/cuda/device/nvml.h"
#include "base/errors/errors.h"

namespace ringside {
namespace {

using namespace cuda;

GpuInfo describe(int index, const Nvml& nvml) {
    GpuInfo gpu;
    gpu.index = index;
    cudaDeviceProp properties{};
    const cudaError_t error = cudaGetDeviceProperties(&properties, index);
    if (error != cudaSuccess) {
        gpu.name = "unknown";
        gpu.whyNot = cudaGetErrorString(error);
        return gpu;
    }
    int mode = 0;
    cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, index);
    gpu.name = properties.name;
    gpu.uuid = nvml.nameOf(uuidText(properties.uuid));
    gpu.computeCapability = std::to_string(properties.major) + "." + std::to_string(properties.minor);
    gpu.memoryBytes = static_cast<std::int64_t>(properties.totalGlobalMem);
    gpu.whyNot = whyNotUsable(properties.major, properties.minor, mode);
    const NvmlReading reading = nvml.read(gpu.uuid);
    gpu.freeBytes = reading.freeBytes;
    gpu.utilisationPercent = reading.utilisationPercent;
    gpu.temperatureCelsius = reading.temperatureCelsius;
    gpu.powerWatts = reading.powerWatts;
    return gpu;
}

GpuLink linkBetween(const GpuInfo& from, const GpuInfo& to, const Nvml& nvml) {
    int reachable = 0;
    cudaDeviceCanAccessPeer(&reachable, from.index, to.index);
    const char* kind = "through host memory";
    if (reachable) kind = nvml.nvlinkBetween(from.uuid, to.uuid) ? "NVLink" : "PCIe";
    return {from.index, to.index, kind};
}

}  // namespace

GpuReport queryGpus(const LibraryVersions& libraries) {
    GpuReport report;
    int driver = 0;
    int runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    const Nvml nvml;
    report.driver = nvml.driverVersion();
    report.driverCuda = driver > 0 ? versionText(driver) : "";
    report.cuda = versionText(runtime);
    report.nccl = libraries.nccl;
    report.cudnn = libraries.cudnn;
    int count = 0;
    try {
        count = deviceCount();
    } catch (const DeviceError& error) {
        report.why = error.what();
    }
    for (int index = 0; index < count; ++index) report.gpus.push_back(describe(index, nvml));
    for (const GpuInfo& from : report.gpus)
        for (const GpuInfo& to : report.gpus)
            if (from.index < to.index) report.links.push_back(linkBetween(from, to, nvml));
    if (count > 0 && report.usableCount() == 0)
        report.why = report.gpus.front().name + ": " + report.gpus.front().whyNot;
    return report;
}

}  // namespace ringside
