// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "comm/communicator.h"
#include "comm/shm/arena.h"
#include "comm/shm/round_barrier.h"

namespace ringside {

// Messages between two ranks through a ring of bytes in the arena, one ring per pair and direction.
//
//     writer -> | header | bytes ...         | -> reader
//               ^ read position      written position ^
//
// send() returns when the last byte of the message is in the ring; a message longer than the ring (32 KiB) flows
// through it while the receiver reads. Each byte that moves restarts the timeout.
class RingChannels {
  public:
    // Callback that takes memory from this rank's heap and never gives it back. Returns null if the heap is full.
    using TakeFromHeap = std::function<std::byte*(std::size_t bytes)>;

    RingChannels(const Arena& arena, RoundBarrier& barrier, int rank, std::chrono::milliseconds timeout,
                 TakeFromHeap takeFromHeap)
        : m_arena(arena),
          m_barrier(barrier),
          m_rank(rank),
          m_timeout(timeout),
          m_takeFromHeap(std::move(takeFromHeap)) {}

    // Sends a message. Blocks until all of its bytes are in the ring.
    void send(CommBuffer buffer, int to);
    // Like send(), but does not wait for the receiver: a message that does not fit into the ring is copied to the heap,
    // from which the receiver reads it. Waits like send() if the heap is full.
    void sendWithoutWaiting(CommBuffer buffer, int to);
    // Receives a message. Throws CommError if its type or count differs from that of `buffer`.
    void recv(CommBuffer buffer, int from);

  private:
    // Piece of the heap that holds a message. Reusable once the receiver's read position in the channel has reached
    // `until`.
    struct Outgoing {
        std::byte* memory = nullptr;
        std::size_t bytes = 0;
        int to = 0;
        std::uint64_t until = 0;
    };
    Outgoing* findFreeHeapPiece(std::size_t bytes);
    void write(int to, const std::byte* data, std::size_t bytes, const std::string& what);
    void read(int from, std::byte* data, std::size_t bytes, const std::string& what);
    void wakePeer(int peer);
    template <class Ready>
    void waitUntil(Ready ready, int peer, const std::string& what);

    const Arena& m_arena;
    RoundBarrier& m_barrier;
    int m_rank;
    std::chrono::milliseconds m_timeout;
    TakeFromHeap m_takeFromHeap;
    std::vector<Outgoing> m_outgoing;
};

}  // namespace ringside
