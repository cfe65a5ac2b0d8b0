// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/supervisor.h"

#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include "base/processors/processors.h"
#include "launch/channels/shared_memory.h"
#include "run/prepare/resume_point.h"
#include "telemetry/data/host_links.h"
#include "telemetry/events/codec.h"

namespace ringside {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// longest time that a tick waits for events; also the interval at which ranks send telemetry
constexpr milliseconds kTick{40};

// Raises the soft limit of open files. Each rank takes six descriptors; the common limit of 1,024 allows 160 ranks.
void raiseDescriptorLimit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 65536);
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

// True if a worker may send the event. The events RunStarted, RunEnded, HostClock and Finding come from the supervisor
// only, and an event with a rank must be from this rank. CheckpointSaved may come from rank 0 only, because its path is
// used for reading and writing later.
bool maySend(int rank, const Event& event) {
    const bool ours = std::holds_alternative<RunStarted>(event) || std::holds_alternative<RunEnded>(event) ||
                      std::holds_alternative<HostClock>(event) || std::holds_alternative<Finding>(event);
    const bool saves = std::holds_alternative<CheckpointSaved>(event) && rank != 0;
    const bool foreign = std::visit(
        [rank](const auto& one) {
            if constexpr (requires { one.rank; }) return one.rank != rank;
            return false;
        },
        event);
    return !ours && !foreign && !saves;
}

}  // namespace

Supervisor::Supervisor(const RunPaths& paths, const PreparedRun& run, SupervisorOptions options)
    : m_paths(paths),
      m_run(run),
      m_options(std::move(options)),
      m_journal(m_paths, m_run, m_options.runStartUs),
      m_watch(m_paths, m_run, m_options, m_ranks, m_journal),
      m_stop(m_paths, m_options, m_ranks, m_watch, m_journal,
             [this] { writeSummaryEarly(outcomeIfKilledNow(evidence())); }),
      m_restarts(m_paths, m_run, m_options, m_journal),
      m_directory(m_paths, m_run, m_journal),
      m_clocks(m_options.hosts, m_options.runStartUs),
      m_commands(m_options.commands) {}

Supervisor::~Supervisor() {
    m_stop.killAll();
}

void Supervisor::start() {
    raiseDescriptorLimit();
    lowerPriority();
    m_control = std::make_unique<ControlServer>(m_paths);
    const auto worldSize = static_cast<int>(m_run.config.parallel.worldSize);
    if (m_run.compute.backend == CollectiveBackend::kShm && m_options.sharedFd < 0)
        m_shared = createSharedMemory(sharedMemoryBytes(worldSize));
    m_journal.record(m_journal.runLine());
    m_journal.log(LogLevel::kInfo, m_run.compute.whyDevice);
    m_journal.log(LogLevel::kInfo, m_run.compute.whyBackend);
    if (!m_run.compute.cpuSetting.empty())
        m_journal.log(LogLevel::kWarning,
                      m_run.compute.cpuSetting +
                          " in the environment selects the CPU instructions: the last bits of losses and weights "
                          "differ from a run without it");
    for (const std::string& note : m_options.notes) m_journal.log(LogLevel::kInfo, note);
    if (const std::string text = m_journal.missingStepsText(); !text.empty()) m_journal.log(LogLevel::kWarning, text);
    m_restarts.recordEarlier();
    m_watch.begin();
    startRanks(std::exchange(m_ranks, {}));
    repeatCommands();
    m_journal.flush(steady_clock::now());
    m_watch.started();
}

// Starts all ranks except the ranks in `adopted`, which a launcher has started.
void Supervisor::startRanks(RankWatch::Ranks adopted) {
    for (int rank = 0; rank < static_cast<int>(m_run.config.parallel.worldSize); ++rank) {
        const auto has = [rank](const auto& one) { return one && one->rank() == rank; };
        const auto found = std::find_if(adopted.begin(), adopted.end(), has);
        if (found == adopted.end()) {
            startRank(rank);
        } else {
            m_journal.record(
                RankState{rank, RankStage::kStarting, "", (*found)->pid(), m_journal.nowUs(), -1, (*found)->host()});
            m_ranks.push_back(std::move(*found));
        }
    }
}

