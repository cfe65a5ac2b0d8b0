// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "comm/async_queue.h"
#include "comm/collective_text.h"
#include "comm/communicator.h"
#include "comm/hosts/contribution_watch.h"
#include "comm/hosts/host_exchange.h"
#include "comm/hosts/host_map.h"
#include "comm/shm/shm_communicator.h"
#include "comm/store.h"

namespace ringside {

// Communicator of a run on several hosts. Reductions and broadcasts go through shared memory within a host and cross
// the network once per host, not once per rank:
//
//     host 0: ranks 0 1 2 3    sum in shared memory --+                  +-- copy the sum in shared memory
//                                                     +-- sum over TCP --+
//     host 1: ranks 4 5 6 7    sum in shared memory --+                  +-- copy the sum in shared memory
//
// An all-reduce of less than 256 KiB uses the first rank of each host for the TCP step. A larger one splits every chunk
// into as many parts as each host has ranks: rank i of a host exchanges part i with rank i of the other hosts, if all
// hosts have the same number of ranks. Sums are formed within each host first and then in the order of the hosts, so
// that they are bit-identical on all ranks and from run to run.
//
// All-gathers, reduce-scatters, sums in a tree, messages and sub-groups that span hosts use TCP connections between all
// ranks (Dependencies::flat). Sub-groups within a host use shared memory.
class HierarchicalCommunicator final : public Communicator {
  public:
    struct Dependencies {
        std::shared_ptr<Store> store;
        std::unique_ptr<Communicator> flat;      // communicator over TCP between all ranks
        std::unique_ptr<ShmCommunicator> local;  // communicator of the ranks of this host; null for a single rank
    };
    // Connects to the other hosts; throws CommError.
    HierarchicalCommunicator(Dependencies dependencies, HostMap hosts, CommOptions options);
    ~HierarchicalCommunicator() override;

    int rank() const override { return m_rank; }
    int size() const override { return m_hosts.rankCount(); }
    std::string name() const override { return "hierarchical"; }
    std::string hosts() const override;
    std::unique_ptr<Communicator> split(int colour, int key, GroupUse use) override;

    void allReduce(CommBuffer buffer, ReduceOp op) override;
    CommHandle allReduceAsync(CommBuffer buffer, ReduceOp op) override;
    void broadcast(CommBuffer buffer, int root) override;
    void allGather(CommBuffer in, CommBuffer out) override;
    void reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op) override;
    void send(CommBuffer buffer, int to) override { m_flat->send(buffer, to); }
    void recv(CommBuffer buffer, int from) override { m_flat->recv(buffer, from); }
    void barrier() override;
    void barrierWithoutTimeout() override;
    CommHandle allGatherAsync(CommBuffer in, CommBuffer out) override;
    CommHandle reduceScatterAsync(CommBuffer in, CommBuffer out, ReduceOp op) override;
    CommHandle sendAsync(CommBuffer buffer, int to) override { return m_flat->sendAsync(buffer, to); }
    CommHandle recvAsync(CommBuffer buffer, int from) override { return m_flat->recvAsync(buffer, from); }
    void abort() override;
    std::int64_t collectiveNumber() const override { return m_collective.load(std::memory_order_relaxed); }
    std::int64_t bytesSent() const override { return Communicator::bytesSent() + m_flat->bytesSent(); }
    std::int64_t refusedConnections() const override { return m_refusedConnections + m_flat->refusedConnections(); }
    std::vector<LinkStatistics> links() override;
    ContributionWatch* contributionWatch() override { return m_watch.get(); }
    std::span<float> allocate(std::size_t count) override;

  protected:
    void waitFor(std::int64_t ticket) override {
        const WaitScope waiting(trace());
        m_queue.waitFor(ticket);
    }

  private:
    void connect();
    bool isFirstRankOnHost() const { return m_hosts.positionOnHost(m_rank) == 0; }
    void runQueued(const QueuedCollective& job);
    void reduceNow(CommBuffer buffer, ReduceOp op);
    static bool usesFlatCommunicator(const QueuedCollective& job);
    // reduceFlat(), gatherFlat() and scatterFlat() use the communicator that connects all ranks directly, without
    // regard to hosts.
    void reduceFlat(CommBuffer buffer, ReduceOp op);
    void gatherFlat(CommBuffer in, CommBuffer out);
    void scatterFlat(CommBuffer in, CommBuffer out, ReduceOp op);
    void reduceThroughFirstRanks(CommBuffer buffer, ReduceOp op);
    void reduceInParts(CommBuffer buffer, ReduceOp op);
    void synchroniseAllRanks();
    std::int64_t enqueue(QueuedCollective job);
    void waitForAllHosts(std::chrono::milliseconds timeout, const std::function<void()>& localBarrier);
    void runCollective(QueuedCollective job, const std::function<void()>& call);
    void runNumbered(const QueuedCollective& job, const std::function<void()>& call);
    void runTraced(const QueuedCollective& job, std::int64_t number, const std::function<void()>& call);
    [[noreturn]] void fail(const std::string& what, const std::string& why, int missing);
    [[noreturn]] void failBecauseOf(int rank, const std::string& text);
    void abortAll();

    std::shared_ptr<Store> m_store;
    int m_rank;
    HostMap m_hosts;
    CommOptions m_options;
    std::unique_ptr<Communicator> m_flat;
    std::unique_ptr<ShmCommunicator> m_local;
    std::unique_ptr<ContributionWatch> m_watch;  // largest values that each host contributed to the sums in m_exchange
    // Sums between hosts, over connections to the ranks that have the same position on the other hosts
    // (HostMap::positionOnHost()) as this rank on its host. Null if this rank is not the first of its host and the
    // hosts have different numbers of ranks.
    std::unique_ptr<HostExchange> m_exchange;
    std::int64_t m_refusedConnections = 0;
    std::deque<std::vector<float>> m_allocated;
    std::atomic<std::int64_t> m_collective{0};
    std::atomic<bool> m_aborted{false};
    bool m_failed = false;
    // True during a call of m_flat. An error of m_flat contains the rank's number in the run, and an error of m_local
    // its position on this host.
    bool m_inFlat = false;
    // Declared last, because the queue's thread uses all members above.
    AsyncQueue m_queue{[this](const QueuedCollective& job) { runQueued(job); }};
};

}  // namespace ringside
