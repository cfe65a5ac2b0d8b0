// SPDX-License-Identifier: Apache-2.0
#include "run/read/default_run_directory.h"

#include <unistd.h>

#include <ctime>
#include <utility>

#include "base/system/numbered_directory.h"
#include "base/system/user_directory.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

std::string fileNameOf(const std::string& name) {
    constexpr std::size_t kMax = 64;
    std::string safe;
    for (const char c : name.substr(0, kMax)) {
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

bool canWriteIn(const fs::path& directory) {
    return ::access(directory.c_str(), W_OK | X_OK) == 0;
}

// True if a run directory can be created below `directory`, which need not exist yet. Creates nothing.
bool canHoldRuns(const fs::path& directory) {
    std::error_code error;
    if (fs::exists(fs::symlink_status(directory, error)))
        return fs::is_directory(directory, error) && canWriteIn(directory);
    return canWriteIn(directory.parent_path());
}

// Returns the path of the default run directory of a run that starts now, without the number that is appended if the
// path exists.
fs::path defaultBase(const std::string& name) {
    const std::string safe = fileNameOf(name);
    return runsDirectory() / (safe.empty() ? stamp() : stamp() + "-" + safe);
}

}  // namespace

fs::path runsDirectory() {
    std::error_code error;
    const fs::path here = fs::current_path(error);
    if (!error && canHoldRuns(here / "runs")) return here / "runs";
    return userDirectory(UserDirectory::kData) / "runs";
}

Result<fs::path> makeDefaultRunDirectory(const std::string& name) {
    Result<fs::path> made = makeNumberedDirectory(defaultBase(name));
    if (made) return made;
    return Problem{made.problem().field, made.problem().message, "choose another directory with --out"};
}

Result<ReservedRunDirectory> ReservedRunDirectory::make(const std::string& name) {
    Result<fs::path> path = makeDefaultRunDirectory(name);
    if (!path) return path.problem();
    return ReservedRunDirectory(std::move(path).value());
}

ReservedRunDirectory::ReservedRunDirectory(ReservedRunDirectory&& other) noexcept
    : m_path(std::exchange(other.m_path, {})) {}

ReservedRunDirectory::~ReservedRunDirectory() {
    if (!m_path.empty()) ::rmdir(m_path.c_str());  // fails, as intended, if the run has written to the directory
}

}  // namespace ringside
