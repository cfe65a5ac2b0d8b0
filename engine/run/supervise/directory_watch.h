// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include "base/time/clock.h"
#include "run/read/run_directory.h"

namespace ringside {

// Detects that the run directory was deleted, moved, emptied or replaced. Open files would still accept data then, but
// the data could not be found any more.
class DirectoryWatch {
  public:
    explicit DirectoryWatch(const RunPaths& paths);

    // Checks the directory, but at most every 250 ms. Returns true once two checks in a row have failed, so that a
    // running `rm -r` is over.
    bool isLost(TimePoint now);
    // Stores which directory is now at the path. Later checks compare with this directory.
    void begin();
    // Checks at once. True if the path is still the directory that begin() stored and contains telemetry.jsonl.
    bool isThere() const;

  private:
    const RunPaths m_paths;
    dev_t m_device = 0;
    ino_t m_inode = 0;
    int m_missed = 0;
    TimePoint m_lookAt{};
};

}  // namespace ringside
