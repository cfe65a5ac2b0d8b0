// SPDX-License-Identifier: Apache-2.0
#include "comm/shm/round_barrier.h"

#include <algorithm>

#include "base/time/awake_deadline.h"
#include "comm/call_mismatch_error.h"
#include "comm/collective_text.h"

namespace ringside {
namespace {

enum FailureKind : std::uint32_t { kSilent = 1, kAborted = 2, kMismatch = 3 };

std::uint32_t makeFailure(FailureKind kind, int rank) {
    return static_cast<std::uint32_t>(kind) << 24 | static_cast<std::uint32_t>(rank + 1);
}

std::string describe(const Announcement& a) {
    return describeCollective(static_cast<CollectiveKind>(a.kind), static_cast<CommType>(a.type), a.count);
}

// Returns the number of a rank in the run as text.
std::string textOf(int rank) {
    return "rank " + std::to_string(rank);
}

// Longest sleep of a rank. It then checks for a failure in another group, because ranks of other groups do not wake
// this rank.
constexpr std::chrono::milliseconds kAskAgain{200};

}  // namespace

RoundBarrier::RoundBarrier(const Arena& arena, int rank, std::chrono::milliseconds timeout)
    : m_arena(arena), m_rank(rank), m_timeout(timeout) {}

std::string RoundBarrier::rankText(int rank) const {
    return textOf(rankInRun(rank));
}

void RoundBarrier::arrive(const Announcement& announcement, std::int64_t arrivedNs) {
    ++m_round;
    m_target += static_cast<std::uint64_t>(m_arena.layout().worldSize);
    RankLine& line = m_arena.lineOfRank(m_rank);
    line.announcements[static_cast<std::size_t>(m_round & 1)] = announcement;
    if (arrivedNs != 0) line.arrivals[static_cast<std::size_t>(m_round & 1)] = {m_round, arrivedNs};
    line.collective.store(announcement.collective, std::memory_order_relaxed);
    line.round.store(m_round, std::memory_order_relaxed);
    ArenaHeader& header = m_arena.header();
    if (header.arrivals.fetch_add(1) + 1 != m_target) return;
    header.wake.fetch_add(1);
    // A rank that is about to sleep increments `sleepers` before the kernel compares `wake`. Therefore this rank either
    // reads a count above 0 here, or the other rank sees the changed `wake` and does not sleep.
    if (header.sleepers.load() != 0) futexWakeAll(header.wake);
}

std::int64_t RoundBarrier::lastArrivalNs() const {
    std::int64_t last = -1;
    for (int rank = 0; rank < m_arena.layout().worldSize; ++rank) {
        const ArrivalStamp& stamp = m_arena.lineOfRank(rank).arrivals[static_cast<std::size_t>(m_round & 1)];
        if (stamp.round != m_round) return -1;
        last = std::max(last, stamp.atNs);
    }
    return last;
}

bool RoundBarrier::isComplete() const {
    return m_arena.header().arrivals.load(std::memory_order_acquire) >= m_target;
}

void RoundBarrier::wait() {
    if (isComplete() || yieldUntilComplete()) return;
    sleepUntilComplete(m_timeout);
}

void RoundBarrier::waitWithoutTimeout() {
    constexpr std::chrono::hours kForEver{24 * 365};
    if (!isComplete()) sleepUntilComplete(kForEver);
}

// Yields the CPU until the round is complete, for at most 0.2 ms. While this rank yields, other ranks that have not
// arrived can run on the same CPU. Yielding also avoids that the CPU becomes idle: a virtual machine takes some 50 us,
// as long as several rounds, to wake an idle CPU. If another program uses the CPU, yielding returns so late that the
// other ranks would wait for this rank; sleeping is better then, because the last arrival wakes this rank.
bool RoundBarrier::yieldUntilComplete() {
    constexpr std::chrono::microseconds kLongest{200};
    TimePoint now = m_yields.now();
    for (const TimePoint end = now + kLongest; now < end && m_yields.isWorthwhile(now);) {
        now = m_yields.yield(now);
        if (isComplete()) return true;
    }
    return false;
}

void RoundBarrier::sleepUntilComplete(std::chrono::milliseconds timeout) {
    ArenaHeader& header = m_arena.header();
    AwakeDeadline deadline(timeout);
    while (true) {
        std::uint32_t seen = header.wake.load();
        if (isComplete()) return;
        throwIfFailed();
        header.sleepers.fetch_add(1);
        futexWait(header.wake, seen, nextFailureCheck(deadline.nextCheck()));
        header.sleepers.fetch_sub(1);
        if (!isComplete() && deadline.hasPassed()) failAtDeadline();
    }
}

TimePoint RoundBarrier::nextFailureCheck(TimePoint deadline) const {
    return std::min<TimePoint>(deadline, std::chrono::steady_clock::now() + kAskAgain);
}

void RoundBarrier::throwIfFailed() const {
    std::uint32_t failure = m_arena.failure().load(std::memory_order_acquire);
    if (failure != 0) throwFailure(failure);
}

std::string RoundBarrier::describeCurrent() const {
    const Announcement& own = announcement(m_rank);
    if (own.collective == 0) return "the first collective of the run";
    return "collective " + std::to_string(own.collective) + " (" + describe(own) + ")";
}

void RoundBarrier::failAtDeadline() {
    std::int64_t collective = announcement(m_rank).collective;
    for (int peer = 0; peer < m_arena.layout().worldSize; ++peer) {
        const RankLine& line = m_arena.lineOfRank(peer);
        if (line.round.load() >= m_round) continue;
        bool entered = line.collective.load() >= collective;
        const std::string who = rankText(peer);
        failMissing(
            peer, entered ? who + " stopped inside " + describeCurrent() : who + " did not reach " + describeCurrent());
    }
    // All ranks have stored their round, but one rank was killed before it incremented the count of arrivals, so that
    // the round cannot complete.
    failMissing(-1, "a rank stopped inside " + describeCurrent());
}

void RoundBarrier::failMissing(int peer, const std::string& what) {
    recordFailure(makeFailure(kSilent, rankInRun(peer)));
    throw CommError(what + " within " + describeDuration(m_timeout) +
                        ": the missing rank has died, hangs or is much slower; see its log, or raise "
                        "parallel.timeout_seconds",
                    rankInRun(peer));
}

void RoundBarrier::failMismatch(int peer) {
    recordFailure(makeFailure(kMismatch, rankInRun(peer)));
    const Announcement& other = announcement(peer);
    const Announcement& own = announcement(m_rank);
    throw CallMismatchError(rankText(peer) + " called " + describe(other) + " as collective " +
                                std::to_string(other.collective) + " where " + rankText(m_rank) + " called " +
                                describe(own) + ": every rank must make the same calls with the same sizes and options",
                            rankInRun(peer));
}

void RoundBarrier::abort() {
    recordFailure(makeFailure(kAborted, rankInRun(m_rank)));
}

bool RoundBarrier::recordFailure(std::uint32_t failure) {
    ArenaHeader& header = m_arena.header();
    std::uint32_t none = 0;
    bool first = m_arena.failure().compare_exchange_strong(none, failure);
    header.wake.fetch_add(1);
    futexWakeAll(header.wake);
    for (int rank = 0; rank < m_arena.layout().worldSize; ++rank) {
        FutexWord& word = m_arena.lineOfRank(rank).channelWake;
        word.fetch_add(1);
        futexWakeAll(word);
    }
    return first;
}

void RoundBarrier::throwFailure(std::uint32_t failure) const {
    int rank = static_cast<int>(failure & 0xffffff) - 1;
    std::string who = rank < 0 ? "a rank" : textOf(rank);
    switch (failure >> 24) {
        case kAborted:
            throw CommError(who + " aborted communication during " + describeCurrent() + "; see the log of that rank",
                            rank);
        case kMismatch:
            throw CallMismatchError("the ranks called different collectives, " + who + " among them, near " +
                                        describeCurrent() +
                                        ": every rank must make the same calls with the same sizes and options",
                                    rank);
        default:
            throw CommError(who + " did not respond to another rank in time, so communication ended during " +
                                describeCurrent() + "; see the log of that rank",
                            rank);
    }
}

}  // namespace ringside
