// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/processors/work_slices.h"
#include "launch/store/store_server.h"
#include "run/prepare/prepared_run.h"
#include "run/ranks/host_clocks.h"
#include "run/ranks/rank_process.h"
#include "run/supervise/control_server.h"
#include "run/supervise/directory_guard.h"
#include "run/supervise/live_commands.h"
#include "run/supervise/outcome.h"
#include "run/supervise/rank_watch.h"
#include "run/supervise/restarts.h"
#include "run/supervise/run_journal.h"
#include "run/supervise/stop_sequence.h"
#include "run/supervise/supervisor_options.h"
#include "run/supervise/verdict.h"

namespace ringside {

// Supervisor of a run: starts the workers, records their reports, and ends the run at the first failure or on request,
// with a verdict. After a failure that may be temporary, it starts all ranks again from the last checkpoint, up to
// parallel.max_restarts times. RankWatch finds failures, StopSequence ends ranks, Restarts decides about restarts.
//
// Calls: the constructor, adopt() for each rank that a launcher has started, start(), run(). Each supervisor runs once.
//
// The supervisor owns the workers, its copies of the arguments, and the connections that adopt() receives. The caller
// owns the descriptors in SupervisorOptions, which must stay open until the destructor returns. The destructor kills
// every worker.
//
// Failures of ranks are no exceptions: they determine the outcome that run() returns. IoError means that this process
// cannot use the run directory, open a socket or start a worker.
//
// Thread safety: one thread, which runs a poll loop and calls SupervisorOptions::onChange.
class Supervisor {
  public:
    // Opens the files of the run directory. Throws IoError.
    Supervisor(const RunPaths& paths, const PreparedRun& run, SupervisorOptions options);
    ~Supervisor();

    // Adds a rank that a launcher has started, and its connection to the store. Must be called before start(). A run
    // with such a rank is not restarted by the supervisor, because only the launcher can restart the rank.
    void adopt(std::unique_ptr<RankLink> rank, UniqueFd store);
    // Starts every worker that was not adopted. Also raises the limit of open files and lowers the priority of this
    // process. Throws IoError; the destructor then kills the workers already started.
    void start();
    // Blocks until every worker has exited and the run directory is complete. Must be called once, after start().
    // Returns the outcome. Throws IoError if workers cannot be started again; other errors become the reason of a
    // failure in the outcome.
    RunEnded run();

  private:
    void startRanks(RankWatch::Ranks adopted);
    void startRank(int rank);
    void runRanks();
    void tick();
    void waitForInput();
    void dispatch(const std::vector<struct pollfd>& ready);
    void takeStoreProblems();
    void readRank(RankLink& rank);
    void receiveLine(RankLink& rank, std::string_view line);
    void receiveOutput(RankLink& rank, std::string_view line);
    void reapWorkers();
    void reapWorker(RankLink& rank);
    void execute(const ControlCommand& command);
    void requestStop();
    void requestStopOnce();
    bool acceptStopRequest();
    void pollLaunchers();
    void compareClocks();
    void logSlowLinks();
    void fail(const Verdict& verdict);
    bool allEnded() const;
    RunEvidence evidence() const;
    RunEnded conclusion() const;
    void writeSummaryEarly(RunEnded end);
    RunEnded finish();
    bool restartRanks();
    bool waitToRestart(std::chrono::milliseconds pause);
    void resetForRestart();
    void repeatCommands();

    const RunPaths m_paths;
    const PreparedRun m_run;
    const SupervisorOptions m_options;
    RunJournal m_journal;
    StoreServer m_store;
    std::unique_ptr<ControlServer> m_control;
    UniqueFd m_shared;
    RankWatch::Ranks m_ranks;
    RankWatch m_watch;
    StopSequence m_stop;
    Restarts m_restarts;
    DirectoryGuard m_directory;
    HostClocks m_clocks;
    LiveCommands m_commands;

    std::optional<Verdict> m_verdict;
    std::vector<std::string> m_lastLines;
    std::set<std::string> m_slowHosts;  // hosts for which a warning about a slow network link has been logged
    bool m_adopted = false;             // true if some ranks were started by a launcher: only the launcher can restart
                                        // them
    bool m_isWaitingToRestart = false;
    bool m_restartCancelled = false;  // true if a stop was requested during the pause before a restart, so that the
                                      // restart is cancelled
    int m_ends = 0;
    WorkSlices m_slices;
};

}  // namespace ringside
