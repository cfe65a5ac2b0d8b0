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

// Ranks of one host over shared memory: worker processes ("shm") or threads of a test ("local").
class ShmCommunicator final : public Communicator {
  public:
    // Where an asynchronous reduction is worked on: in a thread of its own, which only helps with a CPU free for it, or
    // split in two: the data is published when it starts, the rest happens when somebody waits or calls on.
    enum class Async { kAuto, kThread, kSplit };

    ShmCommunicator(std::shared_ptr<const Arena> arena, int rank, CommOptions options, std::string name,
                    Async async = Async::kAuto);
    // Aborts when reductions are still queued: whoever leaves early must not keep the others, or itself, waiting.
    ~ShmCommunicator() override;

    int rank() const override { return m_rank; }
    int size() const override { return m_arena->layout().worldSize; }
    std::string name() const override { return m_name; }

    void allReduce(CommBuffer buffer, ReduceOp op) override;
    CommHandle allReduceAsync(CommBuffer buffer, ReduceOp op) override;
    void broadcast(CommBuffer buffer, int root) override;
    void allGather(CommBuffer in, CommBuffer out) override;
    void reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op) override;
    void send(CommBuffer buffer, int to) override;
    void recv(CommBuffer buffer, int from) override;
    void barrier() override;
    void abort() override { m_barrier.abort(); }
    std::int64_t collective() const override { return m_collective.load(std::memory_order_relaxed); }
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
    void begin();
    void reduceNow(CommBuffer buffer, ReduceOp op);
    void finishStarted();
    void beginAfterQueued();
    void checkPeer(int peer, const char* call) const;

    std::shared_ptr<const Arena> m_arena;
    int m_rank;
    std::string m_name;
    bool m_thread;  // a CPU is free for every rank and for its queue's thread beside it, or so we were told
    RoundBarrier m_barrier;
    ShmCollectives m_collectives;
    RingChannels m_channels;
    std::atomic<std::int64_t> m_collective{0};
    std::size_t m_heapUsed = 0;
    std::deque<std::vector<float>> m_overflow;  // what the heap had no room for
    std::optional<Started> m_started;
    std::int64_t m_failed = 0;   // ticket of the first split reduction that failed
    std::exception_ptr m_error;  // what went wrong there
    AsyncQueue m_queue{[this](CommBuffer buffer, ReduceOp op) {
        begin();
        reduceNow(buffer, op);
    }};  // last: its thread uses all of the above
};

}  // namespace ringside
