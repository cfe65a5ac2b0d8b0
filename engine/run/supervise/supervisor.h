// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/processors/short_turns.h"
#include "launch/store/store_server.h"
#include "run/prepare/prepared_run.h"
#include "run/ranks/host_clocks.h"
#include "run/ranks/rank_process.h"
#include "run/record/run_recorder.h"
#include "run/supervise/control_server.h"
#include "run/supervise/directory_watch.h"
#include "run/supervise/host_load.h"
#include "run/supervise/memory_kills.h"
#include "run/supervise/outcome.h"
#include "run/supervise/stop_requests.h"
#include "run/supervise/verdict.h"

namespace ringside {

// Settings of a Supervisor. Callbacks run on the supervisor's thread.
struct SupervisorOptions {
    std::filesystem::path workerProgram;
    std::vector<std::string> workerEnvironment;  // "NAME=value", for all workers
    std::int64_t epochUs = 0;                    // CLOCK_MONOTONIC microseconds: zero of the run's times
    int stopFd = -1;                             // a signalfd or other descriptor: each readable event requests a stop
    int hangUpFd = -1;  // descriptor of a closing terminal: several events are one stop request
    std::chrono::milliseconds startDeadline{10000};  // least time for a worker's first sign of life (runDeadlines())
    std::chrono::milliseconds waitLogInterval{
        3000};                                       // from the stop request to the first "waiting for" line in the log
    std::chrono::milliseconds terminateGrace{1000};  // between SIGTERM and SIGKILL
    std::chrono::milliseconds backOff{1000};         // before the first restart; doubles with each restart, up to 30 s
    std::chrono::milliseconds settleTime{400};       // from the first exit that a peer may have caused to the verdict
    std::chrono::milliseconds stillGrace{3000};      // beyond the timeout, for ranks to report a missing peer first
    std::function<HostLoad(int ranks)> readLoad = readHostLoad;
    bool mayBeKilled = false;        // a launcher may kill this process soon after a failure or a stop request
    int sharedFd = -1;               // shared memory for the collectives; -1: start() creates it for the shm backend
    std::vector<int> hosts;          // host index of each rank, 0 = this host; empty: all ranks are on this host
    std::string address;             // address of this host for the other hosts
    std::vector<std::string> notes;  // lines for the log, written at the start
    std::string hostName;            // name of this host in the record; empty: not recorded
    std::int64_t restart = 0;        // number of restarts of the whole group before this start
    std::function<void(const RunData&, unsigned)> onChange;  // called after events were recorded, with RunChange bits
};

// Supervisor of a run: starts the workers, records their reports, and ends the run at the first failure or on request,
// with a verdict. After a failure that may be temporary, it starts all ranks again from the last checkpoint, up to
// parallel.max_restarts times.
//
// Thread safety: one thread, which runs a poll loop. The destructor kills every worker.
class Supervisor {
  public:
    Supervisor(const RunPaths& paths, const PreparedRun& run, SupervisorOptions options);
    ~Supervisor();

    // Adds a rank that is already running, and its connection to the store. Call before start().
    void adopt(std::unique_ptr<RankLink> rank, UniqueFd store);
    // Starts every worker that was not adopted. Throws IoError; the destructor then kills the workers already started.
    void start();
    // Runs until every worker has exited and the run directory is complete. Returns the outcome. Throws IoError if
    // workers cannot be started again; other errors become the verdict.
    RunEnded run();

  private:
    enum class Phase { kRunning, kStopping, kTerminating, kKilled };

    void setDeadlines();
    void extendStartDeadline();
    void startRank(int rank);
    void tick();
    void waitForInput();
    void dispatch(const std::vector<struct pollfd>& ready);
    void readRank(RankLink& rank);
    void receiveLine(RankLink& rank, std::string_view line);
    void receiveOutput(RankLink& rank, std::string_view line);
    void reapWorkers();
    void reapWorker(RankLink& rank);
    void execute(const ControlCommand& command);
    void requestStop();
    void hangUp();
    void take(StopRequests::Meaning meaning);
    void beginStop();
    void logStopCost();
    void logWaiting();
    void pollLaunchers();
    void compareClocks();
    void logSlowLinks();
    bool someRankLoads() const;
    void terminate();
    void enforceStop();
    void judgeRanks();
    void judge(bool settled);
    void reportMisuse(RankLink& rank, const std::string& how, bool isCertain);
    void watchDirectory();
    void trackSaveProgress();
    void checkDirectory();
    void startDirectoryAgain();
    void fail(const Verdict& verdict);
    void killAll();
    bool allEnded() const;
    std::vector<RankFate> fates() const;
    std::string placeOf(int rank) const;
    void record(const Event& event);
    void log(LogLevel level, const std::string& text);
    void flushIfDue();
    RunStarted runLine() const;
    RunEvidence evidence() const;
    RunEnded conclusion() const;
    void writeSummaryEarly(RunEnded end);
    RunEnded finish();
    bool restartRanks();
    void readEarlierRestarts();
    bool waitToRestart(std::chrono::milliseconds pause);
    void startAfresh();
    void runRanks();
    std::int64_t nowUs() const;
    std::chrono::milliseconds timeout() const;
    int ranksHere() const;

    const RunPaths m_paths;
    const PreparedRun m_run;
    const SupervisorOptions m_options;
    RunRecorder m_recorder;
    StoreServer m_store;
    std::unique_ptr<ControlServer> m_control;
    UniqueFd m_shared;
    std::vector<std::unique_ptr<RankLink>> m_ranks;

    Phase m_phase = Phase::kRunning;
    TimePoint m_phaseDeadline{};
    RunDeadlines m_deadlines;
    TimePoint m_readLoadAt{};
    std::optional<TimePoint> m_witnessedAt;  // end of the first rank that may have failed because of a peer
    std::optional<Verdict> m_verdict;
    std::optional<Verdict> m_misuse;  // verdict about a rank on another host that sent invalid data
    std::vector<std::string> m_lastLines;
    StopRequests m_stops;
    bool m_stoppedLoading = false;
    bool m_cutShort = false;
    std::string m_directoryLost;        // text about a lost run directory; empty: it is in its place
    bool m_cannotRecord = false;        // the lost run directory could not be created again
    std::set<std::string> m_slowHosts;  // hosts whose slow link was logged
    DirectoryWatch m_directory;
    MemoryKills m_memoryKills;
    HostClocks m_clocks;
    std::uintmax_t m_savedBytes = 0;
    TimePoint m_lookAtSavesAt{};
    TimePoint m_logAt{};  // time of the next log line that names the rank a stop waits for
    std::chrono::milliseconds m_logInterval{};
    std::int64_t m_restarts = 0;
    std::string m_resume;    // checkpoint that the ranks resume from; empty before the first restart
    bool m_adopted = false;  // some ranks were started by a launcher, so that no restart is possible here
    bool m_waitsToRestart = false;
    bool m_givesUp = false;  // a stop was requested during the pause before a restart
    int m_ends = 0;
    unsigned m_changes = 0;
    ShortTurns m_turns;
    TimePoint m_lastTick{};
    TimePoint m_lastFlush{};
};

}  // namespace ringside
