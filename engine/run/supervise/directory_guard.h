// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "run/supervise/directory_watch.h"
#include "run/supervise/run_journal.h"

namespace ringside {

// Guard of the directory of a live run. After the directory was deleted or moved, creates it again, with the
// configuration and new telemetry files, so that the ranks can save a last checkpoint in it. If this fails, the ranks
// save elsewhere (SaveDirectories), and the rest of the run is not recorded.
class DirectoryGuard {
  public:
    DirectoryGuard(const RunPaths& paths, const PreparedRun& run, RunJournal& journal);

    // Checks whether the run directory was deleted or moved, and creates it again in this case. Returns true once for
    // each loss: the caller must then stop the run. Throws IoError if another run uses the path now.
    bool isLost(TimePoint now);
    // Checks the directory without waiting for a second check, and creates it again if it is missing. Called at the end
    // of the run. Throws IoError if another run uses the path now.
    void restore();
    // Returns a text that describes the loss of the directory; empty if it was never lost.
    const std::string& lostText() const { return m_lostText; }

  private:
    void recreate();

    const RunPaths& m_paths;
    const PreparedRun& m_run;
    RunJournal& m_journal;
    DirectoryWatch m_watch;
    std::string m_lostText;
    bool m_cannotRecord = false;  // true if the directory was lost and could not be created again
};

}  // namespace ringside
