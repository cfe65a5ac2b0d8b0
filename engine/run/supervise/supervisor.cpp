// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/supervisor.h"

#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>

#include "base/processors/processors.h"
#include "launch/channels/shared_memory.h"
#include "telemetry/data/host_links.h"
#include "telemetry/events/codec.h"

namespace ringside {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kTick{40};  // interval at which ranks send telemetry
constexpr milliseconds kFlushInterval{80};
constexpr milliseconds kLateTick{1500};  // this process was suspended or stopped: silence of ranks does not count
constexpr milliseconds kKillPatience{2000};
constexpr milliseconds kReadLoadEvery{1000};
constexpr double kHeartbeatSeconds = 1;

double secondsBetween(TimePoint from, TimePoint to) {
    return std::chrono::duration<double>(to - from).count();
}

// Raises the soft limit of open files. Each rank takes six descriptors; the usual limit of 1,024 allows 160 ranks.
void raiseDescriptorLimit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 65536);
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Supervisor::Supervisor(const RunPaths& paths, const PreparedRun& run, SupervisorOptions options)
    : m_paths(paths),
      m_run(run),
      m_options(std::move(options)),
      m_recorder(paths, run),
      m_directory(paths),
      m_clocks(m_options.hosts, m_options.epochUs) {}

Supervisor::~Supervisor() {
    killAll();
}

void Supervisor::start() {
    raiseDescriptorLimit();
    lowerPriority();
    m_control = std::make_unique<ControlServer>(m_paths);
    const auto worldSize = static_cast<int>(m_run.config.parallel.worldSize);
    if (m_run.compute.backend == CollectiveBackend::kShm && m_options.sharedFd < 0)
        m_shared = createSharedMemory(sharedMemoryBytes(worldSize));
    record(runLine());
    log(LogLevel::kInfo, m_run.compute.whyDevice);
    log(LogLevel::kInfo, m_run.compute.whyBackend);
    if (!m_run.compute.cpuSetting.empty())
        log(LogLevel::kWarning,
            m_run.compute.cpuSetting +
                " in the environment selects the CPU instructions: the last bits of losses and weights "
                "differ from a run without it");
    for (const std::string& note : m_options.notes) log(LogLevel::kInfo, note);
    readEarlierRestarts();
    setDeadlines();
    std::vector<std::unique_ptr<RankLink>> adopted = std::exchange(m_ranks, {});
    for (int rank = 0; rank < worldSize; ++rank) {
        const auto has = [rank](const auto& one) { return one && one->rank() == rank; };
        const auto found = std::find_if(adopted.begin(), adopted.end(), has);
        if (found == adopted.end()) {
            startRank(rank);
        } else {
            record(RankState{rank, RankStage::kStarting, "", (*found)->pid(), nowUs(), -1, (*found)->host()});
            m_ranks.push_back(std::move(*found));
        }
    }
    m_recorder.flush();
    m_lastTick = m_lastFlush = steady_clock::now();
}

void Supervisor::adopt(std::unique_ptr<RankLink> rank, UniqueFd store) {
    m_store.add(std::move(store), "rank " + std::to_string(rank->rank()));
    rank->lastLineAt = steady_clock::now();
    m_adopted = true;
    m_ranks.push_back(std::move(rank));
}

// Extends the deadlines on a busy host. Ranks on other hosts and ranks of a launcher keep the configured timeout: the
// load of their hosts is not known here.
void Supervisor::setDeadlines() {
    const HostLoad load = m_options.readLoad(ranksHere());
    m_deadlines = runDeadlines(m_options.startDeadline, timeout(), load);
    if (!m_options.hosts.empty()) m_deadlines.timeoutFactor = 1;
    m_readLoadAt = steady_clock::now() + kReadLoadEvery;
    const std::string text = deadlinesText(m_deadlines, m_options.startDeadline, timeout(), load);
    if (!text.empty()) log(LogLevel::kInfo, text);
}

