// SPDX-License-Identifier: Apache-2.0
#include "watch/run/watched_run.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>

#include "base/errors/errors.h"
#include "base/time/monotonic.h"
#include "launch/layout/launch_sources.h"
#include "launch/wire/greeting.h"
#include "telemetry/events/codec.h"
#include "watch/audit/audit_run.h"
#include "watch/audit/audit_text.h"
#include "watch/findings/resume_check.h"
#include "watch/run/leftover_processes.h"
#include "watch/run/renumber.h"

namespace ringside {
namespace {

constexpr int kTurnMs = 100;
constexpr std::int64_t kSecond = 1'000'000;
// Time in microseconds without a connection, after which a message reports that no process has connected.
constexpr std::int64_t kUnconnectedUs = 15 * kSecond;
constexpr std::int64_t kBackgroundUs = 20 * kSecond;  // time in microseconds, after the command has ended, in which a
                                                      // process that it left in the background can connect
// Time in microseconds after the end of the command, from which a sentence reports ranks that still run.
constexpr std::int64_t kBackgroundDelayUs = kSecond;
constexpr std::int64_t kEndGraceUs = 5 * kSecond;  // time in microseconds between SIGTERM and SIGKILL
// time in microseconds from the end of a command, if it has failed or --check has ended it, until the processes that it
// has left behind receive SIGTERM; SIGKILL follows after twice this time
constexpr std::int64_t kLeftGraceUs = 2 * kSecond;
constexpr std::int64_t kSilentUs = 10 * kSecond;  // time in microseconds without a heartbeat, after the end of the
                                                  // command, from which a rank counts as lost
constexpr int kMaxBadLines = 100;
// Maximum number of kept sample indices. With more indices, the evidence is not judged while the script trains, because
// a judgement would take too long.
constexpr std::size_t kMaxLiveIndices = 2'000'000;

bool isEndRequest(int signal) {
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

// Returns the rank that an event names; -1 for events that only a watcher may send.
int senderOf(const Event& event) {
    return std::visit(
        [](const auto& one) {
            using E = std::remove_cvref_t<decltype(one)>;
            if constexpr (!std::is_same_v<E, HostClock> && requires { one.rank; }) return one.rank;
            return -1;
        },
        event);
}

}  // namespace

WatchedRun::WatchedRun(const RunDirectory& directory, WatchListener& listener, CommandProcess& command,
                       std::int64_t zeroUs, WatchedRunOptions options)
    : m_directory(directory),
      m_listener(listener),
      m_command(command),
      m_zeroUs(zeroUs),
      m_options(std::move(options)),
      m_record(
          directory.paths(),
          {m_options.name,
           std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
                   .count() -
               nowUs() / 1000,
           m_options.continues}),
      m_clocks({}, zeroUs) {}

std::int64_t WatchedRun::nowUs() const {
    return monotonicNs() / 1000 - m_zeroUs;
}

std::optional<RunEnded> WatchedRun::run() {
    while (!isOver()) advance();
    m_listener.close();
    if (m_ranks.empty()) return {};
    return conclude();
}

void WatchedRun::advance() {
    waitForInput();
    for (auto& link : m_listener.poll([this](const Greeting& greeting) { return admit(greeting); }))
        addRank(std::move(link));
    for (auto& [number, rank] : m_ranks) readRank(rank);
    if (m_command.poll() && !m_commandEndedUs) m_commandEndedUs = nowUs();
    reapLeftoverProcesses(m_command.pid());
    compareClocks();
    watchStalls();
    judgeWhileRunning();
    watchConnections();
    endAfterCheck();
    tryToRecord([this] { m_record.tick(nowUs()); });
}

void WatchedRun::waitForInput() {
    std::vector<pollfd> waiting{{m_options.signalFd, POLLIN, 0}, {m_command.exitFd(), POLLIN, 0}};
    const std::size_t own = waiting.size();
    if (m_control)
        for (const pollfd& one : m_control->interests()) waiting.push_back(one);
    const std::size_t controls = waiting.size();
    m_listener.addInterests(waiting);
    for (const auto& [number, rank] : m_ranks)
        if (rank.isOpen) waiting.push_back({rank.link->fd(), POLLIN, 0});
    if (::poll(waiting.data(), waiting.size(), kTurnMs) <= 0) return;
    if (waiting[0].revents != 0) forwardSignals();
    for (std::size_t i = own; i < controls; ++i)
        if (waiting[i].revents != 0) readControl(waiting[i].fd);
}

// Passes received signals on to the command, except those that the kernel has sent, such as Ctrl-C: the terminal sends
// them to the command too.
void WatchedRun::forwardSignals() {
    signalfd_siginfo signal{};
    while (::read(m_options.signalFd, &signal, sizeof signal) == static_cast<ssize_t>(sizeof signal)) {
        const int number = static_cast<int>(signal.ssi_signo);
        if (isEndRequest(number)) m_verdict.recordStopRequest(number);
        if (signal.ssi_code != SI_KERNEL) m_command.signal(number);
        if (m_commandEndedUs && isEndRequest(number)) endRanks(number);
    }
}

void WatchedRun::readControl(int fd) {
    m_control->onReady(fd, [this](const ControlCommand& command) {
        if (command.kind != ControlKind::kStop)
            return log(LogLevel::kWarning,
                       "a watched script can only be stopped: the command " + textOf(command.kind) + " was ignored");
        m_verdict.recordStopRequest(SIGTERM);
        endCommand(SIGTERM);
    });
}

// Returns why a process is refused; empty if it is admitted. A process is refused if its rank is connected, or was
// connected and has ended well. A process is admitted in place of a failed one, because the launcher has started the
// ranks again.
std::string WatchedRun::admit(const Greeting& greeting) {
    const auto known = m_ranks.find(greeting.rank);
    if (known == m_ranks.end()) return {};
    if (!known->second.isOpen && m_verdict.hasFailedRank(known->second.attempt())) return {};
    const std::string reason =
        "process " + std::to_string(greeting.pid) + " on " + greeting.host + " reports rank " +
        std::to_string(greeting.rank) + ", as process " + std::to_string(known->second.link->pid()) +
        (known->second.isOpen ? " does" : " has done before: only the first process is recorded");
    log(LogLevel::kWarning, reason);
    return reason;
}

void WatchedRun::addRank(std::unique_ptr<WatchedRank> link) {
    // Hosts are compared by their keys, which also identify the network namespace.
    const bool isHere = hostKey().starts_with(link->hostKey()) && !link->hostKey().empty();
    const int next = static_cast<int>(m_hosts.size()) + 1;
    const int host = isHere ? 0 : m_hosts.try_emplace(link->hostKey(), next).first->second;
    if (host == 0) link->sendControl(encodeTimeQuery({monotonicNs() / 1000, m_zeroUs}));
    if (const auto known = m_ranks.find(link->rank()); known != m_ranks.end())
        return addRestartedRank(known->second, std::move(link));
    m_clocks.add(link->rank(), host);
    if (m_ranks.empty()) {
        tryToRecord([this] { m_control.emplace(m_directory.paths()); });
    }
    Rank& rank = m_ranks[link->rank()];
    rank.link = std::move(link);
    rank.steps.resize(m_verdict.restarts() + 1);
}

// Uses the connection of the process that replaces a rank after a restart. The first such process of a restart begins a
// new attempt.
void WatchedRun::addRestartedRank(Rank& rank, std::unique_ptr<WatchedRank> link) {
    if (rank.attempt() == m_verdict.restarts()) beginAttempt();
    rank.link = std::move(link);
    rank.steps.resize(m_verdict.restarts() + 1);
    rank.isOpen = true;
}

// Begins a new attempt: the launcher has started the ranks again. The evidence begins again, because the processes
// count steps, passes and loaders from the beginning; the findings of the attempt that has failed are kept.
void WatchedRun::beginAttempt() {
    const std::size_t previous = m_verdict.restarts();
    std::int64_t steps = 0;
    for (const auto& [number, one] : m_ranks)
        if (one.attempt() >= previous) steps = std::max(steps, one.steps[previous]);
    m_earlierFindings = judgeEvidence().findings;
    m_evidence = Evidence();
    m_stepsBefore.push_back(m_stepsBefore.back() + steps);
    log(LogLevel::kWarning, m_verdict.recordRestart(steps));
    const Controlled restart{.command = ControlKind::kRestart,
                             .value = static_cast<double>(m_verdict.restarts()),
                             .step = m_stepsBefore.back(),
                             .timeUs = nowUs()};
    tryToRecord([&] { m_record.add(restart, nowUs()); });
    tryToRecord([this] { m_record.beginAttempt(); });
}

void WatchedRun::readRank(Rank& rank) {
    if (!rank.isOpen) return;
    if (isSilent(rank)) rank.link->closeConnection();
    rank.isOpen = rank.link->readTelemetry([&](std::string_view line) { handleLine(rank, line); });
    for (const ClockReading& reading : rank.link->takeClockReadings()) m_clocks.addReading(rank.link->rank(), reading);
    if (rank.isOpen) return;
    m_lastRankEndedUs = nowUs();
    const bool isLost = m_verdict.recordConnectionEnd(rank.link->rank(), rank.attempt(), nowUs());
    if (isLost && rank.attempt() == m_verdict.restarts()) m_evidence.markLost(rank.link->rank());
    m_stalls.recordConnectionEnd(rank.link->rank());
}

// True if a rank has sent nothing, not even a heartbeat, for kSilentUs, and the command ended longer ago than that: the
// rank's host or the network has failed.
bool WatchedRun::isSilent(const Rank& rank) const {
    const auto silence = std::chrono::steady_clock::now() - rank.link->lastLineAt;
    return m_commandEndedUs && nowUs() - *m_commandEndedUs > kSilentUs &&
           silence > std::chrono::microseconds(kSilentUs);
}

// Records a line of a rank. Lines that cannot be decoded, and events that this rank may not send, are counted and not
// recorded.
void WatchedRun::handleLine(Rank& rank, std::string_view line) {
    const Result<Event> event = decodeLine(line);
    if (!event) m_evidence.addUnreadable(rank.link->rank());
    const bool isOwn = event && senderOf(event.value()) == rank.link->rank();
    if (!isOwn) {
        if (++rank.link->badLines == kMaxBadLines)
            log(LogLevel::kWarning, "rank " + std::to_string(rank.link->rank()) + " sends lines that cannot be read" +
                                        (event ? "" : ": " + event.problem().text()));
        return;
    }
    rank.link->recordArrival(std::chrono::steady_clock::now());
    if (const auto* steps = std::get_if<StepsFrame>(&event.value()); steps != nullptr && !steps->step.empty())
        rank.steps.back() = steps->step.back();
    m_verdict.apply(event.value(), rank.attempt());
    if (rank.attempt() == m_verdict.restarts()) m_evidence.add(rank.link->rank(), event.value());
    const std::int64_t stepsBefore = m_stepsBefore[rank.attempt()];
    if (stepsBefore > 0) return recordRenumbered(event.value(), stepsBefore);
    m_stalls.apply(event.value(), nowUs());
    tryToRecord([&] { m_record.record(event.value(), line, nowUs()); });
}

// Records an event of an attempt after the first one, with step numbers that follow those of the earlier attempts.
void WatchedRun::recordRenumbered(Event event, std::int64_t stepsBefore) {
    if (!renumberSteps(event, stepsBefore)) return;
    m_stalls.apply(event, nowUs());
    std::string line = encode(event);
    line.pop_back();  // removes the newline
    tryToRecord([&] { m_record.record(event, line, nowUs()); });
}

void WatchedRun::compareClocks() {
    const std::int64_t now = monotonicNs() / 1000;
    for (const HostClocks::Query& query : m_clocks.queries(now)) {
        const auto rank = m_ranks.find(query.rank);
        if (rank != m_ranks.end()) rank->second.link->sendControl(query.line);
    }
    for (const HostClock& clock : m_clocks.clocksToReport(now)) tryToRecord([&] { m_record.add(clock, nowUs()); });
}

void WatchedRun::watchStalls() {
    if (m_stalls.mustRequestStacks(nowUs())) {
        for (auto& [number, rank] : m_ranks) rank.link->sendControl("{\"kind\":\"stack\"}\n");
    }
    const std::optional<HangReport> report = m_stalls.conclude(nowUs(), m_record.seen().worldSize());
    if (!report) return;
    log(report->isHang ? LogLevel::kError : LogLevel::kWarning, report->text);
    if (report->isHang) (m_stalls.hasTrained() ? m_options.warn : m_options.inform)(report->text);
}

// Prints a sentence if no process has connected, or if connected processes still run after the command has ended. Sends
// all processes that the command has left behind SIGTERM, and later SIGKILL, if mustEndLeft().
void WatchedRun::watchConnections() {
    if (m_ranks.empty() && !m_reportedUnconnected && nowUs() > kUnconnectedUs) {
        m_reportedUnconnected = true;
        m_options.inform(
            "no process of the command has connected yet; a process connects when it creates a process "
            "group or begins to train");
    }
    if (!m_commandEndedUs) return;
    const std::int64_t since = nowUs() - *m_commandEndedUs;
    if (!m_reportedBackground && isAnyRankConnected() && since > kBackgroundDelayUs) {
        m_reportedBackground = true;
        const std::string fact =
            "the command " + m_command.poll()->text() + ", but processes that it has started still train";
        m_options.warn(fact + (mustEndLeft() ? ": Ringside ends these processes"
                                             : ": Ringside records these processes until they end; Ctrl-C ends them"));
        log(LogLevel::kWarning, fact);
    }
    if (!mustEndLeft() || since <= kLeftGraceUs) return;
    if (!m_reportedBackground && !leftoverProcesses(m_command.pid()).empty()) {
        m_reportedBackground = true;
        m_options.warn("the command " + m_command.poll()->text() +
                       ", but processes that it has started still run: Ringside ends these processes");
    }
    endRanks(since > 2 * kLeftGraceUs ? SIGKILL : SIGTERM);
}

void WatchedRun::endAfterCheck() {
    if (!m_options.checkSteps) return;
    if (m_commandEndedUs) {
        if (m_endsAt && !m_endedLeft) {
            m_endedLeft = true;
            endRanks(SIGTERM);
        }
        return;
    }
    if (m_endsAt) {
        if (!m_killed && nowUs() - *m_endsAt > kEndGraceUs) {
            m_killed = true;
            endCommand(SIGKILL);
        }
        return;
    }
    const std::int64_t world = m_record.seen().worldSize();
    if (world == 0 || static_cast<std::int64_t>(m_ranks.size()) < world) return;
    const bool isDone = std::ranges::all_of(m_ranks, [&](const auto& one) {
        return one.second.steps.back() >= *m_options.checkSteps || !one.second.isOpen;
    });
    if (!isDone || !isAnyRankConnected()) return;
    m_endsAt = nowUs();
    m_verdict.setEndedByCheck();
    endCommand(SIGTERM);
}

void WatchedRun::endCommand(int number) {
    m_command.signal(number);
    if (number == SIGKILL) endRanks(number);
}

// Sends a signal to the processes that the command has left behind, and to its ranks on this host.
void WatchedRun::endRanks(int signal) {
    for (const pid_t pid : leftoverProcesses(m_command.pid())) ::kill(pid, signal);
}

bool WatchedRun::isAnyRankConnected() const {
    return std::ranges::any_of(m_ranks, [](const auto& one) { return one.second.isOpen; });
}

// True if the processes that the command has left behind must be ended: the command has failed, a signal has killed it,
// or --check has ended it. A command that succeeds may leave processes behind on purpose.
bool WatchedRun::mustEndLeft() {
    const auto& end = m_command.poll();
    return end && (end->signalled || end->code != 0 || m_endsAt);
}

// True if the command has ended and no process that it has started can still report. If the processes that it has left
// behind must be ended, waits for their end, for at most three times kLeftGraceUs. If the command has succeeded and no
// rank has connected, a process in the background can still connect for kBackgroundUs.
bool WatchedRun::isOver() {
    if (!m_commandEndedUs || isAnyRankConnected()) return false;
    const std::int64_t since = nowUs() - *m_commandEndedUs;
    if (mustEndLeft()) return since > 3 * kLeftGraceUs || leftoverProcesses(m_command.pid()).empty();
    return !m_ranks.empty() || since >= kBackgroundUs || leftoverProcesses(m_command.pid()).empty();
}

RunEnded WatchedRun::conclude() {
    RunEnded end = m_verdict.conclude(*m_command.poll(), minSteps());
    // Without the time in which Ringside has waited for the end of processes that were left behind.
    end.timeUs = std::max(m_commandEndedUs.value_or(0), m_lastRankEndedUs);
    std::optional<SampleAudit> audit;
    tryToRecord([&] { audit = auditedSamples(); });
    m_diagnosis = judgeEvidence();
    if (m_options.continues)
        replaceJudgement(m_diagnosis, "resume-not-exact",
                         audit ? judgeResume(*audit) : couldNotJudge("the samples could not be audited"), m_evidence);
    for (const Finding& one : m_liveFindings.finish(m_diagnosis.findings, end.timeUs))
        tryToRecord([&] { m_record.add(one, end.timeUs); });
    WatchRecord::Conclusions conclusions{m_diagnosis.findings, {}, {}, m_verdict.restarts()};
    for (const CheckOutcome& check : m_diagnosis.checks)
        conclusions.checks.push_back({check.code, textOf(check.result), check.why});
    if (audit) conclusions.samples = summaryOf(*audit);
    tryToRecord([&] { end = m_record.finish(end, conclusions); });
    if (const std::string why = m_record.incompletenessReason(); !why.empty()) m_options.warn(why);
    m_control.reset();
    return end;
}

// Returns the result of all checks of the latest attempt. A hang that was detected while the run was in progress, and
// findings of earlier attempts, replace the results of their checks.
Diagnosis WatchedRun::judgeEvidence() const {
    Diagnosis diagnosis = findingsOf(m_evidence);
    for (const Finding& one : m_earlierFindings) addSeenFinding(diagnosis, one);
    const auto& hang = m_stalls.hang();
    if (!hang) return diagnosis;
    Finding finding;
    finding.code = "hang";
    finding.text = hang->text;
    finding.where = hang->where;
    finding.evidence = hang->evidence;
    finding.timeUs = nowUs();
    addSeenFinding(diagnosis, std::move(finding));
    return diagnosis;
}

// Judges the evidence while the script trains if m_liveFindings.isDue(), and records new, changed and withdrawn
// findings. Until all ranks have connected, only a hang is recorded, because other findings need all ranks. Does
// nothing once the evidence keeps more than kMaxLiveIndices indices, because a judgement would take too long.
void WatchedRun::judgeWhileRunning() {
    const std::int64_t beganUs = nowUs();
    if (m_ranks.empty() || m_cannotRecord || !m_liveFindings.isDue(beganUs)) return;
    if (m_evidence.keptIndices() > kMaxLiveIndices) return;
    std::vector<Finding> findings = judgeEvidence().findings;
    if (static_cast<std::int64_t>(m_ranks.size()) < m_record.seen().worldSize())
        std::erase_if(findings, [](const Finding& one) { return one.code != "hang"; });
    const std::int64_t endedUs = nowUs();
    for (const Finding& one : m_liveFindings.update(findings, endedUs, endedUs - beganUs))
        tryToRecord([&] { m_record.add(one, endedUs); });
}

std::int64_t WatchedRun::minSteps() const {
    if (m_ranks.empty()) return 0;
    const auto latestStep = [this](const auto& one) {
        return m_stepsBefore[one.second.attempt()] + one.second.steps.back();
    };
    return latestStep(*std::ranges::min_element(m_ranks, {}, latestStep));
}

// Returns the exactly-once audit of the recorded samples; nothing if they cannot be read.
std::optional<SampleAudit> WatchedRun::auditedSamples() {
    m_record.flush();
    if (!m_record.incompletenessReason().empty()) return {};
    Result<SampleAudit> audit = auditRun(m_directory.paths().directory, m_options.continues.value_or(""));
    if (audit) return std::move(audit).value();
    log(LogLevel::kWarning, "the samples cannot be audited: " + audit.problem().text());
    return {};
}

// Calls `write`, which writes to the record. After the first error, nothing more is recorded, and the command
// continues.
void WatchedRun::tryToRecord(const std::function<void()>& write) {
    if (m_cannotRecord) return;
    try {
        write();
    } catch (const IoError& error) {
        m_cannotRecord = true;
        m_options.warn(std::string("the run is no longer recorded: ") + error.what());
    }
}

void WatchedRun::log(LogLevel level, const std::string& text) {
    tryToRecord([&] { m_record.log(level, text, nowUs()); });
}

}  // namespace ringside
