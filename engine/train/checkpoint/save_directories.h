// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/errors/errors.h"
#include "config/run_config.h"

namespace ringside {

// Directories in which rank 0 tries to save the weights, in this order: the run directory; RUN_DIR-saved beside the run
// directory; ringside/saved/RUN_DIR in the user's state directory. The last two are created when they are needed; if
// the name already exists, a number is appended. They contain config.json, so that a run can be resumed from them.
class SaveDirectories {
  public:
    // config: configuration that is written to the directory as config.json, unless the directory has such a file. Must
    // outlive this object.
    SaveDirectories(std::filesystem::path runDirectory, const RunConfig& config);

    const std::filesystem::path& currentDirectory() const { return m_current; }
    bool isRunDirectory() const { return m_kind == Kind::kRunDirectory; }

    // Chooses the directory for the next attempt after a save failed with `error`. If the directory was deleted, it is
    // chosen again, for up to three attempts in total, because a save creates the directory. Returns false if all
    // directories have been tried.
    bool chooseNext(const IoError& error);

    // Returns the reason why saving in the run directory failed; empty if no save has failed.
    const std::string& firstFailure() const { return m_firstFailure; }

  private:
    enum class Kind { kRunDirectory, kBeside, kStateDirectory };

    bool makeDirectory(Kind kind);
    std::filesystem::path parentDirectoryOf(Kind kind) const;
    std::string configText() const;

    const std::filesystem::path m_runDirectory;
    const RunConfig& m_config;
    std::filesystem::path m_current;
    Kind m_kind = Kind::kRunDirectory;
    int m_attempts = 1;  // number of attempts to save in the current directory
    std::string m_firstFailure;
};

}  // namespace ringside
