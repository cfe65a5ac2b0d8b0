// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include "base/time/clock.h"
#include "run/read/run_directory.h"

namespace ringside {

// Whether the run directory is still where it was: deleted, moved, emptied or replaced ones take what is written next
// to where nobody finds it.
class DirectoryWatch {
  public:
    explicit DirectoryWatch(const RunPaths& paths);

    // Looks a few times a second at most; true from the second look in a row that misses it: `rm -r` is done by then.
    bool isLost(TimePoint now);
    void begin();  // what is there now is the run directory
    bool isThere() const;

  private:
    const RunPaths m_paths;
    dev_t m_device = 0;
    ino_t m_inode = 0;
    int m_missed = 0;
    TimePoint m_lookAt{};
};

}  // namespace ringside
