// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "base/processors/cpu_yields.h"
#include "comm/shm/arena.h"

namespace ringside {

// Numbered rounds in which the ranks of a host wait for each other. All collectives in shared memory consist of rounds.
//
// In round k a rank writes its data and its announcement, arrives, waits until all N ranks have arrived, and then reads
// what the other ranks wrote. Data and announcements have two copies, selected by the parity of k:
//
//     rank 0:  write A | arrive k | read A | write B | arrive k+1 | read B | write A | ...
//     rank 1:  write A | arrive k |   read A   | write B | arrive k+1 | read B | ...
//
// Two copies suffice: a rank that arrives at round k+1 has finished reading round k, so round k+2 may overwrite that
// copy.
class RoundBarrier {
  public:
    RoundBarrier(const Arena& arena, int rank, std::chrono::milliseconds timeout);

    // Returns the index, 0 or 1, of the copy of data and announcements that the next round uses.
    int parity() const { return static_cast<int>((m_round + 1) & 1); }

    // Enters the next round and makes all earlier writes of this rank visible to the others. arrivedNs is the time of
    // arrival in a traced collective, for lastArrivalNs(); 0 if not traced.
    void arrive(const Announcement& announcement, std::int64_t arrivedNs = 0);

    // True if every rank has arrived at the round entered last.
    bool isComplete() const;

    // Blocks until the round is complete. Throws CommError at the timeout, or as soon as a rank fails or aborts. Yields
    // the CPU for up to 0.2 ms so that other ranks can run, then sleeps. If another program has used a yielded CPU for
    // a long time, the calls of wait() in the next 100 ms sleep without yielding.
    void wait();
    // Blocks like wait(), but without a timeout. Still throws if a rank fails or aborts.
    void waitWithoutTimeout();

    // Returns the announcement of a rank for the round entered last.
    const Announcement& announcement(int rank) const {
        return m_arena.lineOfRank(rank).announcements[static_cast<std::size_t>(m_round & 1)];
    }

    // Returns the time of the last arrival at the round entered last, which must be complete; -1 if a rank reported no
    // time.
    std::int64_t lastArrivalNs() const;

    // Throws CommError if communication of the run has already failed.
    void throwIfFailed() const;

    // Records that `peer` did not respond and throws CommError. `what` states what did not happen in time, such as
    // "rank 3 did not reach collective 7". Also used by channels, which wait outside of rounds.
    [[noreturn]] void failMissing(int peer, const std::string& what);

    // Records that `peer` called a different collective and throws CallMismatchError.
    [[noreturn]] void failMismatch(int peer);

    // Returns the time until which a rank may sleep: the deadline, or 200 ms from now if that is earlier, because a
    // failure in another group does not wake the ranks of this group.
    TimePoint nextFailureCheck(TimePoint deadline) const;

    std::string rankText(int rank) const;  // returns, for example, "rank 3", by the rank's number in the run
    int rankInRun(int rank) const { return rank < 0 ? rank : m_arena.rankInRun(rank); }

    // Makes every wait of every rank of the run throw CommError. Callable from any thread.
    void abort();

  private:
    bool yieldUntilComplete();
    void sleepUntilComplete(std::chrono::milliseconds timeout);
    [[noreturn]] void failAtDeadline();
    [[noreturn]] void throwFailure(std::uint32_t failure) const;
    bool recordFailure(std::uint32_t failure);
    std::string describeCurrent() const;

    const Arena& m_arena;
    int m_rank;
    std::chrono::milliseconds m_timeout;
    std::int64_t m_round = 0;
    CpuYields m_yields{std::chrono::milliseconds(2)};
    std::uint64_t m_target = 0;  // number of arrivals at which the round is complete
};

}  // namespace ringside
