// SPDX-License-Identifier: Apache-2.0
#include "run/read/run_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/system/files.h"
#include "run/read/default_run_directory.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

Problem unusable(const fs::path& path, int error) {
    return {path.string(), "cannot be used as the run directory (" + errnoText(error) + ")",
            "choose another directory with --out"};
}

}  // namespace

Result<RunDirectory> RunDirectory::createDefault(const std::string& name) {
    const Result<fs::path> path = makeDefaultRunDirectory(name);
    if (!path) return path.problem();
    return lock(RunDirectory(path.value()), true);
}

Result<RunDirectory> RunDirectory::create(const fs::path& path) {
    std::error_code error;
    const fs::path absolute = fs::absolute(path, error);
    if (error) return unusable(path, error.value());
    RunDirectory directory(absolute.lexically_normal());
    const RunPaths paths = directory.m_paths;
    directory.m_created = false;
    const bool made = fs::create_directories(paths.directory, error);
    if (error) return unusable(path, error.value());
    if (!made && (fs::exists(paths.config()) || fs::exists(paths.telemetry()) || fs::exists(paths.metrics()))) {
        return Problem{path.string(), "contains another run", "choose another directory with --out"};
    }
    if (!made && !fs::is_empty(paths.directory, error)) {
        return Problem{path.string(), "is not empty", "choose a new or an empty directory with --out"};
    }
    return lock(std::move(directory), made);
}

// Locks a new or empty directory. Returns a problem, and does not change the directory, if another run has locked it
// already.
Result<RunDirectory> RunDirectory::lock(RunDirectory directory, bool made) {
    const RunPaths paths = directory.m_paths;
    directory.m_madeDirectory = made;
    directory.m_created = true;
    directory.m_lock.reset(::open(paths.lock().c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!directory.m_lock && errno == EEXIST) {
        directory.m_created = false;
        return Problem{paths.directory.string(), "contains another run", "choose another directory with --out"};
    }
    if (!directory.m_lock) return unusable(paths.directory, errno);
    if (::flock(directory.m_lock.get(), LOCK_EX | LOCK_NB) != 0) return unusable(paths.directory, errno);
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
        return Problem{path.string(), "contains a run that is still live", "wait until the run ends, or stop it first"};
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

Result<RunPaths> openRunDirectory(const fs::path& path) {
    std::error_code error;
    if (!fs::exists(path, error)) {
        if (error) return Problem{path.string(), "cannot be read (" + errnoText(error.value()) + ")", "check the path"};
        return Problem{path.string(), "does not exist", "use a run directory, such as one in runs/"};
    }
    RunPaths paths(fs::absolute(path, error).lexically_normal());
    const bool found = fs::exists(paths.config(), error) || (!error && fs::exists(paths.telemetry(), error));
    if (error) {
        return Problem{path.string(), "cannot be read (" + errnoText(error.value()) + ")", "check its permissions"};
    }
    if (!found) {
        return Problem{path.string(), "contains no run (there is neither config.json nor telemetry.jsonl)",
                       "use a run directory, such as one in runs/"};
    }
    return paths;
}

}  // namespace ringside
