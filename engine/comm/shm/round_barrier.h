// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "base/processors/cpu_offers.h"
#include "comm/shm/arena.h"

namespace ringside {

// The one way in which ranks wait for each other in collectives: numbered rounds. A rank writes its data and its
// announcement for round k, arrives, and once all N have arrived reads what the others wrote. Two copies of the data
// (by parity of k) suffice: who arrives at k+1 has finished reading k, so k+2 may overwrite it.
class RoundBarrier {
  public:
    RoundBarrier(const Arena& arena, int rank, std::chrono::milliseconds timeout);

    // Which of the two copies the coming round uses.
    int parity() const { return static_cast<int>((m_round + 1) & 1); }

    // Makes what was written visible to all and enters the next round.
    // arrivedNs: of a traced collective, for lastArrivalNs().
    void arrive(const Announcement& announcement, std::int64_t arrivedNs = 0);

    // Whether every rank has arrived at the round entered last.
    bool complete() const;

    // Waits until it is; throws CommError at the deadline, or as soon as a rank fails or aborts.
    // A rank never holds a CPU that others want: it offers it to them for up to 0.2 ms, and then sleeps; at
    // once for a while after others than ranks took it.
    void wait();
    // The same without a deadline; a rank that fails or aborts ends it still.
    void waitHoweverLong();

    const Announcement& announcement(int rank) const {
        return m_arena.line(rank).announcements[static_cast<std::size_t>(m_round & 1)];
    }

    // Of the round entered last, once it is complete; -1 where a rank did not say.
    std::int64_t lastArrivalNs() const;

    // Throws when the run's communication has failed already.
    void checkAlive() const;

    // For waits outside the rounds (channels): records that a peer was silent and throws.
    [[noreturn]] void failMissing(int peer, const std::string& what);

    // Ranks disagree about a collective: records it and throws.
    [[noreturn]] void failMismatch(int peer);

    // When a rank that sleeps has to look whether communication goes on: at the deadline, or earlier:
    // a failure in another group wakes nobody here.
    TimePoint nextLook(TimePoint deadline) const;

    std::string rankText(int rank) const;  // by its number in the run
    int inRun(int rank) const { return rank < 0 ? rank : m_arena.rankInRun(rank); }

    // Makes every wait of every rank throw; any thread.
    void abort();

  private:
    bool yieldUntilComplete();
    void sleepUntilComplete(std::chrono::milliseconds timeout);
    [[noreturn]] void failAtDeadline();
    [[noreturn]] void throwFailure(std::uint32_t failure) const;
    bool recordFailure(std::uint32_t failure);
    std::string current() const;

    const Arena& m_arena;
    int m_rank;
    std::chrono::milliseconds m_timeout;
    std::int64_t m_round = 0;
    CpuOffers m_offers{std::chrono::milliseconds(2)};
    std::uint64_t m_target = 0;  // arrivals at which the round is complete
};

}  // namespace ringside
