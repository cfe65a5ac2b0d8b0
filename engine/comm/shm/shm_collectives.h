// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "comm/collective_text.h"
#include "comm/communicator.h"
#include "comm/shm/arena.h"
#include "comm/shm/round_barrier.h"

namespace ringside {

// Functions that an all-reduce over several hosts calls for each part of the buffer, to add the sums of the other hosts
// to the sum of this host. Parts start and finish in order; at most two are in progress at once. Afterwards each rank
// of this host copies the finished part into its own buffer.
struct PartExchange {
    std::function<void(CommBuffer part)> start;
    std::function<void()> finish;
};

// Collectives in shared memory, as rounds (RoundBarrier) over the slots of the arena. Reductions add in the order of
// the ranks, so that every rank gets the same bits, independent of timing. An all-reduce uses one of three algorithms,
// depending on the size and on where the data lies:
//
//     one round   small data: every rank copies its data to its slot, then sums all slots itself.
//     chunks      large data in private memory: chunk by chunk, each rank sums its part, then copies the others' parts.
//     in place    data of all ranks in heaps: each rank sums its part and writes the sum into every rank's buffer.
//
// Chunks with three ranks, each of which owns one part of every chunk:
//
//                part 0    part 1    part 2
//     rank 0    [ sum  ]     ...       ...      publishes its input, sums part 0 of all inputs, publishes the sum,
//     rank 1      ...      [ sum  ]    ...      and copies the sums of parts 1 and 2 from the slots of ranks 1 and 2
//     rank 2      ...        ...     [ sum  ]
//
// Gathers, scatters and broadcasts run in chunks too; gathers and scatters of data in heaps need no copy to the slots.
class ShmCollectives {
  public:
    ShmCollectives(const Arena& arena, RoundBarrier& barrier, int rank);

    // Begins the collective to which the following calls belong. trace: null if the step is not traced. readyNs: time
    // at which the caller started the collective.
    void begin(std::int64_t collective, CollectiveTrace* trace = nullptr, std::int64_t readyNs = 0);
    // Ends the collective after its result is in place; adds its times to the trace if it is traced.
    void end();
    void setTraceGroupOffset(std::int64_t number) { m_groupsFrom = number; }

    // All-reduce in two halves: startAllReduce() publishes this rank's data and returns; finishAllReduce() waits for
    // the data of the other ranks and completes the reduction. No other collective may run between the two.
    void startAllReduce(CommBuffer buffer, ReduceOp op);
    void finishAllReduce(CommBuffer buffer, ReduceOp op);
    // All-reduce over more ranks than those of this host: `exchange` reduces each rank's part of every chunk with the
    // parts of the other hosts before the ranks of this host copy the part.
    void allReduceAcrossHosts(CommBuffer buffer, ReduceOp op, const PartExchange& exchange);
    void broadcast(CommBuffer buffer, int root);
    void allGather(CommBuffer in, CommBuffer out);
    void reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op);
    // Blocks until all ranks have called synchronise().
    void synchronise();
    void synchroniseWithoutTimeout();  // same as synchronise(), but without a timeout

    // Returns the largest size, in bytes, of an all-reduce in one round. Decreases with the number of ranks, because
    // each rank reads the data of all ranks.
    static std::size_t oneRoundBytes(int worldSize);
    // Returns the largest size, in bytes, of an all-reduce in one round if the data lies in heaps. Not larger than
    // oneRoundBytes(), because the in-place algorithm needs no copy of the input.
    static std::size_t oneRoundBytesInHeap(int worldSize);

  private:
    struct Part {
        std::size_t start, length;  // index of the first element and number of elements
    };
    Part partOf(int rank, std::size_t count) const;
    void publish(CollectiveKind kind, CommBuffer buffer, int root = 0, ReduceOp op = ReduceOp::kSum);
    void arrive();
    void waitForRound();
    void completeRound();
    void arriveFrom(std::int64_t enteredNs);
    void checkPeers();
    std::byte* slot(int rank, int parity) const { return m_arena.slot(rank, parity); }

    void reduceWhole(CommBuffer buffer, ReduceOp op);
    void reduceChunks(CommBuffer buffer, ReduceOp op);
    void reduceInPlace(CommBuffer buffer, ReduceOp op);
    CommBuffer chunkOf(CommBuffer buffer, std::size_t index) const;
    void copyIn(CommBuffer chunk);
    void copyInWhole(CommBuffer buffer);
    void copyInParts(CommBuffer in, std::size_t partCount, std::size_t from, std::size_t count, std::size_t stride);
    void reducePart(CommBuffer chunk, ReduceOp op, std::byte* result);
    void copyOut(CommBuffer chunk, int parity) const;
    CommBuffer sumOwnPart(CommBuffer chunk, ReduceOp op);
    void copyReducedParts(CommBuffer chunk) const;
    int ranksOutsideHeap() const;
    void useSlots(int parity, std::size_t offset);
    void useAnnouncedSources();

    const Arena& m_arena;
    RoundBarrier& m_barrier;
    int m_rank;
    int m_size;
    bool m_checked = false;           // true if this rank has compared the announcements of all ranks for this
                                      // collective
    bool m_publishesArrival = false;  // true if the next round publishes the time of this rank's arrival
    int m_parity = 0;                 // parity of the round entered last
    Announcement m_announcement{};
    CollectiveTrace* m_trace = nullptr;  // trace of the running collective; null if not traced
    std::int64_t m_groupsFrom = 0;
    CollectiveStamp m_stamp;
    std::vector<const std::byte*> m_sources;  // address of the data to read from each rank
};

}  // namespace ringside