// Extends the start deadline while some rank has sent nothing yet: other programs may have started after the ranks.
void Supervisor::extendStartDeadline() {
    const TimePoint now = steady_clock::now();
    const bool allHaveSent = std::ranges::all_of(m_ranks, [](const auto& rank) { return rank->hasSentAny; });
    if (allHaveSent || now < m_readLoadAt) return;
    m_readLoadAt = now + kReadLoadEvery;
    const HostLoad load = m_options.readLoad(ranksHere());
    m_deadlines.start = std::max(m_deadlines.start, runDeadlines(m_options.startDeadline, timeout(), load).start);
}

void Supervisor::startRank(int rank) {
    RankEnvironment environment;
    environment.rank = environment.localRank = rank;
    environment.worldSize = static_cast<int>(m_run.config.parallel.worldSize);
    environment.runDirectory = m_paths.directory;
    environment.epochUs = m_options.epochUs;
    environment.backend = textOf(m_run.compute.backend);
    environment.device = textOf(m_run.compute.device);
    environment.hosts = m_options.hosts;
    environment.resume = m_resume;
    environment.address = m_options.address;
    environment.timeoutFactor = m_deadlines.timeoutFactor;
    UniqueFd store;
    const WorkerProgram worker{m_options.workerProgram, m_options.workerEnvironment,
                               m_shared ? m_shared.get() : m_options.sharedFd};
    auto process = std::make_unique<RankProcess>(worker, environment, store);
    m_store.add(std::move(store), "rank " + std::to_string(rank));
    process->lastLineAt = steady_clock::now();
    record(RankState{rank, RankStage::kStarting, "", process->pid(), nowUs(), -1, m_options.hostName});
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
        while (!allEnded() && !(m_phase == Phase::kKilled && steady_clock::now() > m_phaseDeadline)) tick();
    } catch (const IoError& error) {
        // The run directory is lost to another run, so that no result of this one could be written.
        m_verdict = Verdict{ExitCode::kBadConfiguration, -1, error.what()};
        killAll();
    }
    if (!m_verdict && !m_cutShort && !m_stoppedLoading) judge(true);  // all ranks have ended: no more reports follow
}

void Supervisor::tick() {
    waitForInput();
    m_turns.begin();
    for (auto& rank : m_ranks) readRank(*rank);
    reapWorkers();
    pollLaunchers();
    compareClocks();
    const TimePoint now = steady_clock::now();
    if (now - m_lastTick > kLateTick) {
        for (auto& rank : m_ranks) {
            rank->lastLineAt = now;
            rank->movement.restart(now);
        }
    }
    m_lastTick = now;
    trackSaveProgress();
    m_memoryKills.look(now);
    if (!m_verdict) judgeRanks();
    watchDirectory();
    // A run that cannot be recorded is stopped; the ranks save their weights first.
    if (m_recorder.fullDisk() && m_phase == Phase::kRunning) hangUp();
    enforceStop();
    flushIfDue();
    if (m_changes != 0 && m_options.onChange) m_options.onChange(m_recorder.data(), m_changes);
    m_changes = 0;
}

void Supervisor::waitForInput() {
    std::vector<pollfd> waiting;
    for (const int fd : {m_options.stopFd, m_options.hangUpFd}) {
        if (fd >= 0) waiting.push_back({fd, POLLIN, 0});
    }
    for (const pollfd& fd : m_control->interests()) waiting.push_back(fd);
    for (const pollfd& fd : m_store.interests()) waiting.push_back(fd);
    // Telemetry is read once per tick instead: waking for each frame would take CPU time from the ranks.
    for (const auto& rank : m_ranks) {
        // poll() ignores the negative descriptors of ended streams and of processes already reaped.
        waiting.push_back({rank->outputFd(), POLLIN, 0});
        waiting.push_back({rank->exitFd(), POLLIN, 0});
    }
    if (::poll(waiting.data(), waiting.size(), static_cast<int>(kTick.count())) > 0) dispatch(waiting);
}

