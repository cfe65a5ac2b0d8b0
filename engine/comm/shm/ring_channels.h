// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "comm/communicator.h"
#include "comm/shm/arena.h"
#include "comm/shm/round_barrier.h"

namespace ringside {

// Messages from one rank to another through a ring of bytes in the arena. A send returns when its last byte is in the
// ring; messages longer than the ring flow through it. The deadline counts from the last byte that moved.
class RingChannels {
  public:
    // Memory of this rank's heap, for good; null when it is used up.
    using TakeFromHeap = std::function<std::byte*(std::size_t bytes)>;

    RingChannels(const Arena& arena, RoundBarrier& barrier, int rank, std::chrono::milliseconds timeout,
                 TakeFromHeap takeFromHeap)
        : m_arena(arena),
          m_barrier(barrier),
          m_rank(rank),
          m_timeout(timeout),
          m_takeFromHeap(std::move(takeFromHeap)) {}

    void send(CommBuffer buffer, int to);
    // The same without waiting for the peer: what the ring has no room for is left in the heap, where the peer finds
    // it.
    void post(CommBuffer buffer, int to);
    // Throws CommError when the peer's message has another type or count.
    void recv(CommBuffer buffer, int from);

  private:
    // A piece of the heap with a message in it, until the peer has read its channel up to `until`.
    struct Outgoing {
        std::byte* memory = nullptr;
        std::size_t bytes = 0;
        int to = 0;
        std::uint64_t until = 0;
    };
    Outgoing* freePlace(std::size_t bytes);
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
