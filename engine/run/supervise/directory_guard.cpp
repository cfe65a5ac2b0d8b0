// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/directory_guard.h"

#include <filesystem>

#include "base/errors/errors.h"
#include "base/system/files.h"
#include "telemetry/events/codec.h"

namespace ringside {

DirectoryGuard::DirectoryGuard(const RunPaths& paths, const PreparedRun& run, RunJournal& journal)
    : m_paths(paths), m_run(run), m_journal(journal), m_watch(paths) {}

bool DirectoryGuard::isLost(TimePoint now) {
    if (m_cannotRecord || !m_watch.isLost(now)) return false;
    recreate();
    m_journal.log(
        LogLevel::kError,
        m_lostText + (m_cannotRecord
                          ? ": the ranks stop and save their weights in another directory"
                          : ": the ranks stop and save their weights there again; the earlier records are lost"));
    return true;
}

void DirectoryGuard::restore() {
    if (!m_cannotRecord && !m_watch.isIntact()) recreate();
}

void DirectoryGuard::recreate() {
    m_lostText = "the run directory " + m_paths.directory.string() + " was deleted or moved during the run";
    std::error_code error;
    std::filesystem::create_directories(m_paths.directory, error);
    if (!error && std::filesystem::exists(m_paths.config(), error)) {
        throw IoError(m_lostText + ", and another run uses the directory now");
    }
    try {
        if (error) throw IoError("the directory cannot be created again (" + error.message() + ")");
        writeFileAtomically(m_paths.config(), m_run.config.toText(2) + "\n");
        m_journal.recorder().startNewFiles(encode(m_journal.runLine()));
        m_watch.begin();
    } catch (const IoError& cause) {
        m_cannotRecord = true;
        m_lostText += std::string("; ") + cause.what();
    }
}

}  // namespace ringside
