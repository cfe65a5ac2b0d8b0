// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "comm/communicator.h"
#include "comm/tcp/peer_links.h"

namespace ringside {

// Collectives between hosts, of one rank on each. Sums are formed in the order of the hosts wherever they are formed,
// so that all get the same bits. Throws LinkError.
class HostExchange {
  public:
    // sockets: by host, the own one empty.
    HostExchange(std::vector<UniqueFd> sockets, int host, std::chrono::milliseconds timeout);

    void allReduce(CommBuffer buffer, ReduceOp op);
    void broadcast(CommBuffer buffer, int rootHost);
    void barrier(std::chrono::milliseconds timeout);
    void abort() { m_links.abort(); }
    void close() { m_links.close(); }

    // Up to here everybody sends everything to everybody: one message's time instead of two.
    static constexpr std::size_t kWholeUpTo = std::size_t{128} << 10;

  private:
    int hosts() const { return static_cast<int>(m_users.size()); }
    LinkUser& user(int host) { return m_users[static_cast<std::size_t>(host)]; }
    void reduceWhole(CommBuffer buffer, ReduceOp op);
    void reducePieces(CommBuffer buffer, ReduceOp op);
    void reduceInOrder(CommBuffer part, ReduceOp op, std::size_t scratchStride, std::size_t scratchOffset);
    std::span<std::byte> scratchOf(int host, std::size_t stride, std::size_t offset, std::size_t bytes);
    std::uint64_t slot(int phase) const {
        return static_cast<std::uint64_t>(m_number) * 4 + static_cast<unsigned>(phase);
    }
    void begin();

    int m_host;
    std::chrono::milliseconds m_timeout;
    std::vector<LinkUser> m_users;  // by host
    std::vector<std::uint64_t> m_scratch;
    std::vector<std::uint64_t> m_sum;
    std::vector<const std::byte*> m_sources;
    std::int64_t m_number = 0;
    PeerLinks m_links;  // last: it holds on to users
};

}  // namespace ringside
