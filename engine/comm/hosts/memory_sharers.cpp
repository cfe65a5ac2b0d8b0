// SPDX-License-Identifier: Apache-2.0
#include "comm/hosts/memory_sharers.h"

#include <sys/stat.h>

#include <algorithm>
#include <string>

#include "base/errors/errors.h"
#include "base/system/files.h"

namespace ringside {
namespace {

// Returns a text that identifies a shared file across hosts: the boot id of the system, the device and the inode.
std::string nameOfMemory(int fd, int rank) {
    struct stat info {};
    const Result<std::string> system = readKernelFile("/proc/sys/kernel/random/boot_id", 256);
    if (fd < 0 || ::fstat(fd, &info) != 0 || !system) return "alone " + std::to_string(rank);
    return system.value() + std::to_string(info.st_dev) + " " + std::to_string(info.st_ino);
}

}  // namespace

std::vector<int> findMemorySharers(Store& store, int sharedFd, int rank, int size, std::chrono::milliseconds timeout) {
    const std::string own = nameOfMemory(sharedFd, rank);
    store.set("memory/" + std::to_string(rank), {own.begin(), own.end()});
    std::vector<std::string> names;
    std::vector<int> hosts;
    for (int peer = 0; peer < size; ++peer) {
        const std::vector<char> received = store.get("memory/" + std::to_string(peer), timeout);
        const std::string name(received.begin(), received.end());
        const auto known = std::ranges::find(names, name);
        hosts.push_back(static_cast<int>(known - names.begin()));
        if (known == names.end()) names.push_back(name);
    }
    return hosts;
}

}  // namespace ringside
