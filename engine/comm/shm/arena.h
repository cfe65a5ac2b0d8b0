// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "comm/shm/futex.h"

namespace ringside {

// Memory that the ranks of one host share. It is zero-filled at the start (no constructors run) and free of locks, so
// that a rank may be killed at any instant without blocking the others. All ranks compute the same layout from (bytes,
// world size N):
//
//     +-------------+--------------+-----------------------+--------------------+----------+
//     | ArenaHeader | RankLine x N | Channel x N x N       | slot x N x 2       | heap x N |
//     |             |              | (from rank, to rank)  | (rank, parity)     |          |
//     +-------------+--------------+-----------------------+--------------------+----------+
//
// Slots carry the data of collectives, channels carry messages, and heaps hold the memory of Communicator::allocate().
// A sub-group has its own header, lines, channels and slots inside the heap of its first rank; its ranks continue to
// use their heaps in the arena of the run.

// Description of the collective that a rank has entered. Peers compare it with their own to detect mismatched calls.
struct Announcement {
    std::int64_t collective;  // number of the collective, counted from 1
    std::uint64_t count;
    std::uint64_t source;  // offset of the rank's data in the arena, in bytes
    std::uint8_t kind;
    std::uint8_t type;
    std::uint8_t detail;  // reduce operation of the collective
    bool inHeap;          // true if the data lies in the heap, where peers read and write the data in place
    std::int32_t root;
};

// Time at which a rank arrived at a round of a traced collective, on CLOCK_MONOTONIC.
struct ArrivalStamp {
    std::int64_t round;
    std::int64_t atNs;
};

struct alignas(64) ArenaHeader {
    alignas(64) std::atomic<std::uint64_t> arrivals;  // total number of arrivals over all ranks and rounds; round k is
                                                      // complete when it reaches k * N for N ranks
    alignas(64) FutexWord wake;                       // word on which ranks sleep; changes at each completed round and
                                                      // at a failure
    // upper bound of the number of sleeping ranks; a rank that was killed while it slept is still counted
    std::atomic<std::uint32_t> sleepers;
    alignas(64) std::atomic<std::uint32_t> failure;  // first failure as kind << 24 | (rank + 1); 0 if none
};

struct alignas(64) RankLine {
    std::atomic<std::int64_t> round;       // number of the last round (RoundBarrier) at which this rank arrived
    std::atomic<std::int64_t> collective;  // number of the last collective that this rank entered
    alignas(64) FutexWord channelWake;     // word on which this rank sleeps; changes when bytes move in one of its
                                           // channels
    std::atomic<std::uint32_t> channelSleeps;
    alignas(64) std::array<Announcement, 2> announcements;  // announcement of this rank's data, indexed by parity of
                                                            // the round
    std::array<ArrivalStamp, 2> arrivals;                   // arrival of this rank, indexed by parity of the round;
                                                            // outdated if the round is not traced
};

// Positions in a ring buffer that carries bytes from one rank to another: the total numbers of bytes that the sender
// has written and the receiver has read since the start.
struct alignas(64) ChannelPositions {
    alignas(64) std::atomic<std::uint64_t> written;
    alignas(64) std::atomic<std::uint64_t> read;
};

// Offsets and sizes of the parts of an arena, in bytes from the start of the mapping.
struct ArenaLayout {
    int worldSize = 0;
    std::size_t bytes = 0;
    std::size_t start = 0;  // offset of the group's header in the arena
    std::size_t lines = 0;
    std::size_t channels = 0;
    std::size_t slotArea = 0;
    std::size_t heaps = 0;
    std::size_t slotBytes = 0;  // size of a slot, the memory of one rank for one round; each rank has one slot for
                                // even and one for odd rounds
    // size of the chunks in which a large reduction is processed; in the slot, the chunk's result follows its input
    std::size_t chunkBytes = 0;
    std::size_t heapBytes = 0;  // size of the heap of one rank

    static constexpr std::size_t kRingBytes = 32U << 10;
    static constexpr std::size_t kChannelBytes = sizeof(ChannelPositions) + kRingBytes;
    static constexpr std::size_t kChunkBytes = 1U << 20;
    static constexpr std::size_t kMessageChunkBytes = 64U << 10;  // size of the chunks of a GroupUse::kMessages group

    // Layout of the whole arena. Throws CommError if `bytes` is too small for the ranks.
    ArenaLayout(std::size_t bytes, int worldSize);
    // Layout of a sub-group of `ranks` ranks whose memory begins at offset `start`.
    ArenaLayout(const ArenaLayout& whole, std::size_t start, int ranks, std::size_t chunkBytes);

    // Returns the size, in bytes, of an arena in which each rank has slots and a heap of at least largestMessageBytes.
    static std::size_t bytesFor(int worldSize, std::size_t largestMessageBytes);
    // Returns the number of bytes that a sub-group with this layout takes from the heap of its first rank.
    static std::size_t bytesForGroup(int ranks, std::size_t chunkBytes);
};

// Mapping of the arena, or a sub-group's part of it. Shared by the communicators of a process.
class Arena {
  public:
    // Maps the file `fd`, which the caller still owns, or anonymous memory of `bytes` bytes if `fd` is negative. Throws
    // CommError.
    Arena(int fd, std::size_t bytes, int worldSize);
    // Creates the sub-group of `parent` that consists of the given ranks. Its memory begins at offset `start` and must
    // be zero.
    Arena(std::shared_ptr<const Arena> parent, std::size_t start, std::span<const int> ranks, std::size_t chunkBytes);
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    const ArenaLayout& layout() const { return m_layout; }
    ArenaHeader& header() const { return *reinterpret_cast<ArenaHeader*>(m_base + m_layout.start); }
    // Returns the first failure of the run as a code (ArenaHeader::failure), shared by all groups; 0 if there is none.
    std::atomic<std::uint32_t>& failure() const { return reinterpret_cast<ArenaHeader*>(m_base)->failure; }
    int rankInRun(int rank) const { return m_ranks[static_cast<std::size_t>(rank)]; }
    RankLine& lineOfRank(int rank) const {
        return reinterpret_cast<RankLine*>(m_base + m_layout.lines)[static_cast<std::size_t>(rank)];
    }
    ChannelPositions& channel(int from, int to) const;
    std::byte* ring(int from, int to) const;
    std::byte* slot(int rank, int parity) const {
        return m_base + m_layout.slotArea + static_cast<std::size_t>(rank * 2 + parity) * m_layout.slotBytes;
    }
    std::byte* heap(int rank) const {
        return m_base + m_layout.heaps + static_cast<std::size_t>(rankInRun(rank)) * m_layout.heapBytes;
    }
    std::byte* addressAt(std::uint64_t offset) const { return m_base + offset; }
    std::uint64_t offsetOf(const void* address) const {
        return static_cast<std::uint64_t>(static_cast<const std::byte*>(address) - m_base);
    }
    // True if [address, address + bytes) lies in the heap of `rank`.
    bool isInHeap(int rank, const void* address, std::size_t bytes) const;

  private:
    std::shared_ptr<const Arena> m_parent;  // arena that contains this sub-group; null for the whole arena
    ArenaLayout m_layout;
    std::vector<int> m_ranks;  // numbers of the ranks in the run
    std::byte* m_base = nullptr;
};

}  // namespace ringside
