// SPDX-License-Identifier: Apache-2.0
#include "run/host_devices.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace ringside {
namespace {

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

int usableCpus() {
    cpu_set_t set;
    if (::sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
    return static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

std::int64_t kibibytes(const std::string& text) {
    return std::strtoll(text.c_str(), nullptr, 10) * 1024;
}

std::string whyNoGpu() {
    std::error_code ignored;
    if (std::filesystem::exists("/proc/driver/nvidia/version", ignored)) {
        return "an NVIDIA driver is loaded, but this build computes on CPUs only";
    }
    return "no GPU found on this machine (no NVIDIA driver is loaded)";
}

}  // namespace

HostDevices findHostDevices() {
    HostDevices host;
    host.cpuName = valueAfter("/proc/cpuinfo", "model name");
    if (host.cpuName.empty()) host.cpuName = "unnamed processor";
    host.cpus = usableCpus();
    host.memoryBytes = kibibytes(valueAfter("/proc/meminfo", "MemTotal"));
    host.availableBytes = kibibytes(valueAfter("/proc/meminfo", "MemAvailable"));
    host.whyNoGpu = whyNoGpu();
    return host;
}

ComputeChoice chooseCompute(const ParallelConfig& parallel, const HostDevices& host) {
    ComputeChoice choice;
    choice.device = "cpu";
    choice.whyDevice = parallel.device == "auto" ? "CPU: " + host.whyNoGpu : "CPU: chosen in the experiment";
    if (parallel.backend == "auto") {
        choice.backend = "shm";
        choice.whyBackend = "shared memory: all ranks are on this host";
    } else {
        choice.backend = parallel.backend;
        choice.whyBackend = parallel.backend + ": chosen in the experiment";
    }
    return choice;
}

}  // namespace ringside