void Supervisor::dispatch(const std::vector<pollfd>& ready) {
    for (const pollfd& one : ready) {
        if (one.revents == 0 || one.fd < 0) continue;
        if (one.fd == m_options.stopFd || one.fd == m_options.hangUpFd) {
            std::array<char, 256> ignored;
            if (::read(one.fd, ignored.data(), ignored.size()) <= 0) continue;
            one.fd == m_options.hangUpFd ? hangUp() : requestStop();
            continue;
        }
        m_control->onReady(one.fd, [this](const ControlCommand& command) { execute(command); });
        m_store.onReady(one.fd, one.revents);
    }
    for (const Problem& problem : m_store.takeProblems()) {
        log(LogLevel::kWarning, problem.text());
        for (const auto& rank : m_ranks) {
            if (problem.field == "rank " + std::to_string(rank->rank())) reportMisuse(*rank, problem.message, true);
        }
    }
}

void Supervisor::readRank(RankLink& rank) {
    rank.readTelemetry([&](std::string_view line) { receiveLine(rank, line); });
    rank.readOutput([&](std::string_view line) { receiveOutput(rank, line); });
}

// Records a telemetry line. A worker may send lines of its own rank only; run, end, clock and finding lines come from
// the supervisor alone.
void Supervisor::receiveLine(RankLink& rank, std::string_view line) {
    rank.recordArrival(steady_clock::now());
    const Result<Event> event = decodeLine(line);
    if (!event) {
        log(LogLevel::kWarning,
            "rank " + std::to_string(rank.rank()) + " sent a line that is not telemetry: " + event.problem().text());
        return reportMisuse(rank, "it sends lines that are not telemetry", false);
    }
    const bool ours =
        std::holds_alternative<RunStarted>(event.value()) || std::holds_alternative<RunEnded>(event.value()) ||
        std::holds_alternative<HostClock>(event.value()) || std::holds_alternative<Finding>(event.value());
    // The path in a checkpoint line is read and written later: only rank 0, which saves checkpoints, may send one.
    const bool saves = std::holds_alternative<CheckpointSaved>(event.value()) && rank.rank() != 0;
    const bool foreign = std::visit(
        [&](const auto& one) {
            if constexpr (requires { one.rank; }) return one.rank != rank.rank();
            return false;
        },
        event.value());
    if (ours || foreign || saves) {
        log(LogLevel::kWarning,
            "rank " + std::to_string(rank.rank()) + " sent telemetry of another rank: line ignored");
        return reportMisuse(rank, "it sends telemetry of other ranks", false);
    }
    if (const auto* beat = std::get_if<Heartbeat>(&event.value())) rank.movement.take(*beat, rank.lastLineAt);
    if (const auto* state = std::get_if<RankState>(&event.value())) {
        rank.said = state->state;
        if (state->missingRank >= 0) rank.missingRank = state->missingRank;
    }
    m_changes |= m_recorder.take(event.value(), line);
    if (std::holds_alternative<CheckpointSaved>(event.value()) && m_phase == Phase::kStopping)
        writeSummaryEarly(outcomeIfKilledNow(evidence()));
    if (std::holds_alternative<RankLinks>(event.value())) logSlowLinks();
    m_turns.next();
}

// Sets the verdict for a rank on another host that sent invalid data, at once if isCertain, else at the 16th line.
// Invalid data from a process of this host is a mistake in Ringside and is only logged.
void Supervisor::reportMisuse(RankLink& rank, const std::string& how, bool isCertain) {
    constexpr int kMostBadLines = 16;
    if (rank.host().empty() || m_misuse || (!isCertain && ++rank.badLines < kMostBadLines)) return;
    RankFate fate;
    fate.rank = rank.rank();
    fate.host = rank.host();
    m_misuse = misuseVerdict(fate, how);
}

