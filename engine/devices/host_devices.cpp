// SPDX-License-Identifier: Apache-2.0
#include "devices/host_devices.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "base/json/json.h"
#include "base/processors/processors.h"
#include "devices/gpu_probe.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxReportBytes = 2U << 20;

std::string valueAfter(const char* file, const std::string& key) {
    std::ifstream input(file);
    std::string line;
    while (std::getline(input, line)) {
        if (line.rfind(key, 0) != 0) continue;
        const std::size_t colon = line.find(':');
        const std::size_t start = line.find_first_not_of(" \t", colon == std::string::npos ? line.size() : colon + 1);
        if (start != std::string::npos) return line.substr(start);
    }
    return {};
}

std::int64_t kibibytes(const std::string& text) {
    return std::strtoll(text.c_str(), nullptr, 10) * 1024;
}

// Returns oneDNN's instruction-set setting in the environment, under its current or former name; empty if unset.
std::string instructionSetting() {
    for (const char* name : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "ONEDNN_CPU_ISA_HINTS", "DNNL_CPU_ISA_HINTS"}) {
        const char* value = std::getenv(name);
        if (value && *value) return std::string(name) + "=" + value;
    }
    return {};
}

}  // namespace

HostDevices findHostDevices() {
    HostDevices host;
    host.cpuName = valueAfter("/proc/cpuinfo", "model name");
    if (host.cpuName.empty()) host.cpuName = "unnamed processor";
    host.cpus = usableProcessors();
    host.memoryBytes = kibibytes(valueAfter("/proc/meminfo", "MemTotal"));
    host.availableBytes = kibibytes(valueAfter("/proc/meminfo", "MemAvailable"));
    host.cpuSetting = instructionSetting();
    host.gpus = reportWithoutGpus(
        gpuDriverLoaded() ? "an NVIDIA driver is loaded; its GPUs are queried when the run starts" : kNoDriver);
    return host;
}

HostDevices findHostDevicesAndGpus() {
    HostDevices host = findHostDevices();
    host.gpus = probeGpus();
    return host;
}

Json toJson(const HostDevices& host) {
    return {{"cpu",
             {{"name", host.cpuName},
              {"cpus", host.cpus},
              {"memory_bytes", host.memoryBytes},
              {"available_bytes", host.availableBytes}}},
            {"gpu", toJson(host.gpus)}};
}

Result<HostDevices> parseHostDevices(std::string_view text) {
    const Result<Json> json = parseJson(text, "the device report", kMaxReportBytes);
    if (!json) return json.problem();
    try {
        const Json& cpu = json.value().at("cpu");
        HostDevices host;
        cpu.at("name").get_to(host.cpuName);
        cpu.at("cpus").get_to(host.cpus);
        cpu.at("memory_bytes").get_to(host.memoryBytes);
        cpu.at("available_bytes").get_to(host.availableBytes);
        Result<GpuReport> gpus = parseGpuReport(json.value().at("gpu").dump());
        if (!gpus) return gpus.problem();
        host.gpus = std::move(gpus).value();
        return host;
    } catch (const Json::exception& error) {
        return Problem{"the device report", std::string("cannot be read: ") + error.what(),
                       "build ringside and ringsidectl from the same sources"};
    }
}

}  // namespace ringside
