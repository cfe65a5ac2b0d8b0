// SPDX-License-Identifier: Apache-2.0
#include "run/read/run_life.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>

#include "base/system/unique_fd.h"
#include "run/read/run_directory.h"

namespace ringside {
namespace {

// True if the kernel lists an flock(2) on the file in /proc/locks, held by any process that this process may see
// (proc_locks(5)).
bool isListedAsLocked(const struct stat& file) {
    const std::string inode = fmt::format(" {:02x}:{:02x}:{} ", major(file.st_dev), minor(file.st_dev), file.st_ino);
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);) {
        const bool waits = line.find("->") != std::string::npos;
        if (!waits && line.find(" FLOCK ") != std::string::npos && line.find(inode) != std::string::npos) return true;
    }
    return false;
}

RunLife lifeFromOutside(const std::filesystem::path& lock) {
    struct stat file {};
    if (::lstat(lock.c_str(), &file) != 0) return errno == ENOENT ? RunLife::kOver : RunLife::kUnknown;
    return isListedAsLocked(file) ? RunLife::kLive : RunLife::kUnknown;
}

std::string userText(uid_t user) {
    std::array<char, 4096> buffer{};
    passwd entry{};
    passwd* found = nullptr;
    const bool known = ::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr;
    return std::string("user ").append(known ? std::string(found->pw_name) : std::to_string(user));
}

}  // namespace

RunLife runLife(const std::filesystem::path& runDirectory) {
    const std::filesystem::path lock = RunPaths(runDirectory).lock();
    const UniqueFd fd(::open(lock.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (!fd) return errno == EACCES || errno == EPERM ? lifeFromOutside(lock) : RunLife::kOver;
    const bool isHeld = ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    return isHeld ? RunLife::kLive : RunLife::kOver;
}

bool isRunAlive(const std::filesystem::path& runDirectory) {
    return runLife(runDirectory) == RunLife::kLive;
}

std::optional<std::string> otherOwner(const std::filesystem::path& runDirectory) {
    struct stat file {};
    if (::lstat(RunPaths(runDirectory).lock().c_str(), &file) != 0) return {};
    if (file.st_uid == ::geteuid() || ::geteuid() == 0) return {};
    return userText(file.st_uid);
}

}  // namespace ringside
