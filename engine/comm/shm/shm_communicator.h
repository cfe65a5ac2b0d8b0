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

// What the communicators of one rank share: its heap, and the number of collectives in all groups.
struct ShmRank {
    std::size_t heapUsed = 0;
    std::atomic<std::int64_t> collectives{0};
};

// Ranks of one host over shared memory: worker processes ("shm") or threads of a test ("local").
class ShmCommunicator final : public Communicator {
  public:
    // Where an asynchronous reduction is worked on: in a thread of its own, which only helps with a CPU free for it, or
    // split in two: the data is published when it starts, the rest happens when somebody waits or calls on.
    enum class Async { kAuto, kThread, kSplit };

    ShmCommunicator(std::shared_ptr<const Arena> arena, int rank, CommOptions options, std::string name,
                    Async async = Async::kAuto);
    // A group of them.
    ShmCommunicator(const ShmCommunicator& whole, std::shared_ptr<const Arena> arena, int rank);
    // Aborts when reductions are still queued: whoever leaves early must not keep the others, or itself, waiting.
    ~ShmCommunicator() override;

    int rank() const override { return m_rank; }
    int size() const override { return m_arena->layout().worldSize; }
    std::string name() const override { return m_name; }
    std::unique_ptr<Communicator> split(int colour, int key, GroupUse use) override;

    void allReduce(CommBuffer buffer, ReduceOp op) override;
    CommHandle allReduceAsync(CommBuffer buffer, ReduceOp op) override;
    // An all-reduce over more than these ranks: what they sum up is exchanged elsewhere, part by part.
    void allReduceAround(CommBuffer buffer, ReduceOp op, const PartExchange& exchange);
    void broadcast(CommBuffer buffer, int root) override;
    void allGather(CommBuffer in, CommBuffer out) override;
    void reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op) override;
    void send(CommBuffer buffer, int to) override;
    void recv(CommBuffer buffer, int from) override;
    void barrier() override;
    void barrierHoweverLong() override;
    CommHandle allGatherAsync(CommBuffer in, CommBuffer out) override;
    CommHandle reduceScatterAsync(CommBuffer in, CommBuffer out, ReduceOp op) override;
    CommHandle sendAsync(CommBuffer buffer, int to) override;
    CommHandle recvAsync(CommBuffer buffer, int from) override;
    void abort() override { m_barrier.abort(); }
    // Of the run: in all of this rank's groups. Of a group: its own.
    std::int64_t collective() const override {
        return (m_isGroup ? m_collective : m_shared->collectives).load(std::memory_order_relaxed);
    }
    std::span<float> allocate(std::size_t count) override;

  protected:
    void waitFor(std::int64_t ticket) override;

  private:
    // The started half of a split reduction; its ticket is the collective's number.
    struct Started {
        CommBuffer buffer;
        ReduceOp op = ReduceOp::kSum;
        std::int64_t ticket = 0;
    };
    // A message that is waited for when its handle is.
    struct Receive {
        CommBuffer buffer;
        int from = 0;
    };
    struct Parts {
        std::shared_ptr<const Arena> arena;
        int rank = 0;
        CommOptions options;
        std::string name;
        bool thread = false;
        std::shared_ptr<ShmRank> shared;
        bool isGroup = false;
    };
    explicit ShmCommunicator(Parts parts);

    void begin(const QueuedCollective& job);
    std::int64_t push(QueuedCollective job);
    void run(const QueuedCollective& job);
    void reduceNow(CommBuffer buffer, ReduceOp op);
    void finishStarted();
    void beginAfterQueued(CollectiveKind kind, CommBuffer in);
    void beforeMessage(int peer, const char* call);
    void receiveUpTo(std::int64_t count);
    std::byte* takeFromHeap(std::size_t bytes);
    void checkPeer(int peer, const char* call) const;

    std::shared_ptr<const Arena> m_arena;
    int m_rank;
    CommOptions m_options;
    std::string m_name;
    std::shared_ptr<ShmRank> m_shared;
    bool m_isGroup;
    bool m_thread;  // a CPU is free for every rank and for its queue's thread beside it, or so we were told
    RoundBarrier m_barrier;
    ShmCollectives m_collectives;
    RingChannels m_channels;
    std::atomic<std::int64_t> m_collective{0};
    std::deque<std::vector<float>> m_overflow;  // what the heap had no room for
    std::optional<Started> m_started;
    std::int64_t m_failed = 0;   // ticket of the first split reduction that failed
    std::exception_ptr m_error;  // what went wrong there
    std::deque<Receive> m_receives;
    std::int64_t m_received = 0;  // of those that were started, in order; their tickets count down from -1
    AsyncQueue m_queue{[this](const QueuedCollective& job) { run(job); }};  // last: its thread uses all of the above
};

}  // namespace ringside
