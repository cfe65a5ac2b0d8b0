// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/errors/result.h"
#include "base/json/json_fwd.h"
#include "base/system/unique_fd.h"

namespace ringside {

// Names inside a run directory; what is in each file is part of the run directory contract.
struct RunPaths {
    explicit RunPaths(std::filesystem::path runDirectory) : directory(std::move(runDirectory)) {}

    std::filesystem::path directory;
    std::filesystem::path config() const { return directory / "config.json"; }
    std::filesystem::path summary() const { return directory / "summary.json"; }
    std::filesystem::path metrics() const { return directory / "metrics.jsonl"; }
    std::filesystem::path telemetry() const { return directory / "telemetry.jsonl"; }
    std::filesystem::path trace() const { return directory / "trace.jsonl"; }
    std::filesystem::path olderTrace() const { return directory / "trace.1.jsonl"; }
    std::filesystem::path log() const { return directory / "log.txt"; }
    std::filesystem::path lock() const { return directory / "run.lock"; }
    std::filesystem::path launch() const { return directory / "launch.json"; }  // of a run under a launcher
    std::filesystem::path supervisor() const { return directory / "supervisor.json"; }
};

// The directory of a run being written: made new (or empty before), locked while the run lives. Until keep() it is
// removed again by the destructor, so that a run that could not start leaves nothing behind.
class RunDirectory {
  public:
    // A problem when the directory is in use, holds anything, or cannot be made or written.
    static Result<RunDirectory> create(const std::filesystem::path& path);
    // The same in a new directory with a default name (makeDefaultRunDirectory()).
    static Result<RunDirectory> createDefault(const std::string& name);
    // The directory of a run that has ended, or died, to go on in it; a problem when it is none or still in use.
    static Result<RunDirectory> reopen(const std::filesystem::path& path);
    ~RunDirectory();
    RunDirectory(RunDirectory&& other) noexcept;
    RunDirectory& operator=(RunDirectory&& other) = delete;

    const RunPaths& paths() const { return m_paths; }
    void keep() { m_created = false; }
    void release();  // the run has ended: unlocks and removes the files that only a live run needs

  private:
    explicit RunDirectory(std::filesystem::path path) : m_paths(std::move(path)) {}
    static Result<RunDirectory> lock(RunDirectory directory, bool made);

    RunPaths m_paths;
    UniqueFd m_lock;
    bool m_created = true;
    bool m_madeDirectory = false;
};

// A problem when the path holds no run.
Result<RunPaths> openRunDirectory(const std::filesystem::path& path);

}  // namespace ringside
