// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include "base/time/clock.h"
#include "run/read/run_directory.h"

namespace ringside {

// Detector of a run directory that was deleted, moved, emptied or replaced. Writing to the open files does not fail in
// this case, but the written data is lost.
class DirectoryWatch {
  public:
    explicit DirectoryWatch(const RunPaths& paths);

    // Checks the directory at most every 250 ms. Returns true once two checks in a row have failed: a running `rm -r`
    // may still delete files after the first failure.
    bool isLost(TimePoint now);
    // Stores the identity of the directory that is at the path now, for comparison by later checks.
    void begin();
    // Checks the directory immediately. True if the directory at the path is the one that begin() stored, and contains
    // telemetry.jsonl.
    bool isIntact() const;

  private:
    const RunPaths m_paths;
    dev_t m_device = 0;
    ino_t m_inode = 0;
    int m_missed = 0;
    TimePoint m_nextPoll{};
};

}  // namespace ringside
