// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors/result.h"
#include "base/json/json_fwd.h"

namespace ringside {

// One GPU of this host.
struct GpuInfo {
    int index = 0;  // CUDA's index of the GPU among the GPUs that CUDA_VISIBLE_DEVICES leaves visible
    std::string name;
    std::string uuid;
    std::string computeCapability;  // version of the GPU's instruction set, such as "9.0"
    std::int64_t memoryBytes = 0;
    std::int64_t freeBytes = -1;  // free memory in bytes, reported by NVML; -1 if unavailable
    std::string whyNot;           // reason why ranks do not use the GPU; empty if they can
    double utilisationPercent = -1;
    double temperatureCelsius = -1;
    double powerWatts = -1;

    bool usable() const { return whyNot.empty(); }
    bool operator==(const GpuInfo&) const = default;
};

// Connection over which one GPU accesses the memory of another.
struct GpuLink {
    int from = 0;
    int to = 0;
    std::string kind;  // kind of connection: NVLink | PCIe | through host memory
    bool operator==(const GpuLink&) const = default;
};

// Output of `ringside-worker-cuda --devices`: the GPUs of this host, or the reason why none can be used.
struct GpuReport {
    std::string driver;      // version of the driver, such as "580.65.06"
    std::string driverCuda;  // newest CUDA version that the driver supports, such as "13.0"
    std::string cuda;        // CUDA version of this build
    std::string nccl;        // version of NCCL, such as "2.28.9"; empty: this build has no NCCL
    std::string cudnn;       // version of cuDNN, such as "9.19.0"; empty: this build has no cuDNN
    std::vector<GpuInfo> gpus;
    std::vector<GpuLink> links;
    std::string why;             // reason why no GPU is used; empty if one is usable
    bool probeTimedOut = false;  // true if the driver did not answer in time; not part of the JSON form

    int usableCount() const;
    bool operator==(const GpuReport&) const = default;
};

Json toJson(const GpuReport& report);

// Parses the output of the child process. Returns a problem unless the text is a complete report.
Result<GpuReport> parseGpuReport(std::string_view text);

// Returns a report that lists no GPUs. why: reason why no GPU can be used.
GpuReport reportWithoutGpus(std::string why);

// Formats the report for display: one line per GPU and the connections between GPUs, or the reason why there are none.
std::string describeGpus(const GpuReport& report);

}  // namespace ringside
