// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/rank_watch.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <utility>

#include "base/errors/exit_code.h"
#include "run/supervise/waiting_for_text.h"

namespace ringside {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// If two ticks are further apart than this, this process (the supervisor) was suspended: the silence of ranks in this
// time is not counted.
constexpr milliseconds kLateTick{1500};
constexpr milliseconds kReadLoadEvery{1000};
constexpr milliseconds kSaveCheckInterval{1000};
constexpr double kHeartbeatSeconds = 1;

double secondsBetween(TimePoint from, TimePoint to) {
    return std::chrono::duration<double>(to - from).count();
}

// True if a rank that ended with `end` may have failed because of a peer. The supervisor then waits for the peer's
// failure report or end before it decides which rank is the cause.
bool mayBlamePeer(const std::optional<ChildEnd>& end) {
    return end && !end->signalled &&
           (end->code == static_cast<int>(ExitCode::kCommunicationFailed) ||
            end->code == static_cast<int>(ExitCode::kBadConfiguration));
}

}  // namespace

RankWatch::RankWatch(const RunPaths& paths, const PreparedRun& run, const SupervisorOptions& options,
                     const Ranks& ranks, RunJournal& journal)
    : m_paths(paths), m_run(run), m_options(options), m_ranks(ranks), m_journal(journal) {}

// Ranks keep the configured timeout if some of them run on other hosts or were started by a launcher, because the load
// of other hosts is not known.
void RankWatch::begin() {
    m_witnessedAt.reset();
    const HostLoad load = m_options.readLoad(ranksHere());
    m_deadlines = runDeadlines(m_options.startDeadline, timeout(), load);
    if (!m_options.hosts.empty()) m_deadlines.timeoutFactor = 1;
    m_readLoadAt = steady_clock::now() + kReadLoadEvery;
    const std::string text = deadlinesText(m_deadlines, m_options.startDeadline, timeout(), load);
    if (!text.empty()) m_journal.log(LogLevel::kInfo, text);
}

// Extends the start deadline while at least one rank has sent nothing: the load of the host may have risen since the
// ranks were started.
void RankWatch::extendStartDeadline() {
    const TimePoint now = steady_clock::now();
    const bool allHaveSent = std::ranges::all_of(m_ranks, [](const auto& rank) { return rank->hasSentAny; });
    if (allHaveSent || now < m_readLoadAt) return;
    m_readLoadAt = now + kReadLoadEvery;
    const HostLoad load = m_options.readLoad(ranksHere());
    m_deadlines.start = std::max(m_deadlines.start, runDeadlines(m_options.startDeadline, timeout(), load).start);
}

void RankWatch::tick() {
    const TimePoint now = steady_clock::now();
    if (now - m_lastTick > kLateTick) {
        for (const auto& rank : m_ranks) {
            rank->lastLineAt = now;
            rank->movement.restart(now);
        }
    }
    m_lastTick = now;
    trackSaveProgress(now);
    m_memoryKills.read(now);
}

void RankWatch::trackSaveProgress(TimePoint now) {
    const auto saves = [](const auto& rank) { return !rank->end() && rank->movement.isSaving(); };
    if (now < m_nextSaveCheck || std::ranges::none_of(m_ranks, saves)) return;
    m_nextSaveCheck = now + kSaveCheckInterval;
    const std::uintmax_t bytes = bytesSaved(m_paths.directory);
    if (std::exchange(m_savedBytes, bytes) == bytes) return;
    for (const auto& rank : m_ranks) {
        if (saves(rank)) rank->movement.restart(now);
    }
}

std::optional<Verdict> RankWatch::judge() {
    const TimePoint now = steady_clock::now();
    const bool isWitness = std::ranges::any_of(m_ranks, [](const auto& rank) { return mayBlamePeer(rank->end()); });
    if (isWitness && !m_witnessedAt) m_witnessedAt = now;
    if (m_misuse) return m_misuse;
    return judge(m_witnessedAt && now - *m_witnessedAt >= m_options.settleTime);
}

