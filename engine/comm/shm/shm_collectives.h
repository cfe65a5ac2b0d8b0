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

// What is done to a rank's part of a sum over the ranks here before all have it: started in the order of the parts,
// up to two at a time, and finished in that order.
struct PartExchange {
    std::function<void(CommBuffer part)> start;
    std::function<void()> finish;
};

// The algorithms, as rounds over the slots of the arena. Reductions add in the order of the ranks, so every rank gets
// the same bits in any timing. Small messages: one round, in which every rank sums everything itself. Large ones: in
// chunks, each rank sums its part of a chunk, then all gather the parts; in place when all ranks' data lies in heaps,
// for messages of a few kilobytes already. Gathering and scattering: in chunks too, and large data in heaps at once.
class ShmCollectives {
  public:
    ShmCollectives(const Arena& arena, RoundBarrier& barrier, int rank);

    // The collective the next call belongs to. trace: null unless it is of a traced step; readyNs: it was asked for.
    void begin(std::int64_t collective, CollectiveTrace* trace = nullptr, std::int64_t readyNs = 0);
    // Its result is in place.
    void end();
    void addToGroupNumber(std::int64_t number) { m_groupsFrom = number; }

    // An all-reduce in two halves: the first publishes this rank's data and returns, the second waits for the others'
    // and finishes. No other collective may come between them.
    void startAllReduce(CommBuffer buffer, ReduceOp op);
    void finishAllReduce(CommBuffer buffer, ReduceOp op);
    // An all-reduce in which each rank's part of every chunk is exchanged elsewhere before the others get it.
    void reduceAround(CommBuffer buffer, ReduceOp op, const PartExchange& exchange);
    void broadcast(CommBuffer buffer, int root);
    void allGather(CommBuffer in, CommBuffer out);
    void reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op);
    void synchronise();
    void synchroniseHoweverLong();  // without a deadline

    // Up to this size an all-reduce outside heaps takes one round. More ranks: less, as each of them reads all.
    static std::size_t oneRoundBytes(int worldSize);
    // Up to this size also one of data in heaps: at most the above, as it need not be copied.
    static std::size_t oneRoundBytesInHeap(int worldSize);

  private:
    struct Part {
        std::size_t start, length;  // in elements
    };
    Part partOf(int rank, std::size_t count) const;
    void announce(CollectiveKind kind, CommBuffer buffer, int root = 0, ReduceOp op = ReduceOp::kSum);
    void arrive();
    void settle();
    void round();
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
    void takeParts(CommBuffer chunk) const;
    int ranksOutsideHeap() const;
    void useSlots(int parity, std::size_t offset);
    void useAnnouncedSources();

    const Arena& m_arena;
    RoundBarrier& m_barrier;
    int m_rank;
    int m_size;
    bool m_checked = false;  // peers have been compared in this collective
    bool m_tells = false;    // its next round carries the time of this rank's arrival
    int m_parity = 0;        // of the round entered last
    Announcement m_announcement{};
    CollectiveTrace* m_trace = nullptr;  // of the collective under way
    std::int64_t m_groupsFrom = 0;
    CollectiveStamp m_stamp;
    std::vector<const std::byte*> m_sources;  // by rank
};

}  // namespace ringside
