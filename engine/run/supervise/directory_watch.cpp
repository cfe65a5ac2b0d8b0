// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/directory_watch.h"

#include <sys/stat.h>

#include <cerrno>

namespace ringside {
namespace {

constexpr std::chrono::milliseconds kPollInterval{250};

// True if it is certain that the path does not exist. Returns false for other errors, such as those of a network file
// system that is temporarily unavailable.
bool isAbsent(const char* path, struct stat& found) {
    return ::stat(path, &found) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

}  // namespace

DirectoryWatch::DirectoryWatch(const RunPaths& paths) : m_paths(paths) {
    begin();
}

void DirectoryWatch::begin() {
    struct stat found {};
    if (::stat(m_paths.directory.c_str(), &found) != 0) return;
    m_device = found.st_dev;
    m_inode = found.st_ino;
    m_missed = 0;
}

bool DirectoryWatch::isIntact() const {
    struct stat found {};
    if (isAbsent(m_paths.directory.c_str(), found)) return false;
    if (found.st_ino != 0 && (found.st_ino != m_inode || found.st_dev != m_device)) return false;
    struct stat file {};
    return !isAbsent(m_paths.telemetry().c_str(), file);
}

bool DirectoryWatch::isLost(TimePoint now) {
    if (now < m_nextPoll) return false;
    m_nextPoll = now + kPollInterval;
    m_missed = isIntact() ? 0 : m_missed + 1;
    return m_missed >= 2;
}

}  // namespace ringside
