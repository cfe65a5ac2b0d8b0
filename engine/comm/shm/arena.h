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

// The memory the ranks of one host share. Zero-filled at the start, never constructed, free of locks, so that a rank
// may be killed at any instant. All ranks compute the same layout from (bytes, world size):
//   ArenaHeader | RankLine x N | Channel x N x N (from, to) | slot x N x 2 (rank, parity) | heap x N
// A group of these ranks has the same, but for heaps, inside the heap of its first rank; its ranks keep their heaps.

// What a rank says about the collective it has entered; peers compare it with their own.
struct Announcement {
    std::int64_t collective;  // number, from 1
    std::uint64_t count;
    std::uint64_t source;  // offset of the rank's data in the arena
    std::uint8_t kind;
    std::uint8_t type;
    std::uint8_t detail;  // reduce operation
    bool inHeap;          // the data lies in the heap and may be read and written in place
    std::int32_t root;
};

// When a rank arrived at a round of a traced collective, on CLOCK_MONOTONIC.
struct ArrivalStamp {
    std::int64_t round;
    std::int64_t atNs;
};

struct alignas(64) ArenaHeader {
    alignas(64) std::atomic<std::uint64_t> arrivals;  // of all ranks at all rounds; round k is complete at k * N
    alignas(64) FutexWord wake;                       // changes at each completed round and at a failure
    std::atomic<std::uint32_t> sleepers;              // an upper bound: a killed sleeper stays counted
    alignas(64) std::atomic<std::uint32_t> failure;   // 0, or the first failure: kind << 24 | (rank + 1)
};

struct alignas(64) RankLine {
    std::atomic<std::int64_t> round;       // last round this rank arrived at
    std::atomic<std::int64_t> collective;  // last collective it entered
    alignas(64) FutexWord channelWake;     // changes when one of this rank's channels moved
    std::atomic<std::uint32_t> channelSleeps;
    alignas(64) std::array<Announcement, 2> announcements;  // by parity of the round
    std::array<ArrivalStamp, 2> arrivals;                   // likewise; of an older round where it is not traced
};

// A ring of bytes from one rank to another: one writer, one reader, positions only grow.
struct alignas(64) ChannelPositions {
    alignas(64) std::atomic<std::uint64_t> written;
    alignas(64) std::atomic<std::uint64_t> read;
};

struct ArenaLayout {
    int worldSize = 0;
    std::size_t bytes = 0;
    std::size_t start = 0;  // of the header; offsets from the start of the mapping
    std::size_t lines = 0;
    std::size_t channels = 0;
    std::size_t slotArea = 0;
    std::size_t heaps = 0;
    std::size_t slotBytes = 0;   // per rank and parity
    std::size_t chunkBytes = 0;  // of a large reduction's input; its result lies behind it
    std::size_t heapBytes = 0;   // per rank

    static constexpr std::size_t kRingBytes = 32U << 10;
    static constexpr std::size_t kChannelBytes = sizeof(ChannelPositions) + kRingBytes;
    static constexpr std::size_t kChunkBytes = 1U << 20;
    static constexpr std::size_t kMessageChunkBytes = 64U << 10;  // of a group that hardly reduces anything

    // Throws CommError when bytes cannot hold the ranks.
    ArenaLayout(std::size_t bytes, int worldSize);
    // Of a group of `ranks` of them at an offset.
    ArenaLayout(const ArenaLayout& whole, std::size_t start, int ranks, std::size_t chunkBytes);

    // The least size that holds messages of largestMessageBytes from Communicator::allocate().
    static std::size_t bytesFor(int worldSize, std::size_t largestMessageBytes);
    // What a group takes of the heap of its first rank.
    static std::size_t bytesForGroup(int ranks, std::size_t chunkBytes);
};

// One mapping of the arena, or a group's part of it; shared by the communicators of a process.
class Arena {
  public:
    // Maps the file fd (which stays the caller's) or, with fd < 0, anonymous memory of `bytes`.
    Arena(int fd, std::size_t bytes, int worldSize);
    // The group of these ranks of `parent`, whose memory begins at the offset and is zero.
    Arena(std::shared_ptr<const Arena> parent, std::size_t start, std::span<const int> ranks, std::size_t chunkBytes);
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    const ArenaLayout& layout() const { return m_layout; }
    ArenaHeader& header() const { return *reinterpret_cast<ArenaHeader*>(m_base + m_layout.start); }
    // One for all groups: communication of the run has failed.
    std::atomic<std::uint32_t>& failure() const { return reinterpret_cast<ArenaHeader*>(m_base)->failure; }
    int rankInRun(int rank) const { return m_ranks[static_cast<std::size_t>(rank)]; }
    RankLine& line(int rank) const {
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
    std::byte* at(std::uint64_t offset) const { return m_base + offset; }
    std::uint64_t offsetOf(const void* address) const {
        return static_cast<std::uint64_t>(static_cast<const std::byte*>(address) - m_base);
    }
    // Whether [address, address + bytes) lies in that rank's heap.
    bool inHeap(int rank, const void* address, std::size_t bytes) const;

  private:
    std::shared_ptr<const Arena> m_parent;  // of a group; the mapping is the first one's
    ArenaLayout m_layout;
    std::vector<int> m_ranks;  // in the run
    std::byte* m_base = nullptr;
};

}  // namespace ringside