std::optional<Verdict> RankWatch::judge(bool settled) {
    extendStartDeadline();
    SilenceLimits limits;
    limits.startSeconds = std::chrono::duration<double>(m_deadlines.start).count();
    const double timeout = m_run.config.parallel.timeoutSeconds * m_deadlines.timeoutFactor;
    limits.runSeconds = timeout + kHeartbeatSeconds;
    // On a GPU that does not respond, a rank ends itself after twice the timeout. The limit must be longer.
    limits.stalledSeconds = (m_run.compute.device == DeviceChoice::kCuda ? 2 : 1) * timeout +
                            std::chrono::duration<double>(m_options.stallGrace).count();
    return ringside::judge(conditions(), limits, settled);
}

void RankWatch::reportMisuse(RankLink& rank, const std::string& how, bool isCertain) {
    constexpr int kMaxBadLines = 16;
    if (rank.host().empty() || m_misuse || (!isCertain && ++rank.badLines < kMaxBadLines)) return;
    RankCondition condition;
    condition.rank = rank.rank();
    condition.host = rank.host();
    m_misuse = misuseVerdict(condition, how);
}

std::vector<RankCondition> RankWatch::conditions() const {
    std::vector<RankCondition> all;
    const TimePoint now = steady_clock::now();
    for (const auto& rank : m_ranks) all.push_back(conditionOf(*rank, now));
    return all;
}

RankCondition RankWatch::conditionOf(const RankLink& rank, TimePoint now) const {
    RankCondition condition;
    condition.rank = rank.rank();
    condition.end = rank.end();
    condition.endOrder = rank.endOrder;
    condition.silentSeconds = secondsBetween(rank.lastLineAt, now);
    condition.longestSilence = rank.longestSilence;
    condition.reportedStage = rank.reportedStage;
    condition.hasSentAny = rank.hasSentAny;
    condition.host = rank.host();
    if (condition.end) condition.lastLines = rank.lastLines();
    condition.position = positionOf(rank.rank());
    condition.beat = rank.movement.last();
    condition.stalledSeconds = rank.movement.stalledSeconds(now);
    condition.longestStallSeconds = rank.movement.longestStallSeconds();
    condition.savingSeconds = rank.movement.savingSeconds(now);
    if (condition.end) condition.endedSeconds = secondsBetween(rank.endedAt, now);
    condition.missingRank = rank.missingRank;
    // Reads from /proc whether the process is stopped: for a silent rank, and for every rank once a rank may have
    // failed because of a peer. To read /proc for every rank at each tick would take more time than all other checks
    // together.
    if (!condition.end && (condition.silentSeconds > kHeartbeatSeconds || m_witnessedAt))
        condition.processStopped = rank.isStopped();
    if (condition.end && condition.end->signalled && condition.end->code == SIGKILL)
        condition.memoryKill = m_memoryKills.killedRecently();
    return condition;
}

std::string RankWatch::positionOf(int rank) const {
    const auto& ranks = m_journal.data().ranks();
    if (rank < 0 || static_cast<std::size_t>(rank) >= ranks.size()) return {};
    const RankData& data = ranks[static_cast<std::size_t>(rank)];
    if (data.step == 0) return data.phase ? "in " + std::string(phaseName(*data.phase)) + " before its first step" : "";
    return "at step " + std::to_string(data.step) + " of epoch " + std::to_string(data.epoch + 1);
}

milliseconds RankWatch::timeout() const {
    return milliseconds(std::llround(m_run.config.parallel.timeoutSeconds * 1000));
}

int RankWatch::ranksHere() const {
    if (m_options.hosts.empty()) return static_cast<int>(m_run.config.parallel.worldSize);
    return static_cast<int>(std::ranges::count(m_options.hosts, 0));
}

}  // namespace ringside