void Supervisor::adopt(std::unique_ptr<RankLink> rank, UniqueFd store) {
    m_store.add(std::move(store), "rank " + std::to_string(rank->rank()));
    rank->lastLineAt = steady_clock::now();
    m_adopted = true;
    m_ranks.push_back(std::move(rank));
}

void Supervisor::startRank(int rank) {
    RankEnvironment environment;
    environment.rank = environment.localRank = rank;
    environment.worldSize = static_cast<int>(m_run.config.parallel.worldSize);
    environment.runDirectory = m_paths.directory;
    environment.runStartUs = m_options.runStartUs;
    environment.backend = textOf(m_run.compute.backend);
    environment.device = textOf(m_run.compute.device);
    environment.hosts = m_options.hosts;
    environment.resume = m_restarts.checkpoint();
    environment.address = m_options.address;
    environment.timeoutFactor = m_watch.timeoutFactor();
    UniqueFd store;
    std::vector<std::string> variables = m_options.workerEnvironment;
    if (const auto epochs = m_commands.epochs())
        variables.push_back(std::string(kEpochsVariable) + "=" + std::to_string(*epochs));
    const WorkerProgram worker{m_options.workerProgram, std::move(variables),
                               m_shared ? m_shared.get() : m_options.sharedFd};
    auto process = std::make_unique<RankProcess>(worker, environment, store);
    m_store.add(std::move(store), "rank " + std::to_string(rank));
    process->lastLineAt = steady_clock::now();
    m_journal.record(
        RankState{rank, RankStage::kStarting, "", process->pid(), m_journal.nowUs(), -1, m_options.hostName});
    m_ranks.push_back(std::move(process));
}

RunEnded Supervisor::run() {
    do {
        runRanks();
    } while (restartRanks());
    return finish();
}

void Supervisor::runRanks() {
    try {
        while (!allEnded() && !m_stop.hasKillTimedOut()) tick();
    } catch (const IoError& error) {
        // Another run uses the run directory now, so that no result of this run can be written: the run fails.
        m_verdict = Verdict{ExitCode::kBadConfiguration, -1, error.what()};
        m_stop.killAll();
    }
    if (m_verdict || m_stop.wasCutShort() || m_stop.hasStoppedLoading()) return;
    if (const std::optional<Verdict> verdict = m_watch.judgeEnded()) fail(*verdict);
}

void Supervisor::tick() {
    waitForInput();
    m_slices.begin();
    for (auto& rank : m_ranks) readRank(*rank);
    reapWorkers();
    pollLaunchers();
    compareClocks();
    m_watch.tick();
    if (!m_verdict && !m_stop.hasEndedRanks()) {
        if (const std::optional<Verdict> verdict = m_watch.judge()) fail(*verdict);
    }
    const bool isKilled = m_stop.phase() == StopSequence::Phase::kKilled;
    if (!isKilled && m_directory.isLost(steady_clock::now())) m_stop.beginOnce();
    // Stops the run when recording has stopped. The ranks save their weights first.
    if (m_journal.recorder().fullDisk() && m_stop.phase() == StopSequence::Phase::kRunning) requestStopOnce();
    m_stop.tick();
    m_journal.flushIfDue(steady_clock::now());
    const unsigned changes = m_journal.takeChanges();
    if (changes != 0 && m_options.onChange) m_options.onChange(m_journal.data(), changes);
}

void Supervisor::waitForInput() {
    std::vector<pollfd> waiting;
    for (const int fd : {m_options.stopFd, m_options.stopOnceFd}) {
        if (fd >= 0) waiting.push_back({fd, POLLIN, 0});
    }
    for (const pollfd& fd : m_control->interests()) waiting.push_back(fd);
    for (const pollfd& fd : m_store.interests()) waiting.push_back(fd);
    // The telemetry streams are not polled but read once per tick, because to wake up for each frame would take CPU
    // time from the ranks.
    for (const auto& rank : m_ranks) {
        // poll() ignores negative descriptors: of streams that have ended, and of processes whose exit code has been
        // read.
        waiting.push_back({rank->outputFd(), POLLIN, 0});
        waiting.push_back({rank->exitFd(), POLLIN, 0});
    }
    if (::poll(waiting.data(), waiting.size(), static_cast<int>(kTick.count())) > 0) dispatch(waiting);
}

