// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/async_queue.h"
#include "comm/communicator.h"
#include "comm/shm/arena.h"
#include "comm/shm/ring_channels.h"
#include "comm/shm/round_barrier.h"
#include "comm/shm/shm_collectives.h"

namespace ringside {

// State shared by the communicators of one rank: the number of used bytes of the rank's heap, and the number of
// collectives that the rank has started in all groups together.
struct ShmRank {
    std::size_t heapUsed = 0;
    std::atomic<std::int64_t> collectives{0};
};

// Communicator over shared memory: worker processes of one host ("shm") or threads of a test ("local").
class ShmCommunicator final : public Communicator {
  public:
    // Way in which asynchronous reductions are executed. kThread: in a separate thread, which helps only if a CPU is
    // free for it. kSplit: the data is published at the start, and the reduction completes in the next wait() or other
    // call. kAuto: kThread if there are at least two CPUs per rank.
    enum class Async { kAuto, kThread, kSplit };

    ShmCommunicator(std::shared_ptr<const Arena> arena, int rank, CommOptions options, std::string name,
                    Async async = Async::kAuto);
    // Creates the communicator of one member of a sub-group of `whole`. arena: memory of the sub-group. rank: number of
    // this rank in the sub-group.
    ShmCommunicator(const ShmCommunicator& whole, std::shared_ptr<const Arena> arena, int rank);
    // Aborts the communicator if reductions are still queued: this rank is leaving early, and neither this rank nor its
    // peers may block on the queued reductions.
    ~ShmCommunicator() override;

    int rank() const override { return m_rank; }
    int size() const override { return m_arena->layout().worldSize; }
    std::string name() const override { return m_name; }
    std::unique_ptr<Communicator> split(int colour, int key, GroupUse use) override;

    void allReduce(CommBuffer buffer, ReduceOp op) override;
    CommHandle allReduceAsync(CommBuffer buffer, ReduceOp op) override;
    // Reduces over the ranks of this host and of other hosts: `exchange` combines the sums of this host with the sums
    // of other hosts, part by part.
    void allReduceAcrossHosts(CommBuffer buffer, ReduceOp op, const PartExchange& exchange);
    void broadcast(CommBuffer buffer, int root) override;
    void allGather(CommBuffer in, CommBuffer out) override;
    void reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op) override;
    void send(CommBuffer buffer, int to) override;
    void recv(CommBuffer buffer, int from) override;
    void barrier() override;
    void barrierWithoutTimeout() override;
    CommHandle allGatherAsync(CommBuffer in, CommBuffer out) override;
    CommHandle reduceScatterAsync(CommBuffer in, CommBuffer out, ReduceOp op) override;
    CommHandle sendAsync(CommBuffer buffer, int to) override;
    CommHandle recvAsync(CommBuffer buffer, int from) override;
    void abort() override { m_barrier.abort(); }
    // Returns the number of the last collective. The communicator of the whole run counts the collectives of all of
    // this rank's groups; a sub-group counts only its own.
    std::int64_t collectiveNumber() const override {
        return (m_isGroup ? m_collective : m_shared->collectives).load(std::memory_order_relaxed);
    }
    std::span<float> allocate(std::size_t count) override;

  protected:
    void waitFor(std::int64_t ticket) override;

  private:
    // A reduction in progress whose data has been published at its start (kSplit). Its ticket is the number of the
    // collective.
    struct Started {
        CommBuffer buffer;
        ReduceOp op = ReduceOp::kSum;
        std::int64_t ticket = 0;
    };
    // An asynchronous receive, which CommHandle::wait() executes.
    struct Receive {
        CommBuffer buffer;
        int from = 0;
    };
    struct Dependencies {
        std::shared_ptr<const Arena> arena;
        int rank = 0;
        CommOptions options;
        std::string name;
        bool thread = false;
        std::shared_ptr<ShmRank> shared;
        bool isGroup = false;
    };
    explicit ShmCommunicator(Dependencies dependencies);

    void begin(const QueuedCollective& job);
    std::int64_t enqueue(QueuedCollective job);
    void runQueued(const QueuedCollective& job);
    void reduceNow(CommBuffer buffer, ReduceOp op);
    void finishStartedReduction();
    void beginAfterQueued(CollectiveKind kind, CommBuffer in);
    void prepareMessage(int peer, const char* callName);
    // Executes the oldest asynchronous receives until `count` receives of this communicator have finished in total.
    void completeReceivesUpTo(std::int64_t count);
    std::byte* takeFromHeap(std::size_t bytes);
    void checkPeer(int peer, const char* call) const;

    std::shared_ptr<const Arena> m_arena;
    int m_rank;
    CommOptions m_options;
    std::string m_name;
    std::shared_ptr<ShmRank> m_shared;
    bool m_isGroup;
    bool m_thread;  // true if asynchronous collectives run in the thread of m_queue
    RoundBarrier m_barrier;
    ShmCollectives m_collectives;
    RingChannels m_channels;
    std::atomic<std::int64_t> m_collective{0};
    std::deque<std::vector<float>> m_overflow;  // allocations that did not fit into the heap
    std::optional<Started> m_started;
    std::int64_t m_failed = 0;   // ticket of the first split reduction (kSplit) that failed; 0 if none failed
    std::exception_ptr m_error;  // error of the reduction of ticket m_failed
    std::deque<Receive> m_receives;
    // number of finished receives; the ticket of the first receive is -1, of the next one -2, and so on
    std::int64_t m_received = 0;
    AsyncQueue m_queue{[this](const QueuedCollective& job) { runQueued(job); }};  // declared last, because its thread
                                                                                  // uses all members above
};

}  // namespace ringside
