// SPDX-License-Identifier: Apache-2.0
#include "run/host_devices.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "run/gpu_placement.h"
#include "run/gpu_probe.h"

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

// GPUs are there, but the experiment leaves the choice to us.
std::string gpusAtHand(const GpuReport& gpus) {
    const int count = gpus.usableCount();
    return std::to_string(count) + (count == 1 ? " GPU is" : " GPUs are") +
           " there and used when parallel.device is cuda";
}

std::string whyGpus(const ParallelConfig& parallel, const GpuReport& gpus) {
    const int count = gpus.usableCount();
    if (count == 0) return "GPU: chosen in the experiment";
    const GpuPlacement placement = placeRank("", 0, static_cast<int>(parallel.worldSize), count);
    const std::string ranks = std::to_string(parallel.worldSize) + (parallel.worldSize == 1 ? " rank" : " ranks");
    const std::string where = ranks + " on " + std::to_string(count) + (count == 1 ? " GPU" : " GPUs");
    return where + (placement.shared ? ", " + placement.label : ": chosen in the experiment");
}

}  // namespace

HostDevices findHostDevices() {
    HostDevices host;
    host.cpuName = valueAfter("/proc/cpuinfo", "model name");
    if (host.cpuName.empty()) host.cpuName = "unnamed processor";
    host.cpus = usableCpus();
    host.memoryBytes = kibibytes(valueAfter("/proc/meminfo", "MemTotal"));
    host.availableBytes = kibibytes(valueAfter("/proc/meminfo", "MemAvailable"));
    host.gpus = noGpu(gpuDriverLoaded() ? "an NVIDIA driver is loaded; set parallel.device to cuda to use its GPUs"
                                        : kNoDriver);
    return host;
}

HostDevices findHostDevicesAndGpus() {
    HostDevices host = findHostDevices();
    host.gpus = probeGpus();
    return host;
}

ComputeChoice chooseCompute(const ParallelConfig& parallel, const HostDevices& host) {
    ComputeChoice choice;
    const bool cuda = parallel.device == "cuda";
    choice.device = cuda ? "cuda" : "cpu";
    choice.whyDevice = cuda ? whyGpus(parallel, host.gpus) : "CPU: chosen in the experiment";
    if (parallel.device == "auto")
        choice.whyDevice = "CPU: " + (host.gpus.usableCount() > 0 ? gpusAtHand(host.gpus) : host.gpus.why);
    choice.backend = parallel.backend;
    choice.whyBackend = parallel.backend + ": chosen in the experiment";
    if (parallel.backend == "auto") {
        choice.backend = cuda ? "nccl" : "shm";
        choice.whyBackend = cuda ? "NCCL: the ranks compute on GPUs" : "shared memory: all ranks are on this host";
    }
    return choice;
}

Problems checkCompute(const ParallelConfig& parallel, const HostDevices& host) {
    if (parallel.device != "cuda") {
        if (parallel.backend != "nccl") return {};
        return {{"parallel.backend", "is nccl, which carries gradients between GPUs only",
                 "set parallel.device to cuda, or parallel.backend to auto"}};
    }
    if (host.gpus.usableCount() == 0)
        return {{"parallel.device", "is cuda, but no GPU can be used: " + host.gpus.why, "set it to auto or cpu"}};
    if (host.gpus.nccl.empty())
        return {{"parallel.device", "is cuda, but ringside-worker-cuda was built without NCCL",
                 "install libnccl-dev and build again, or set it to cpu"}};
    if (parallel.backend != "auto" && parallel.backend != "nccl")
        return {{"parallel.backend", "is " + parallel.backend + ", but ranks on GPUs talk over NCCL",
                 "set it to auto or nccl, or parallel.device to cpu"}};
    return {};
}

}  // namespace ringside