void Supervisor::dispatch(const std::vector<pollfd>& ready) {
    for (const pollfd& one : ready) {
        if (one.revents == 0 || one.fd < 0) continue;
        if (one.fd == m_options.stopFd || one.fd == m_options.stopOnceFd) {
            std::array<char, 256> ignored;
            if (::read(one.fd, ignored.data(), ignored.size()) <= 0) continue;
            one.fd == m_options.stopOnceFd ? requestStopOnce() : requestStop();
            continue;
        }
        m_control->onReady(one.fd, [this](const ControlCommand& command) { execute(command); });
        m_store.onReady(one.fd, one.revents);
    }
    takeStoreProblems();
}

void Supervisor::takeStoreProblems() {
    for (const Problem& problem : m_store.takeProblems()) {
        m_journal.log(LogLevel::kWarning, problem.text());
        for (const auto& rank : m_ranks) {
            if (problem.field == "rank " + std::to_string(rank->rank()))
                m_watch.reportMisuse(*rank, problem.message, true);
        }
    }
}

void Supervisor::readRank(RankLink& rank) {
    rank.readTelemetry([&](std::string_view line) { receiveLine(rank, line); });
    rank.readOutput([&](std::string_view line) { receiveOutput(rank, line); });
}

void Supervisor::receiveLine(RankLink& rank, std::string_view line) {
    rank.recordArrival(steady_clock::now());
    const std::string sender = "rank " + std::to_string(rank.rank());
    const Result<Event> event = decodeLine(line);
    if (!event) {
        m_journal.log(LogLevel::kWarning, sender + " sent a line that is not telemetry: " + event.problem().text());
        return m_watch.reportMisuse(rank, "it sends lines that are not telemetry", false);
    }
    if (!maySend(rank.rank(), event.value())) {
        m_journal.log(LogLevel::kWarning, sender + " sent telemetry of another rank: line ignored");
        return m_watch.reportMisuse(rank, "it sends telemetry of other ranks", false);
    }
    if (const auto* beat = std::get_if<Heartbeat>(&event.value())) rank.movement.update(*beat, rank.lastLineAt);
    if (const auto* state = std::get_if<RankState>(&event.value())) {
        rank.reportedStage = state->state;
        if (state->missingRank >= 0) rank.missingRank = state->missingRank;
    }
    if (const auto* executed = std::get_if<Controlled>(&event.value())) m_commands.report(*executed);
    m_journal.record(event.value(), line);
    const bool isStopping = m_stop.phase() == StopSequence::Phase::kStopping;
    if (std::holds_alternative<CheckpointSaved>(event.value()) && isStopping)
        writeSummaryEarly(outcomeIfKilledNow(evidence()));
    if (std::holds_alternative<RankLinks>(event.value())) logSlowLinks();
    m_slices.next();
}

// Logs a warning for each host with a slow link, at the first report of the link.
void Supervisor::logSlowLinks() {
    for (const HostLink& link : hostLinks(m_journal.data())) {
        if (link.slow == HostLink::Slow::kNo || !m_slowHosts.insert(link.host).second) continue;
        m_journal.log(LogLevel::kWarning, "slow network link to " + (link.host.empty() ? "rank 0's host" : link.host) +
                                              ": " + link.fullText());
    }
}

void Supervisor::receiveOutput(RankLink& rank, std::string_view line) {
    // Ignores the worker's own messages, which begin with "rank N: ", because the worker has also sent them as
    // telemetry.
    if (line.rfind("rank " + std::to_string(rank.rank()) + ": ", 0) == 0) return;
    m_journal.record(LogLine{rank.rank(), LogLevel::kInfo, std::string(line), m_journal.nowUs()});
}

void Supervisor::reapWorkers() {
    for (auto& rank : m_ranks) {
        if (!rank->end() && rank->poll()) reapWorker(*rank);
    }
}

