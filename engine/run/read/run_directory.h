// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/errors/result.h"
#include "base/json/json_fwd.h"
#include "base/system/unique_fd.h"

namespace ringside {

// Paths of the files in a run directory. Their content is part of the run directory contract.
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
    // Returns the path of the file that describes the launcher. The file exists only if a launcher started the run.
    std::filesystem::path launch() const { return directory / "launch.json"; }
    std::filesystem::path supervisor() const { return directory / "supervisor.json"; }
};

// Directory of a run that is being written, locked with flock(2) while the run is live. Until keep() is called, the
// destructor removes a new directory and its files, so that a run that could not start leaves nothing behind.
class RunDirectory {
  public:
    // Creates and locks a directory. Returns a problem if it is in use, not empty, or cannot be created or written.
    static Result<RunDirectory> create(const std::filesystem::path& path);
    // Creates and locks a new directory with a default name (makeDefaultRunDirectory()).
    static Result<RunDirectory> createDefault(const std::string& name);
    // Locks the directory of a run that has ended or crashed, so that the run can resume in it. This object never
    // removes such a directory. Returns a problem if the directory contains no run or is in use.
    static Result<RunDirectory> reopen(const std::filesystem::path& path);
    ~RunDirectory();
    RunDirectory(RunDirectory&& other) noexcept;
    RunDirectory& operator=(RunDirectory&& other) = delete;

    const RunPaths& paths() const { return m_paths; }
    // Makes the destructor keep the directory.
    void keep() { m_created = false; }
    // Removes the files that are needed only while the run is live, and unlocks the directory. Must be called after the
    // run has ended.
    void release();

  private:
    explicit RunDirectory(std::filesystem::path path) : m_paths(std::move(path)) {}
    static Result<RunDirectory> lock(RunDirectory directory, bool made);

    RunPaths m_paths;
    UniqueFd m_lock;
    bool m_created = true;
    bool m_madeDirectory = false;
};

// Returns the paths of an existing run directory. Returns a problem if `path` contains neither config.json nor
// telemetry.jsonl, or cannot be read.
Result<RunPaths> openRunDirectory(const std::filesystem::path& path);

}  // namespace ringside