// Logs slow links while the run is live, once for each host.
void Supervisor::logSlowLinks() {
    for (const HostLink& link : hostLinks(m_recorder.data())) {
        if (link.slow == HostLink::Slow::kNo || !m_slowHosts.insert(link.host).second) continue;
        log(LogLevel::kWarning,
            "slow link to " + (link.host.empty() ? "rank 0's host" : link.host) + ": " + link.whole());
    }
}

void Supervisor::receiveOutput(RankLink& rank, std::string_view line) {
    // The worker sends its own messages, which begin with "rank N: ", as telemetry too.
    if (line.rfind("rank " + std::to_string(rank.rank()) + ": ", 0) == 0) return;
    record(LogLine{rank.rank(), LogLevel::kInfo, std::string(line), nowUs()});
}

void Supervisor::reapWorkers() {
    for (auto& rank : m_ranks) {
        if (!rank->end() && rank->poll()) reapWorker(*rank);
    }
}

void Supervisor::reapWorker(RankLink& rank) {
    readRank(rank);  // its last lines are still in the sockets
    rank.endOrder = ++m_ends;
    rank.endedAt = steady_clock::now();
    const ChildEnd& end = *rank.end();
    const bool fine = !end.signalled && (end.code == 0 || end.code == static_cast<int>(ExitCode::kStopped));
    if (fine || m_stoppedLoading) return;
    log(m_verdict || m_cutShort ? LogLevel::kInfo : LogLevel::kError,
        "rank " + std::to_string(rank.rank()) + " " + end.text());
    record(RankState{rank.rank(), RankStage::kFailed, "", 0, nowUs()});
}

// Executes a command. Rank 0 forwards it to the other ranks.
void Supervisor::execute(const ControlCommand& command) {
    if (command.kind == ControlKind::kStop) return requestStop();
    m_ranks.front()->sendControl(encodeControl(command));
}

// Turns a launcher's request to a single rank into a stop of the run, because all ranks must end together.
void Supervisor::pollLaunchers() {
    for (auto& rank : m_ranks) {
        if (!rank->takeStopRequest()) continue;
        if (!m_stops.isRequested())
            log(LogLevel::kInfo, "the launcher requested rank " + std::to_string(rank->rank()) + " to end");
        hangUp();
    }
}

// Exchanges time stamps with ranks on other hosts. The alignment of traces across hosts depends on this comparison.
void Supervisor::compareClocks() {
    for (auto& rank : m_ranks) {
        for (const ClockReading& reading : rank->takeClockReadings()) m_clocks.take(rank->rank(), reading);
    }
    const std::int64_t now = nowUs() + m_options.epochUs;
    for (const HostClocks::Question& question : m_clocks.questions(now))
        m_ranks[static_cast<std::size_t>(question.rank)]->sendControl(question.line);
    for (const HostClock& clock : m_clocks.news(now)) record(clock);
}

void Supervisor::judgeRanks() {
    if (m_phase == Phase::kTerminating || m_phase == Phase::kKilled) return;  // the supervisor itself has ended them
    const TimePoint now = steady_clock::now();
    for (const auto& rank : m_ranks) {
        const auto& end = rank->end();
        const bool mayTellOfOthers = end && !end->signalled &&
                                     (end->code == static_cast<int>(ExitCode::kCommunicationFailed) ||
                                      end->code == static_cast<int>(ExitCode::kBadConfiguration));
        if (mayTellOfOthers && !m_witnessedAt) m_witnessedAt = now;
    }
    if (m_misuse) return fail(*m_misuse);
    judge(m_witnessedAt && now - *m_witnessedAt >= m_options.settleTime);
}

void Supervisor::judge(bool settled) {
    extendStartDeadline();
    SilenceLimits limits;
    limits.startSeconds = std::chrono::duration<double>(m_deadlines.start).count();
    const double timeout = m_run.config.parallel.timeoutSeconds * m_deadlines.timeoutFactor;
    limits.runSeconds = timeout + kHeartbeatSeconds;
    // The rank of a GPU that does not respond fails by itself, after twice the timeout.
    limits.stillSeconds = (m_run.compute.device == DeviceChoice::kCuda ? 2 : 1) * timeout +
                          std::chrono::duration<double>(m_options.stillGrace).count();
    if (const std::optional<Verdict> verdict = ringside::judge(fates(), limits, settled)) fail(*verdict);
}