void Supervisor::reapWorker(RankLink& rank) {
    readRank(rank);  // reads the last lines of the rank, which may still be in the buffers of its sockets
    rank.endOrder = ++m_ends;
    rank.endedAt = steady_clock::now();
    const ChildEnd& end = *rank.end();
    const bool fine =
        !end.signalled && !end.left && (end.code == 0 || end.code == static_cast<int>(ExitCode::kStopped));
    if (fine || m_stop.hasStoppedLoading()) return;
    m_journal.log(m_verdict || m_stop.wasCutShort() ? LogLevel::kInfo : LogLevel::kError,
                  "rank " + std::to_string(rank.rank()) + " " + end.text());
    m_journal.record(RankState{rank.rank(), RankStage::kFailed, "", 0, m_journal.nowUs()});
}

// Executes a command of a user. Rank 0 forwards the command to the other ranks. If the run has failed and the ranks
// will be restarted, they execute the command after the restart.
void Supervisor::execute(const ControlCommand& command) {
    if (command.kind == ControlKind::kStop) return requestStop();
    m_commands.request(command);
    if (!m_verdict && !m_isWaitingToRestart) m_ranks.front()->sendControl(encodeControl(command));
}

void Supervisor::requestStop() {
    if (acceptStopRequest()) m_stop.request();
}

void Supervisor::requestStopOnce() {
    if (acceptStopRequest()) m_stop.requestOnce();
}

// Cancels the next restart if the supervisor is waiting for it. Returns true if a stop request may be handled; false if
// the ranks are already being killed.
bool Supervisor::acceptStopRequest() {
    m_restartCancelled = m_restartCancelled || m_isWaitingToRestart;
    return m_stop.phase() != StopSequence::Phase::kKilled;
}

// Stops the whole run if a launcher has requested a single rank to end, because all ranks must end together.
void Supervisor::pollLaunchers() {
    for (auto& rank : m_ranks) {
        if (!rank->takeStopRequest()) continue;
        if (!m_stop.isRequested())
            m_journal.log(LogLevel::kInfo, "the launcher requested rank " + std::to_string(rank->rank()) + " to end");
        requestStopOnce();
    }
}

// Exchanges time queries and answers with ranks on other hosts, so that traces of different hosts can be aligned in
// time.
void Supervisor::compareClocks() {
    for (auto& rank : m_ranks) {
        for (const ClockReading& reading : rank->takeClockReadings()) m_clocks.addReading(rank->rank(), reading);
    }
    const std::int64_t now = m_journal.nowUs() + m_options.runStartUs;
    for (const HostClocks::Query& query : m_clocks.queries(now))
        m_ranks[static_cast<std::size_t>(query.rank)]->sendControl(query.line);
    for (const HostClock& clock : m_clocks.clocksToReport(now)) m_journal.record(clock);
}

void Supervisor::fail(const Verdict& verdict) {
    m_verdict = verdict;
    for (const auto& rank : m_ranks) {
        if (rank->rank() == verdict.firstFailedRank) m_lastLines = rank->lastLines();
    }
    // First of all: the other ranks end now, too, and the launcher kills this process soon after the first of them.
    writeSummaryEarly(conclusion());
    if (verdict.firstFailedRank >= 0)
        m_journal.record(RankState{verdict.firstFailedRank, RankStage::kFailed, "", 0, m_journal.nowUs()});
    m_stop.killAll();
}

bool Supervisor::allEnded() const {
    return std::all_of(m_ranks.begin(), m_ranks.end(), [](const auto& rank) { return rank->end().has_value(); });
}

RunEvidence Supervisor::evidence() const {
    RunEvidence run;
    for (const auto& rank : m_ranks) {
        run.ranks.push_back({rank->rank(), rank->end(), rank->endOrder, rank->reportedStage});
    }
    run.checkpoint = newestCheckpoint(m_paths.directory);
    run.steps = std::max(m_journal.recorder().stepsDone(), run.checkpoint ? run.checkpoint->step : 0);
    const std::int64_t epochs = m_journal.data().epochs();  // includes epochs that a control command has added or
                                                            // removed
    run.plannedEpochs = m_run.plannedEpochs(epochs);
    run.plannedSteps = m_run.plannedSteps(epochs);
    run.stopRequested = m_stop.isRequested();
    run.cutShort = m_stop.wasCutShort();
    run.nothingTrained = m_stop.hasStoppedLoading();
    run.directoryLost = m_directory.lostText();
    run.fault = m_verdict;
    return run;
}

