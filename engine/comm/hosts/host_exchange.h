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

// Collectives between hosts, with one rank per host. Sums are always formed in the order of the hosts, so that all
// ranks get the same bits. Throws LinkError.
//
// An all-reduce sends the whole buffer to every other host if there are two hosts or at most kWholeUpTo bytes, and each
// host sums locally. Otherwise each host receives its piece of the buffer from all other hosts, sums it, and sends the
// sum to them: two messages in sequence, but less data.
class HostExchange {
  public:
    // sockets: connected sockets, indexed by host; the entry of this host is empty.
    HostExchange(std::vector<UniqueFd> sockets, int host, std::chrono::milliseconds timeout);

    void allReduce(CommBuffer buffer, ReduceOp op);
    // Start and complete an all-reduce. At most two all-reduces may be in progress; finishAllReduce() completes the one
    // that was started first. `buffer` must not be accessed between the two calls.
    void startAllReduce(CommBuffer buffer, ReduceOp op);
    void finishAllReduce();
    void broadcast(CommBuffer buffer, int rootHost);
    void barrier(std::chrono::milliseconds timeout);
    // Sets the ContributionWatch that records the values that each host contributes to later sums of floats. watch must
    // outlive this object.
    void setContributionWatch(ContributionWatch* watch) { m_watch = watch; }
    void abort() { m_links.abort(); }
    void close() { m_links.close(); }
    // Returns statistics of the TCP connection to each other host: round trip, bytes sent, busy time.
    std::vector<LinkStatistics> links() const { return m_links.statistics(); }

    // With more than two hosts: largest buffer, in bytes, that every host sends whole to every other host, so that an
    // all-reduce of a small buffer takes the latency of one message instead of two. Two hosts send every buffer whole.
    static constexpr std::size_t kWholeUpTo = std::size_t{128} << 10;

  private:
    // A sum in progress. Two sums in progress use different scratch buffers for received data.
    struct Started {
        CommBuffer buffer;
        ReduceOp op = ReduceOp::kSum;
        std::int64_t number = 0;
        std::size_t stride = 0;  // size of the received data of one host, in bytes
    };
    int hostCount() const { return static_cast<int>(m_counters.size()); }
    LinkCounters& counters(int host) { return m_counters[static_cast<std::size_t>(host)]; }
    LinkCounters& secondCounters(int host) { return m_secondCounters[static_cast<std::size_t>(host)]; }
    bool isReducedWhole(CommBuffer buffer) const;
    CommBuffer pieceOf(const Started& sum, int host) const;
    void reserveScratch(Started& sum, std::size_t bytes);
    void startWholeSum(Started& sum);
    void finishWholeSum(const Started& sum);
    void startPieces(Started& sum);
    void finishPieces(const Started& sum);
    void recordContributions(const Started& sum, CommType type, std::size_t bytes) const;
    void reduceInOrder(const Started& sum, CommBuffer part, std::size_t offset);
    std::span<std::byte> scratchOf(const Started& sum, int host, std::size_t offset, std::size_t bytes);
    static std::uint64_t slot(std::int64_t number, int phase) {
        return static_cast<std::uint64_t>(number) * 4 + static_cast<unsigned>(phase);
    }
    std::uint64_t slot(int phase) const { return slot(m_number, phase); }
    void advanceNumber();  // increments the number of the collective
    template <class Call>
    void forEachOtherHost(const Call& call) {
        for (int host = 0; host < hostCount(); ++host) {
            if (host != m_host) call(host);
        }
    }

    int m_host;
    std::chrono::milliseconds m_timeout;
    std::vector<LinkCounters> m_counters;        // completion counters of the messages with each host, indexed by host
    std::vector<LinkCounters> m_secondCounters;  // completion counters of the second messages of finishPieces(),
                                                 // indexed by host
    std::deque<Started> m_started;
    std::array<std::vector<std::uint64_t>, 2> m_scratch;
    std::vector<std::uint64_t> m_sum;
    std::vector<const std::byte*> m_sources;
    std::int64_t m_number = 0;
    ContributionWatch* m_watch = nullptr;
    PeerLinks m_links;  // declared last, because it refers to m_counters and m_secondCounters
};

}  // namespace ringside
