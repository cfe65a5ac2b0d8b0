// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "config/run_config.h"
#include "run/read/run_summary.h"

namespace ringside {

// A directory that goes with its owner.
class WorkDirectory {
  public:
    explicit WorkDirectory(const std::string& name);  // of the command that works there
    ~WorkDirectory();
    WorkDirectory(const WorkDirectory&) = delete;
    WorkDirectory& operator=(const WorkDirectory&) = delete;
    const std::filesystem::path& path() const { return m_path; }

  private:
    std::filesystem::path m_path;
};

struct TrainedChild {
    std::filesystem::path run;  // its directory
    RunSummary summary;
};

// Trains an experiment by a `ringsidectl run` of its own, in directory/name; or why it could not. Waits for its end.
Result<TrainedChild> trainAsChild(const RunConfig& config, const std::string& name,
                                  const std::filesystem::path& directory);

}  // namespace ringside
