// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint/save_directories.h"

#include <cerrno>
#include <utility>

#include "base/system/files.h"
#include "base/system/numbered_directory.h"
#include "base/system/user_directory.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxAttempts = 3;
constexpr std::size_t kMaxConfigBytes = 16U << 20;
constexpr const char* kConfigName = "config.json";

// True if the directory, or one of the directories above it, no longer exists.
bool isGone(const IoError& error) {
    return error.systemError() == ENOENT || error.systemError() == ENOTDIR || error.systemError() == ESTALE;
}

}  // namespace

SaveDirectories::SaveDirectories(fs::path runDirectory, const RunConfig& config)
    : m_runDirectory(std::move(runDirectory)), m_config(config), m_current(m_runDirectory) {}

bool SaveDirectories::chooseNext(const IoError& error) {
    if (m_firstFailure.empty()) m_firstFailure = error.what();
    if (isGone(error) && m_attempts++ < kMaxAttempts) return true;
    m_attempts = 1;
    std::error_code ignored;
    if (!isRunDirectory())
        fs::remove_all(m_current,
                       ignored);  // removes the directory, which makeDirectory() has created and which contains no
                                  // complete checkpoint
    while (m_kind != Kind::kStateDirectory)
        if (makeDirectory(m_kind == Kind::kRunDirectory ? Kind::kBeside : Kind::kStateDirectory)) return true;
    return false;
}

bool SaveDirectories::makeDirectory(Kind kind) {
    m_kind = kind;
    const Result<fs::path> made = makeNumberedDirectory(parentDirectoryOf(kind));
    if (!made) return false;
    try {
        writeFileAtomically(made.value() / kConfigName, configText());
    } catch (const IoError&) {
        std::error_code ignored;
        fs::remove(made.value(), ignored);
        return false;
    }
    m_current = made.value();
    return true;
}

fs::path SaveDirectories::parentDirectoryOf(Kind kind) const {
    const fs::path name = m_runDirectory.filename();
    if (kind == Kind::kBeside) return m_runDirectory.parent_path() / (name.string() + "-saved");
    return userDirectory(UserDirectory::kState) / "saved" / name;
}

std::string SaveDirectories::configText() const {
    const Result<std::string> text = readFile(m_runDirectory / kConfigName, kMaxConfigBytes);
    return text ? text.value() : m_config.toText(2) + "\n";
}

}  // namespace ringside
