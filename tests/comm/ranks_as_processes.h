// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/system/unique_fd.h"

namespace ringside::test {

// Ranks as forked processes. A rank's body runs in its child; what it throws becomes its report in the parent.
class RankProcesses {
  public:
    struct Report {
        bool finished = false;  // the body ran to its end or threw; false: the process was killed
        bool threw = false;
        int missingRank = -1;
        std::string text;
    };
    // ready() signals to the parent that this rank is in the middle of its work.
    using Body = std::function<void(int rank, const std::function<void()>& ready)>;

    RankProcesses(int size, const Body& body);
    // Kills what is left.
    ~RankProcesses();
    RankProcesses(const RankProcesses&) = delete;
    RankProcesses& operator=(const RankProcesses&) = delete;

    void waitUntilReady();
    void signal(int rank, int number);
    // Waits for that rank's end, at most 30 s.
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
