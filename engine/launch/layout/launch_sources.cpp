// SPDX-License-Identifier: Apache-2.0
#include "launch/layout/launch_sources.h"

#include <unistd.h>

#include <array>
#include <sstream>

#include "base/system/files.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxNodeFileBytes = 4U << 20;

std::string readHostName() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

std::string firstLine(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

}  // namespace

LaunchSources readLaunchSources() {
    LaunchSources sources;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string text(*entry);
        const std::size_t equals = text.find('=');
        if (equals != std::string::npos) sources.environment[text.substr(0, equals)] = text.substr(equals + 1);
    }
    sources.hostName = readHostName();
    if (const auto file = sources.find("PBS_NODEFILE")) {
        const Result<std::string> content = readFile(*file, kMaxNodeFileBytes);
        std::istringstream lines(content ? content.value() : "");
        for (std::string line; std::getline(lines, line);) {
            if (!line.empty()) sources.nodeFile.push_back(line);
        }
    }
    return sources;
}

std::string hostKey() {
    std::array<char, 128> space{};
    const ssize_t length = ::readlink("/proc/self/ns/net", space.data(), space.size() - 1);
    const Result<std::string> boot = readKernelFile("/proc/sys/kernel/random/boot_id", 256);
    return (boot ? firstLine(boot.value()) : readHostName()) + " " + (length > 0 ? space.data() : "");
}

}  // namespace ringside
