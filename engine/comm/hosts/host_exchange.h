// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
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
    // The same in two halves, of which two may be under way: finish() ends the one started first.
    void start(CommBuffer buffer, ReduceOp op);
    void finish();
    void broadcast(CommBuffer buffer, int rootHost);
    void barrier(std::chrono::milliseconds timeout);
    // Reports to `watch` what each host contributes to sums of float values. The watch must outlive this object.
    void watchInto(ContributionWatch* watch) { m_watch = watch; }
    void abort() { m_links.abort(); }
    void close() { m_links.close(); }
    std::vector<LinkReading> links() const { return m_links.readings(); }  // by host

    // Up to here everybody sends everything to everybody: one message's time instead of two.
    static constexpr std::size_t kWholeUpTo = std::size_t{128} << 10;

  private:
    // A sum under way. Every other one has memory of its own for what comes.
    struct Started {
        CommBuffer buffer;
        ReduceOp op = ReduceOp::kSum;
        std::int64_t number = 0;
        std::size_t stride = 0;  // of what comes from a host, in bytes
    };
    int hosts() const { return static_cast<int>(m_users.size()); }
    LinkUser& user(int host) { return m_users[static_cast<std::size_t>(host)]; }
    LinkUser& secondUser(int host) { return m_secondUsers[static_cast<std::size_t>(host)]; }
    bool goesWhole(CommBuffer buffer) const;
    CommBuffer pieceOf(const Started& sum, int host) const;
    void makeRoom(Started& sum, std::size_t bytes);
    void startWhole(Started& sum);
    void finishWhole(const Started& sum);
    void startPieces(Started& sum);
    void finishPieces(const Started& sum);
    void watchSources(const Started& sum, CommType type, std::size_t bytes) const;
    void reduceInOrder(const Started& sum, CommBuffer part, std::size_t offset);
    std::span<std::byte> scratchOf(const Started& sum, int host, std::size_t offset, std::size_t bytes);
    static std::uint64_t slot(std::int64_t number, int phase) {
        return static_cast<std::uint64_t>(number) * 4 + static_cast<unsigned>(phase);
    }
    std::uint64_t slot(int phase) const { return slot(m_number, phase); }
    void begin();
    template <class Call>
    void eachOther(const Call& call) {
        for (int host = 0; host < hosts(); ++host) {
            if (host != m_host) call(host);
        }
    }

    int m_host;
    std::chrono::milliseconds m_timeout;
    std::vector<LinkUser> m_users;        // by host
    std::vector<LinkUser> m_secondUsers;  // by host; of what goes when the first sum's messages have come
    std::deque<Started> m_started;
    std::array<std::vector<std::uint64_t>, 2> m_scratch;
    std::vector<std::uint64_t> m_sum;
    std::vector<const std::byte*> m_sources;
    std::int64_t m_number = 0;
    ContributionWatch* m_watch = nullptr;
    PeerLinks m_links;  // last: it holds on to users
};

}  // namespace ringside
