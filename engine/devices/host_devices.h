// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/errors/result.h"
#include "base/json/json_fwd.h"
#include "devices/gpu_report.h"

namespace ringside {

// Processors, memory and GPUs of this host.
struct HostDevices {
    std::string cpuName;
    int cpus = 1;  // number of logical CPUs that this process may use (affinity)
    std::int64_t memoryBytes = 0;
    std::int64_t availableBytes = 0;
    std::string cpuSetting;  // "ONEDNN_MAX_CPU_ISA=AVX2" if an environment variable limits the CPU's instruction set,
                             // else empty
    GpuReport gpus;          // GPUs of the host, or the reason why none can be used
};

// Returns the devices of this host that can be found by reading files, which is fast. `gpus` lists no GPUs and only
// reports whether a driver is loaded.
HostDevices findHostDevices();
// Returns the devices of this host, including the GPUs, which a child process probes. Takes about a second if a driver
// is loaded, so it must not be called on the GUI thread.
HostDevices findHostDevicesAndGpus();

Json toJson(const HostDevices& host);

// Parses the output of `ringsidectl devices --json`. Returns a problem if the text is anything else.
Result<HostDevices> parseHostDevices(std::string_view text);

}  // namespace ringside
