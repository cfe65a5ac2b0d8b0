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

struct SupervisorOptions {
    std::filesystem::path workerProgram;
    std::vector<std::string> workerEnvironment;      // "NAME=value", for all workers
    std::int64_t epochUs = 0;                        // CLOCK_MONOTONIC microseconds: zero of the run's times
    int stopFd = -1;                                 // a signalfd or other descriptor: each read asks for a stop
    int hangUpFd = -1;                               // the same, of a terminal that closes: however often, one stop
    std::chrono::milliseconds startDeadline{10000};  // least time for a worker's first sign of life (runDeadlines())
    std::chrono::milliseconds awaitTold{3000};       // between the stop request and saying what is awaited
    std::chrono::milliseconds terminateGrace{1000};  // between SIGTERM and SIGKILL
    std::chrono::milliseconds backOff{1000};         // before the first restart; twice as long before each other
    std::chrono::milliseconds settleTime{400};       // in which a peer's own death becomes known
    std::chrono::milliseconds stillGrace{3000};      // for ranks to find out themselves whom they wait for
    std::function<HostLoad(int ranks)> readLoad = readHostLoad;
    bool mayBeKilled = false;        // by a launcher, soon after a rank has failed or a stop was requested
    int sharedFd = -1;               // memory for the collectives, made already; -1: made here where it is needed
    std::vector<int> hosts;          // of each rank; empty: all are here
    std::string address;             // of this host, as others reach it
    std::vector<std::string> notes;  // for the log, when it starts
    std::string hostName;            // of this host, where there are others; empty: not told
    std::int64_t restart = 0;        // how often the run was started again before, by whoever started this
    std::function<void(const RunData&, unsigned)> onChange;  // after events were recorded, with RunChange bits
};

// Starts the workers of a run, records what they report, ends it at the first failure or on request, and says why.
// One thread; poll loop. Destroying it kills every worker.
class Supervisor {
  public:
    Supervisor(const RunPaths& paths, const PreparedRun& run, SupervisorOptions options);
    ~Supervisor();

    // A rank that runs already, and its connection to the store; before start().
    void adopt(std::unique_ptr<RankLink> rank, UniqueFd store);
    // Starts every worker that was not adopted. Throws IoError; then nothing is left running.
    void start();
    // Until every worker is gone and the run directory complete.
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
    void noteEnds();
    void noteEnd(RankLink& rank);
    void obey(const ControlCommand& command);
    void requestStop();
    void hangUp();
    void take(StopRequests::Meaning meaning);
    void beginStop();
    void tellCost();
    void tellAwaited();
    void heedLaunchers();
    void compareClocks();
    void tellSlowLinks();
    bool someRankLoads() const;
    void terminate();
    void enforceStop();
    void judgeRanks();
    void judge(bool settled);
    void reportMisuse(RankLink& rank, const std::string& how, bool isCertain);
    void watchDirectory();
    void noteSaves();
    void lookForDirectory();
    void startDirectoryAgain();
    void fail(const Verdict& verdict);
    void killAll();
    bool allEnded() const;
    std::vector<RankFate> fates() const;
    std::string placeOf(int rank) const;
    void record(const Event& event);
    void log(const std::string& level, const std::string& text);
    void flushIfDue();
    RunStarted runLine() const;
    RunEvidence evidence() const;
    RunEnded conclusion() const;
    void writeSummaryEarly(RunEnded end);
    RunEnded finish();
    bool restartRanks();
    void noteEarlierRestarts();
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
    std::optional<TimePoint> m_witnessedAt;  // when the first rank gave up on a peer
    std::optional<Verdict> m_verdict;
    std::optional<Verdict> m_misuse;  // of a rank on another host
    std::vector<std::string> m_lastLines;
    StopRequests m_stops;
    bool m_stoppedLoading = false;
    bool m_cutShort = false;
    std::string m_directoryLost;        // what happened to the run directory
    bool m_cannotRecord = false;        // it could not be made again
    std::set<std::string> m_slowHosts;  // that were told of
    DirectoryWatch m_directory;
    MemoryKills m_memoryKills;
    HostClocks m_clocks;
    std::uintmax_t m_savedBytes = 0;
    TimePoint m_lookAtSavesAt{};
    TimePoint m_tellAt{};  // what a stop waits for
    std::chrono::milliseconds m_tellEvery{};
    std::int64_t m_restarts = 0;
    std::string m_resume;    // what the ranks go on from since a restart
    bool m_adopted = false;  // ranks that others started, and only they can start again
    bool m_waitsToRestart = false;
    bool m_givesUp = false;  // asked to stop between two starts
    int m_ends = 0;
    unsigned m_changes = 0;
    ShortTurns m_turns;
    TimePoint m_lastTick{};
    TimePoint m_lastFlush{};
};

}  // namespace ringside