void Supervisor::fail(const Verdict& verdict) {
    m_verdict = verdict;
    for (const auto& rank : m_ranks) {
        if (rank->rank() == verdict.firstFailedRank) m_lastLines = rank->tail();
    }
    if (verdict.firstFailedRank >= 0) record(RankState{verdict.firstFailedRank, RankStage::kFailed, "", 0, nowUs()});
    killAll();
    writeSummaryEarly(conclusion());
}

void Supervisor::killAll() {
    m_phase = Phase::kKilled;
    m_phaseDeadline = steady_clock::now() + kKillPatience;
    for (auto& rank : m_ranks) rank->signal(SIGKILL);
}

bool Supervisor::allEnded() const {
    return std::all_of(m_ranks.begin(), m_ranks.end(), [](const auto& rank) { return rank->end().has_value(); });
}

std::vector<RankFate> Supervisor::fates() const {
    std::vector<RankFate> all;
    const TimePoint now = steady_clock::now();
    for (const auto& rank : m_ranks) {
        RankFate fate;
        fate.rank = rank->rank();
        fate.end = rank->end();
        fate.endOrder = rank->endOrder;
        fate.silentSeconds = secondsBetween(rank->lastLineAt, now);
        fate.longestSilence = rank->longestSilence;
        fate.said = rank->said;
        fate.hasSentAny = rank->hasSentAny;
        fate.host = rank->host();
        if (fate.end) fate.lastLines = rank->tail();
        fate.place = placeOf(rank->rank());
        fate.beat = rank->movement.last();
        fate.stillSeconds = rank->movement.stillSeconds(now);
        fate.longestSeconds = rank->movement.longestSeconds();
        fate.savingSeconds = rank->movement.savingSeconds(now);
        if (fate.end) fate.endedSeconds = secondsBetween(rank->endedAt, now);
        fate.missingRank = rank->missingRank;
        // Checked only for silent ranks or after a failure: reading /proc at each tick would cost more than the rest.
        if (!fate.end && (fate.silentSeconds > kHeartbeatSeconds || m_witnessedAt))
            fate.processStopped = rank->isStopped();
        if (fate.end && fate.end->signalled && fate.end->code == SIGKILL)
            fate.memoryKill = m_memoryKills.killedRecently();
        all.push_back(std::move(fate));
    }
    return all;
}

std::string Supervisor::placeOf(int rank) const {
    const auto& ranks = m_recorder.data().ranks();
    if (rank < 0 || static_cast<std::size_t>(rank) >= ranks.size()) return {};
    const RankData& data = ranks[static_cast<std::size_t>(rank)];
    if (data.step == 0) return data.phase ? "in " + std::string(phaseName(*data.phase)) + " before its first step" : "";
    return "at step " + std::to_string(data.step) + " of epoch " + std::to_string(data.epoch + 1);
}

void Supervisor::record(const Event& event) {
    m_changes |= m_recorder.add(event);
}

void Supervisor::log(LogLevel level, const std::string& text) {
    record(LogLine{-1, level, text, nowUs()});
}

void Supervisor::flushIfDue() {
    const TimePoint now = steady_clock::now();
    if (now - m_lastFlush < kFlushInterval) return;
    m_lastFlush = now;
    m_recorder.flush();
}

milliseconds Supervisor::timeout() const {
    return milliseconds(std::llround(m_run.config.parallel.timeoutSeconds * 1000));
}

int Supervisor::ranksHere() const {
    if (m_options.hosts.empty()) return static_cast<int>(m_run.config.parallel.worldSize);
    return static_cast<int>(std::ranges::count(m_options.hosts, 0));
}

std::int64_t Supervisor::nowUs() const {
    const auto now = steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count() - m_options.epochUs;
}

}  // namespace ringside
