// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/system/unique_fd.h"

namespace ringside::test {

// Ranks as forked processes. The body of a rank runs in its child process. An exception in it becomes the rank's report
// in the parent process.
class RankProcesses {
  public:
    struct Report {
        bool finished = false;  // true if the body returned or threw; false if the process was killed
        bool threw = false;
        int missingRank = -1;
        std::string text;
    };
    // A body calls ready() when its rank is in the middle of its work; the parent waits for this.
    using Body = std::function<void(int rank, const std::function<void()>& ready)>;

    RankProcesses(int size, const Body& body);
    // Kills the ranks that still run.
    ~RankProcesses();
    RankProcesses(const RankProcesses&) = delete;
    RankProcesses& operator=(const RankProcesses&) = delete;

    void waitUntilReady();
    void signal(int rank, int number);
    // Waits for at most 30 s until the rank has ended and returns its report.
    Report report(int rank);

  private:
    struct Child {
        pid_t pid = -1;
        UniqueFd pipe;
        bool ready = false;
    };
    std::string readLine(Child& child);

    std::vector<Child> m_children;
};

}  // namespace ringside::test
