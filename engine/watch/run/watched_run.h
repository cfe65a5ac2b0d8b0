// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/ranks/host_clocks.h"
#include "run/supervise/control_server.h"
#include "watch/audit/sample_audit.h"
#include "watch/evidence/evidence.h"
#include "watch/findings/diagnosis.h"
#include "watch/findings/live_findings.h"
#include "watch/link/watch_listener.h"
#include "watch/run/command_process.h"
#include "watch/run/stall_watch.h"
#include "watch/run/watch_record.h"
#include "watch/run/watch_verdict.h"

namespace ringside {

struct WatchedRunOptions {
    std::string name;                              // name of the run
    int signalFd = -1;                             // signalfd with the signals that are passed to the command
    std::optional<std::int64_t> checkSteps;        // number of steps of each rank after which the command is ended
                                                   // (--check); empty: no limit
    std::optional<std::string> continues;          // run directory that this run continues; empty if there is none
    std::function<void(const std::string&)> warn;  // prints a sentence that the user must see
    // Prints a sentence only if standard error is a terminal, so that it does not mix with recorded output.
    std::function<void(const std::string&)> inform;
};

// Run of a command whose Python processes report what they train. Accepts the ranks, records a run directory and passes
// signals on to the command. Only observes: an error of the recording never reaches the command, and the command
// continues if this object is destroyed. Not thread-safe: one thread runs the poll loop.
class WatchedRun {
  public:
    WatchedRun(const RunDirectory& directory, WatchListener& listener, CommandProcess& command, std::int64_t zeroUs,
               WatchedRunOptions options);

    // Runs until the command and its ranks have ended and the run directory is complete. Returns the outcome; empty if
    // no process has connected, so that there is no record.
    std::optional<RunEnded> run();
    // Returns the exit code of the command, 128 + n after signal n. Call after run().
    int commandCode() const { return m_command.poll()->shellCode(); }
    // True if the command was ended because --check has seen the requested number of steps.
    bool endedByCheck() const { return m_endsAt.has_value(); }
    // Returns the findings and the results of the checks. Call after run().
    const Diagnosis& diagnosis() const { return m_diagnosis; }
    // Returns the number of ranks that have connected.
    int ranks() const { return static_cast<int>(m_ranks.size()); }
    // True if at least one optimizer step was seen.
    bool hasTrained() const { return m_stalls.hasTrained(); }
    // Returns the number of the latest step of the rank that is furthest behind, over all attempts.
    std::int64_t minSteps() const;

  private:
    struct Rank {
        std::unique_ptr<WatchedRank> link;
        std::vector<std::int64_t> steps;  // number of steps in each attempt
        bool isOpen = true;
        std::size_t attempt() const { return steps.size() - 1; }
    };
    void advance();
    void waitForInput();
    void forwardSignals();
    void readControl(int fd);
    std::string admit(const Greeting& greeting);
    void addRank(std::unique_ptr<WatchedRank> link);
    void addRestartedRank(Rank& rank, std::unique_ptr<WatchedRank> link);
    void beginAttempt();
    void readRank(Rank& rank);
    bool isSilent(const Rank& rank) const;
    void handleLine(Rank& rank, std::string_view line);
    void recordRenumbered(Event event, std::int64_t stepsBefore);
    void compareClocks();
    void watchStalls();
    void watchConnections();
    void endAfterCheck();
    void endCommand(int number);
    void endRanks(int signal);
    bool isAnyRankConnected() const;
    bool mustEndLeft();
    bool isOver();
    RunEnded conclude();
    Diagnosis judgeEvidence() const;
    void judgeWhileRunning();
    std::optional<SampleAudit> auditedSamples();
    void tryToRecord(const std::function<void()>& write);
    void log(LogLevel level, const std::string& text);
    std::int64_t nowUs() const;

    const RunDirectory& m_directory;
    WatchListener& m_listener;
    CommandProcess& m_command;
    const std::int64_t m_zeroUs;
    const WatchedRunOptions m_options;
    WatchRecord m_record;
    bool m_cannotRecord = false;
    std::optional<ControlServer> m_control;
    std::map<int, Rank> m_ranks;
    std::map<std::string, int> m_hosts;  // index of each host by its key; 0: this host
    HostClocks m_clocks;
    StallWatch m_stalls;
    WatchVerdict m_verdict;
    std::vector<std::int64_t> m_stepsBefore{0};  // number of steps before each attempt
    Evidence m_evidence;                         // reports of the latest attempt
    std::vector<Finding> m_earlierFindings;      // findings of the attempts before the latest one
    Diagnosis m_diagnosis;
    LiveFindings m_liveFindings;
    std::optional<std::int64_t> m_commandEndedUs;
    std::int64_t m_lastRankEndedUs = 0;
    std::optional<std::int64_t> m_endsAt;  // time at which --check sent the command the first signal to end, in
                                           // microseconds of the run; empty before
    bool m_reportedBackground = false;
    bool m_reportedUnconnected = false;
    bool m_killed = false;
    bool m_endedLeft = false;  // true if SIGTERM was sent to processes that the checked command has left behind
};

}  // namespace ringside
