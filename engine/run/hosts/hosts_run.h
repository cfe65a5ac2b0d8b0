// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "run/hosts/host_list.h"
#include "run/hosts/remote_shell.h"

namespace ringside {

// Settings of a run on several hosts without a scheduler. Each rank is a ringside-worker that is started through a
// remote shell.
struct HostsPlan {
    std::vector<HostRanks> hosts;    // hosts of the ranks; rank 0 runs on the first
    std::vector<std::string> shell;  // command and arguments of the remote shell; {host} and {command} are replaced
    std::filesystem::path worker;    // path of the worker, the same on all hosts
    // Command-line arguments of every rank's worker: the experiment, --set ..., --out DIR.
    std::vector<std::string> arguments;
    std::string resume;            // value of --resume at the first start; empty: no --resume
    std::int64_t maxRestarts = 0;  // maximum number of restarts from the last checkpoint after a failure
    // Minimum number of ranks with which the run continues after hosts were lost; 0: all ranks are needed.
    std::int64_t minRanks = 0;
    // Pause before the first restart; each further pause is twice as long, at most 30 s.
    std::chrono::milliseconds firstPause{1000};
};

// Functions that print the output of a HostsRun. Neither may be empty.
struct HostsOutput {
    std::function<void(const std::string& text)> log;  // prints a message of Ringside itself
    // Prints a line that a rank has written. The line is not trusted: it can contain control characters.
    std::function<void(int rank, const std::string& host, std::string_view line)> rankLine;
};

// Run on several hosts: starts the ranks, stops them together, and restarts them after a failure, without the hosts
// that no longer respond if HostsPlan::minRanks allows it.
//
// Thread safety: one thread. The process must ignore SIGPIPE. Owns the remote shells of the current start and kills
// them if it is destroyed or if an exception leaves run().
class HostsRun {
  public:
    HostsRun(HostsPlan plan, HostsOutput output) : m_plan(std::move(plan)), m_output(std::move(output)) {}

    // Blocks until all ranks have ended and no restart follows. Returns rank 0's exit code. The first signal stops all
    // ranks together, the second kills them. signalFd: see signalInput(). Call once. Throws IoError.
    int run(int signalFd);

  private:
    void start(const std::vector<HostRanks>& hosts, std::int64_t restart);
    void startRank(int rank, const std::string& host, const std::vector<std::string>& arguments,
                   const std::string& token);
    int watch();
    void waitForNews();
    void forwardOutput(RemoteShell& shell) const;
    void readSignals();
    std::vector<HostRanks> findHosts() const;
    std::vector<HostRanks> waitForHosts(std::chrono::milliseconds pause);
    bool pauseFor(std::chrono::milliseconds pause);

    HostsPlan m_plan;
    HostsOutput m_output;
    int m_signalFd = -1;
    int m_stopRequests = 0;  // number of signals received
    std::vector<std::unique_ptr<RemoteShell>> m_shells;
};

}  // namespace ringside
