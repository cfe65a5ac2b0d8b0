// SPDX-License-Identifier: Apache-2.0
#include "run/read/trace_follower.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "telemetry/events/codec.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxTracesAtOnce = 1U << 20;

UniqueFd openTrace(const std::filesystem::path& path) {
    UniqueFd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat info {};
    if (file && (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))) file.reset();
    return file;
}

bool isAt(const UniqueFd& file, const std::filesystem::path& path) {
    struct stat open {};
    struct stat there {};
    return ::fstat(file.get(), &open) == 0 && ::stat(path.c_str(), &there) == 0 && open.st_ino == there.st_ino &&
           open.st_dev == there.st_dev;
}

}  // namespace

bool TraceFollower::advance(const std::function<void(std::string_view)>& lines) {
    if (!m_file && !openNext()) return false;
    while (!readNext(lines)) {
        // At the end of a file: waits for more data in the growing file. A file that was renamed no longer grows: reads
        // the rest of it, and then opens the next file.
        if (isAt(m_file, m_paths.trace())) return false;
        if (readNext(lines)) return true;
        if (!openNext()) return false;
    }
    return true;
}

// Opens the next trace file: first the older file, if there is one, then the growing file. Returns false if the file
// does not exist.
bool TraceFollower::openNext() {
    m_pending.clear();
    UniqueFd next;
    if (!m_started) next = openTrace(m_paths.olderTrace());
    if (!next) next = openTrace(m_paths.trace());
    if (!next) return false;
    m_started = true;
    m_file = std::move(next);
    return true;
}

// Reads about 1 MiB. Returns true if there may be more; false at the end of the file.
bool TraceFollower::readNext(const std::function<void(std::string_view)>& lines) {
    std::array<char, 1U << 16> buffer;
    for (std::size_t taken = 0; taken < kMaxTracesAtOnce;) {
        const ssize_t got = ::read(m_file.get(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        taken += static_cast<std::size_t>(got);
        m_pending.append(buffer.data(), static_cast<std::size_t>(got));
        const std::size_t newline = m_pending.rfind('\n');
        if (newline != std::string::npos) {
            lines(std::string_view(m_pending).substr(0, newline + 1));
            m_pending.erase(0, newline + 1);
        } else if (m_pending.size() > Decoder::kMaxLine) {
            m_pending.clear();
        }
    }
    return true;
}

}  // namespace ringside
