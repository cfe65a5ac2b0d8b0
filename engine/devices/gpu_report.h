// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors/result.h"
#include "base/json/json_fwd.h"

namespace ringside {

struct GpuInfo {
    int index = 0;  // as CUDA counts, after CUDA_VISIBLE_DEVICES
    std::string name;
    std::string uuid;
    std::string computeCapability;  // "9.0"
    std::int64_t memoryBytes = 0;
    std::int64_t freeBytes = -1;  // readings of NVML are -1 where it gives none
    std::string whyNot;           // why ranks do not use it; empty = usable
    double utilisationPercent = -1;
    double temperatureCelsius = -1;
    double powerWatts = -1;

    bool usable() const { return whyNot.empty(); }
    bool operator==(const GpuInfo&) const = default;
};

// How the memory of one GPU is reached from another.
struct GpuLink {
    int from = 0;
    int to = 0;
    std::string kind;  // NVLink | PCIe | through the host
    bool operator==(const GpuLink&) const = default;
};

// What `ringside-worker-cuda --devices` found: the GPUs of this host, or the reason why there are none to use.
struct GpuReport {
    std::string driver;      // "580.65.06"
    std::string driverCuda;  // newest CUDA the driver can run, "13.0"
    std::string cuda;        // CUDA this build uses
    std::string nccl;        // "2.28.9"; empty: this build has no NCCL
    std::string cudnn;       // "9.19.0"; empty: this build has no cuDNN
    std::vector<GpuInfo> gpus;
    std::vector<GpuLink> links;
    std::string why;  // why no GPU is used; empty when one is usable

    int usableCount() const;
    bool operator==(const GpuReport&) const = default;
};

Json toJson(const GpuReport& report);

// Reads what a child process printed; a problem on anything else than a whole report.
Result<GpuReport> parseGpuReport(std::string_view text);

// A report without GPUs.
GpuReport noGpu(std::string why);

// The lines a person reads: one per GPU, its links, or the reason.
std::string describeGpus(const GpuReport& report);

}  // namespace ringside
