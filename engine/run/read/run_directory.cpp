// SPDX-License-Identifier: Apache-2.0
#include "run/read/run_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "base/system/files.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

std::string fileNameOf(const std::string& name) {
    constexpr std::size_t kMost = 64;
    std::string safe;
    for (const char c : name.substr(0, kMost)) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                           c == '_' || c == '.';
        safe += plain ? c : '-';
    }
    return safe;
}

std::string stamp() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    ::localtime_r(&now, &local);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d-%H%M%S", &local);
    return text;
}

bool canMake(const fs::path& directory) {
    std::error_code error;
    fs::create_directories(directory, error);
    return !error && ::access(directory.c_str(), W_OK | X_OK) == 0;
}

fs::path runsDirectory() {
    std::error_code error;
    const fs::path here = fs::current_path(error);
    if (!error && canMake(here / "runs")) return here / "runs";
    const char* data = std::getenv("XDG_DATA_HOME");
    if (data != nullptr && *data == '/') return fs::path(data) / "ringside" / "runs";
    const char* home = std::getenv("HOME");
    return fs::path(home != nullptr ? home : "/tmp") / ".local/share/ringside/runs";
}

Problem unusable(const fs::path& path, int error) {
    return {path.string(), "cannot be used as the run directory (" + errnoText(error) + ")",
            "choose another directory with --out"};
}

}  // namespace

fs::path defaultRunDirectory(const std::string& name) {
    const std::string safe = fileNameOf(name);
    const fs::path base = runsDirectory() / (safe.empty() ? stamp() : stamp() + "-" + safe);
    fs::path path = base;
    for (int number = 2; fs::exists(fs::symlink_status(path)); ++number) {
        path = base;
        path += '-';
        path += std::to_string(number);
    }
    return path;
}

Result<RunDirectory> RunDirectory::create(const fs::path& path) {
    std::error_code error;
    const fs::path absolute = fs::absolute(path, error);
    if (error) return unusable(path, error.value());
    RunDirectory directory(absolute.lexically_normal());
    const RunPaths& paths = directory.m_paths;
    directory.m_created = false;
    const bool made = fs::create_directories(paths.directory, error);
    if (error) return unusable(path, error.value());
    if (!made && (fs::exists(paths.config()) || fs::exists(paths.telemetry()) || fs::exists(paths.metrics()))) {
        return Problem{path.string(), "holds another run", "choose another directory with --out"};
    }
    if (!made && !fs::is_empty(paths.directory, error)) {
        return Problem{path.string(), "is not empty", "choose a new or an empty directory with --out"};
    }
    directory.m_madeDirectory = made;
    directory.m_created = true;
    directory.m_lock.reset(::open(paths.lock().c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!directory.m_lock) return unusable(path, errno);
    if (::flock(directory.m_lock.get(), LOCK_EX | LOCK_NB) != 0) return unusable(path, errno);
    return directory;
}

Result<RunDirectory> RunDirectory::reopen(const fs::path& path) {
    const Result<RunPaths> paths = openRunDirectory(path);
    if (!paths) return paths.problem();
    RunDirectory directory(paths.value().directory);
    directory.m_created = false;
    directory.m_lock.reset(::open(paths.value().lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!directory.m_lock) return unusable(path, errno);
    if (::flock(directory.m_lock.get(), LOCK_EX | LOCK_NB) != 0)
        return Problem{path.string(), "holds a run that still goes on", "wait for its end, or stop it first"};
    return directory;
}

RunDirectory::RunDirectory(RunDirectory&& other) noexcept
    : m_paths(std::move(other.m_paths)),
      m_lock(std::move(other.m_lock)),
      m_created(std::exchange(other.m_created, false)),
      m_madeDirectory(other.m_madeDirectory) {}

RunDirectory::~RunDirectory() {
    if (!m_created) return;
    std::error_code ignored;
    for (const fs::path& file : {m_paths.config(), m_paths.summary(), m_paths.metrics(), m_paths.telemetry(),
                                 m_paths.log(), m_paths.launch(), m_paths.lock(), m_paths.supervisor()}) {
        fs::remove(file, ignored);
    }
    if (m_madeDirectory) fs::remove(m_paths.directory, ignored);
}

void RunDirectory::release() {
    std::error_code ignored;
    fs::remove(m_paths.supervisor(), ignored);
    fs::remove(m_paths.lock(), ignored);
    m_lock.reset();
}

bool isRunAlive(const fs::path& runDirectory) {
    const UniqueFd fd(::open(RunPaths(runDirectory).lock().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (!fd) return false;
    return ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

Result<RunPaths> openRunDirectory(const fs::path& path) {
    std::error_code error;
    if (!fs::exists(path, error)) {
        if (error) return Problem{path.string(), "cannot be read (" + errnoText(error.value()) + ")", "check the path"};
        return Problem{path.string(), "does not exist", "name a run directory, such as one under runs/"};
    }
    RunPaths paths(fs::absolute(path, error).lexically_normal());
    const bool found = fs::exists(paths.config(), error);
    if (error) {
        return Problem{path.string(), "cannot be read (" + errnoText(error.value()) + ")", "check its permissions"};
    }
    if (!found) {
        return Problem{path.string(), "holds no run (there is no config.json)",
                       "name a run directory, such as one under runs/"};
    }
    return paths;
}

}  // namespace ringside
