// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/communicator.h"
#include "comm/shm/arena.h"
#include "comm/shm/round_barrier.h"

namespace ringside {

// Messages from one rank to another through a ring of bytes in the arena. A send returns when its last byte is in the
// ring; messages longer than the ring flow through it. The deadline counts from the last byte that moved.
class RingChannels {
  public:
    RingChannels(const Arena& arena, RoundBarrier& barrier, int rank, std::chrono::milliseconds timeout)
        : m_arena(arena), m_barrier(barrier), m_rank(rank), m_timeout(timeout) {}

    void send(CommBuffer buffer, int to);
    // Throws CommError when the peer's message has another type or count.
    void recv(CommBuffer buffer, int from);

  private:
    void write(int to, const std::byte* data, std::size_t bytes, const std::string& what);
    void read(int from, std::byte* data, std::size_t bytes, const std::string& what);
    void wakePeer(int peer);
    template <class Ready>
    void waitUntil(Ready ready, int peer, const std::string& what);

    const Arena& m_arena;
    RoundBarrier& m_barrier;
    int m_rank;
    std::chrono::milliseconds m_timeout;
};

}  // namespace ringside
