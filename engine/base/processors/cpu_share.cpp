// SPDX-License-Identifier: Apache-2.0
#include "base/processors/cpu_share.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <tuple>

namespace ringside {
namespace {

// Sort key of a CPU: package, core, CPU number. Without topology information the package is 0 and the core is the CPU
// number.
std::tuple<int, int, int> coreOf(int cpu) {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    const auto read = [&](const char* name, int otherwise) {
        int value = otherwise;
        return std::ifstream(folder + name) >> value ? value : otherwise;
    };
    return {read("physical_package_id", 0), read("core_id", cpu), cpu};
}

}  // namespace

std::vector<int> allowedCpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> cpus;
    if (::sched_getaffinity(0, sizeof set, &set) != 0)
        return cpus;  // empty: sched_getaffinity() fails if the host has more CPUs than a cpu_set_t can represent
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
    }
    std::ranges::sort(cpus, {}, coreOf);
    return cpus;
}

int onlineCpus() {
    return static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
}

std::vector<int> shareOfCpus(const std::vector<int>& cpus, int share, int shares) {
    const auto count = static_cast<std::size_t>(shares);
    if (shares < 1 || share < 0 || share >= shares || cpus.size() < count) return {};
    const auto edge = [&](int at) {
        return cpus.begin() + static_cast<std::ptrdiff_t>(cpus.size() * static_cast<std::size_t>(at) / count);
    };
    return {edge(share), edge(share + 1)};
}

bool setThreadAffinity(const std::vector<int>& cpus) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
    std::error_code error;
    bool all = true;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error)) {
        const int thread = std::atoi(entry.path().filename().c_str());
        all = ::sched_setaffinity(thread, sizeof set, &set) == 0 && all;
    }
    return all && !error;
}

std::string cpuListText(std::vector<int> cpus) {
    std::ranges::sort(cpus);
    std::string text;
    for (std::size_t first = 0; first < cpus.size();) {
        std::size_t last = first;
        while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
        if (!text.empty()) text += ',';
        text += std::to_string(cpus[first]);
        if (last > first) text.append("-").append(std::to_string(cpus[last]));
        first = last + 1;
    }
    return text;
}

}  // namespace ringside
