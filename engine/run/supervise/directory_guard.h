// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "run/supervise/directory_watch.h"
#include "run/supervise/run_journal.h"

namespace ringside {

// Creates the directory of a live run again when it was deleted or moved, for the ranks' last checkpoint, its
// configuration and a new record. If that fails, the ranks save elsewhere (SavePlaces), and the rest of the run is not
// recorded.
class DirectoryGuard {
  public:
    DirectoryGuard(const RunPaths& paths, const PreparedRun& run, RunJournal& journal);

    // Checks the directory, and creates it again if it is lost. Returns true at the check that finds it lost: the run
    // must then stop. Throws IoError if another run uses the directory now.
    bool isLost(TimePoint now);
    // Checks the directory at once. Call at the end of the run. Throws IoError if another run uses the directory now.
    void restore();
    // Returns a text that describes the loss of the directory; empty if it was never lost.
    const std::string& lostText() const { return m_lostText; }

  private:
    void startAgain();

    const RunPaths& m_paths;
    const PreparedRun& m_run;
    RunJournal& m_journal;
    DirectoryWatch m_watch;
    std::string m_lostText;
    bool m_cannotRecord = false;  // true if the lost directory could not be created again
};

}  // namespace ringside