RunEnded Supervisor::conclusion() const {
    RunEnded end = outcomeOf(evidence());
    end.timeUs = m_journal.nowUs();
    end.lastLines = m_lastLines;
    end.isMisuse = m_verdict && m_verdict->isMisuse;
    const RunConfig& config = m_run.config;
    if (config.stepPitfalls.earlyExit && end.firstFailedRank == config.parallel.worldSize - 1)
        end.verdict +=
            "; pitfalls.early_exit made it stop one step before the other ranks, which wait for it in their next "
            "all-reduce: in PyTorch, give every rank the same number of batches or use the Join context";
    return end;
}

// Writes a provisional summary, which finish() replaces. A launcher such as mpirun kills this process about a second
// after a rank has died or after its own SIGTERM, before finish() can run.
void Supervisor::writeSummaryEarly(RunEnded end) {
    if (!m_options.mayBeKilled) return;
    end.timeUs = m_journal.nowUs();
    const auto attempt = [](const auto& write) {
        try {
            write();
        } catch (const IoError&) {  // finish() tries again, and reports the failure
            return;
        }
    };
    attempt([&] { m_journal.recorder().writeSummaryQuickly(std::move(end)); });
    attempt([&] { m_journal.recorder().flush(); });
}

RunEnded Supervisor::finish() {
    for (auto& rank : m_ranks) {
        if (!rank->end()) rank->poll();
    }
    try {
        m_directory.restore();
    } catch (const IoError& error) {
        if (!m_verdict) m_verdict = Verdict{ExitCode::kBadConfiguration, -1, error.what()};
    }
    const RunEnded end = m_journal.recorder().finish(conclusion());
    if (m_options.onChange) m_options.onChange(m_journal.data(), kEndChanged);
    return end;
}

bool Supervisor::restartRanks() {
    const bool isOver = m_stop.isRequested() || m_adopted || !m_directory.lostText().empty() ||
                        m_journal.recorder().fullDisk() || !m_restarts.canRestart();
    if (isOver) return false;
    const std::optional<milliseconds> pause = m_restarts.next(conclusion(), evidence().plannedSteps);
    if (!pause || !waitToRestart(*pause)) return false;
    m_restarts.begin();
    resetForRestart();
    return true;
}

// Waits for the pause before a restart. Returns false if a stop is requested in this time: the run then ends with its
// failure.
bool Supervisor::waitToRestart(milliseconds pause) {
    const TimePoint until = steady_clock::now() + pause;
    m_isWaitingToRestart = true;
    while (!m_restartCancelled && steady_clock::now() < until) {
        waitForInput();
        m_journal.flushIfDue(steady_clock::now());
    }
    m_isWaitingToRestart = false;
    if (m_restartCancelled) m_journal.log(LogLevel::kInfo, "stop requested during the pause: the run is not restarted");
    return !m_restartCancelled;
}

void Supervisor::resetForRestart() {
    m_ranks.clear();  // the destructors kill the processes that are still running
    m_store = StoreServer();
    if (m_shared) m_shared = createSharedMemory(sharedMemoryBytes(static_cast<int>(m_run.config.parallel.worldSize)));
    m_stop.reset();
    m_verdict.reset();
    m_lastLines.clear();
    m_ends = 0;
    std::error_code ignored;
    std::filesystem::remove(m_paths.summary(), ignored);  // removes the provisional summary of the failure
    m_watch.begin();
    startRanks({});
    repeatCommands();
    m_watch.started();
}

// Sends rank 0 the commands that the restart, or the start of a resumed run, would otherwise undo. The ranks execute
// them after their first step; a changed number of epochs is known to them from the start (kEpochsVariable).
void Supervisor::repeatCommands() {
    const std::vector<ControlCommand> commands = m_commands.afterRestart(readLiveChanges(m_restarts.checkpoint()));
    if (commands.empty()) return;
    m_journal.log(LogLevel::kInfo,
                  (m_restarts.hasRestarted()
                       ? "commands that the restarted ranks execute: "
                       : "the resumed run repeats the commands that were given after its checkpoint was saved: ") +
                      textOf(commands));
    for (const ControlCommand& command : commands) m_ranks.front()->sendControl(encodeControl(command));
}

}  // namespace ringside
