// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "config/run_config.h"
#include "run/read/run_summary.h"

namespace ringside {

// Temporary directory that the destructor removes.
class WorkDirectory {
  public:
    explicit WorkDirectory(const std::string& name);  // name of the command; throws IoError
    ~WorkDirectory();
    WorkDirectory(const WorkDirectory&) = delete;
    WorkDirectory& operator=(const WorkDirectory&) = delete;
    const std::filesystem::path& path() const { return m_path; }

  private:
    std::filesystem::path m_path;
};

// Result of a training in a child process.
struct TrainedChild {
    std::filesystem::path run;  // run directory
    RunSummary summary;
};

// Trains an experiment with a child process `ringsidectl run` in directory/name. Blocks until the child has ended.
// Returns a problem if the training failed.
Result<TrainedChild> trainAsChild(const RunConfig& config, const std::string& name,
                                  const std::filesystem::path& directory);

}  // namespace ringside
