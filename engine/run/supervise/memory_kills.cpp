// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/memory_kills.h"

#include <charconv>
#include <string>

#include "base/system/files.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxBytes = 1U << 16;
constexpr const char* kMachine = "/proc/vmstat";

// Returns the path of the file memory.events of this process's control group (cgroup version 2, whose line begins with
// "0::"); empty if there is none.
std::filesystem::path ownGroupFile() {
    const Result<std::string> groups = readFile("/proc/self/cgroup", kMaxBytes);
    if (!groups) return {};
    const std::string& text = groups.value();
    const std::size_t start = text.rfind("0::/", 0) == 0 ? 0 : text.find("\n0::/");
    if (start == std::string::npos) return {};
    const std::size_t path = text.find('/', start);
    return "/sys/fs/cgroup" + text.substr(path, text.find('\n', path) - path) + "/memory.events";
}

std::optional<std::int64_t> killsIn(const std::filesystem::path& file) {
    const Result<std::string> text = readFile(file, kMaxBytes);
    return text ? oomKillsIn(text.value()) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> oomKillsIn(std::string_view text) {
    constexpr std::string_view kName = "oom_kill ";
    std::size_t at = text.starts_with(kName) ? 0 : text.find("\noom_kill ");
    if (at == std::string_view::npos) return {};
    at = text.find(' ', at) + 1;
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), count);
    if (error != std::errc{} || count < 0) return {};
    return count;
}

MemoryKills::MemoryKills() : m_file(ownGroupFile()), m_before(m_file.empty() ? std::nullopt : killsIn(m_file)) {
    if (!m_before) {
        m_file = kMachine;
        m_before = killsIn(m_file);
    }
    m_last = m_before;
}

void MemoryKills::read(TimePoint now) {
    constexpr std::chrono::seconds kEvery{10};
    if (!m_last || now < m_nextReading) return;
    m_nextReading = now + kEvery;
    m_before = m_last;
    m_last = killsIn(m_file);
}

std::optional<bool> MemoryKills::killedRecently() const {
    const std::optional<std::int64_t> now = m_before ? killsIn(m_file) : std::nullopt;
    if (!now) return {};
    return *now > *m_before;
}

}  // namespace ringside
