// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gloo/rendezvous/context.h>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "comm/async_queue.h"
#include "comm/collective_text.h"
#include "comm/communicator.h"
#include "comm/store.h"

namespace ringside {

// Ranks over TCP. Gloo's ring adds in an order of its own: fixed for a given size, so the result is the same on every
// rank and in every timing, but not always that of shared memory.
class GlooCommunicator final : public Communicator {
  public:
    // Connects to every other rank. The store is kept: after a failure it tells which rank is missing.
    GlooCommunicator(std::shared_ptr<Store> store, int rank, int size, CommOptions options);
    // Aborts when reductions are still queued: whoever leaves early must not keep the others, or itself, waiting.
    ~GlooCommunicator() override;

    int rank() const override { return m_rank; }
    int size() const override { return m_size; }
    std::string name() const override { return "gloo"; }

    void allReduce(CommBuffer buffer, ReduceOp op) override;
    CommHandle allReduceAsync(CommBuffer buffer, ReduceOp op) override;
    void broadcast(CommBuffer buffer, int root) override;
    void allGather(CommBuffer in, CommBuffer out) override;
    void reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op) override;
    void send(CommBuffer buffer, int to) override;
    void recv(CommBuffer buffer, int from) override;
    void barrier() override;
    void abort() override;
    std::int64_t collective() const override { return m_collective.load(std::memory_order_relaxed); }
    std::span<float> allocate(std::size_t count) override { return m_allocated.emplace_back(count); }

  protected:
    void waitFor(std::int64_t ticket) override { m_queue.waitFor(ticket); }

  private:
    using Call = std::function<void(std::uint32_t tag)>;
    void connect();
    void runCollective(CollectiveKind kind, CommBuffer buffer, const Call& call);
    void reduceNow(CollectiveKind kind, CommBuffer buffer, ReduceOp op);
    void runMessage(int peer, const std::string& what, const std::function<void()>& call);
    void guard(const std::string& what, const std::function<void()>& call);
    [[noreturn]] void fail(const std::string& what, const std::string& why);
    int missingRank();

    std::shared_ptr<Store> m_store;
    int m_rank;
    int m_size;
    CommOptions m_options;
    std::shared_ptr<gloo::rendezvous::Context> m_context;
    std::atomic<std::int64_t> m_collective{0};
    std::atomic<bool> m_aborted{false};
    bool m_failed = false;
    std::deque<std::vector<float>> m_allocated;
    AsyncQueue m_queue{[this](CommBuffer buffer, ReduceOp op) {
        reduceNow(CollectiveKind::kAllReduce, buffer, op);
    }};  // last: its thread uses all of the above
};

}  // namespace ringside
