// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "comm/async_queue.h"
#include "comm/collective_text.h"
#include "comm/communicator.h"
#include "comm/gloo_links.h"
#include "comm/store.h"

namespace ringside {

// Communicator over TCP with Gloo's ring algorithms. The ring adds the values of the ranks in an order that depends
// only on the size of the buffer. Results are therefore bit-identical on every rank and independent of timing, but can
// differ in the last bits from the results of the communicator over shared memory.
class GlooCommunicator final : public Communicator {
  public:
    // A group: the number in the run of each of its ranks, and the prefix of the group's keys in the store, which is
    // different for each group.
    struct Group {
        std::vector<int> ranksInRun;
        std::string prefix = "gloo/";
        std::int64_t traceNumber = 0;  // number of this group in traces (CollectiveStamp::group)
    };

    // Connects to every other rank; throws CommError. Keeps the store to find the missing rank after a failure.
    GlooCommunicator(std::shared_ptr<Store> store, int rank, int size, CommOptions options);
    GlooCommunicator(std::shared_ptr<Store> store, int rank, Group group, CommOptions options);
    // Aborts if reductions are still queued: this rank is leaving early, and neither this rank nor its peers may block
    // on the queued reductions.
    ~GlooCommunicator() override;

    int rank() const override { return m_rank; }
    int size() const override { return m_size; }
    std::string name() const override { return "gloo"; }
    std::unique_ptr<Communicator> split(int colour, int key, GroupUse use) override;

    void allReduce(CommBuffer buffer, ReduceOp op) override;
    CommHandle allReduceAsync(CommBuffer buffer, ReduceOp op) override;
    void broadcast(CommBuffer buffer, int root) override;
    void allGather(CommBuffer in, CommBuffer out) override;
    void reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op) override;
    void send(CommBuffer buffer, int to) override;
    void recv(CommBuffer buffer, int from) override;
    void barrier() override { barrierWithin(m_options.timeout); }
    void barrierWithoutTimeout() override { barrierWithin(std::chrono::hours(24 * 365)); }
    CommHandle allGatherAsync(CommBuffer in, CommBuffer out) override;
    CommHandle reduceScatterAsync(CommBuffer in, CommBuffer out, ReduceOp op) override;
    CommHandle sendAsync(CommBuffer buffer, int to) override;
    CommHandle recvAsync(CommBuffer buffer, int from) override;
    void abort() override;
    std::int64_t collectiveNumber() const override { return m_collective.load(std::memory_order_relaxed); }
    std::int64_t refusedConnections() const override { return m_refusedConnections; }
    std::vector<LinkStatistics> links() override;
    std::span<float> allocate(std::size_t count) override { return m_allocated.emplace_back(count); }

  protected:
    void waitFor(std::int64_t ticket) override;

  private:
    // A message in progress. The peer receives the size of the message first, then its content.
    struct Message {
        CommBuffer buffer;
        int peer = 0;
        bool isSend = false;
        std::unique_ptr<std::uint64_t> bytes;  // size of the message in bytes; on the heap, so that its address stays
                                               // valid if this object is moved
        std::unique_ptr<gloo::transport::UnboundBuffer> header = nullptr;
        std::unique_ptr<gloo::transport::UnboundBuffer> body = nullptr;
    };
    CommHandle startMessage(CommBuffer buffer, int peer, bool isSend);
    void finishMessage(Message& message);
    void finishMessagesUpTo(std::int64_t count);
    std::int64_t enqueue(QueuedCollective job);
    void runQueued(const QueuedCollective& job);
    std::int64_t exchangeArrivals(std::int64_t arrivedNs, std::uint32_t tag);
    void gatherNow(CommBuffer in, CommBuffer out);
    void scatterNow(CommBuffer in, CommBuffer out, ReduceOp op);
    std::string rankText(int rank) const { return "rank " + std::to_string(rankInRun(rank)); }
    int rankInRun(int rank) const { return m_group.ranksInRun[static_cast<std::size_t>(rank)]; }
    using Call = std::function<void(std::uint32_t tag)>;
    void connect();
    void beginCollective();
    void stopBackgroundThread();
    void runCollective(CollectiveKind kind, CommBuffer buffer, const Call& call);
    void reduceInTree(CollectiveKind kind, CommBuffer buffer);
    void reduceNow(CollectiveKind kind, CommBuffer buffer, ReduceOp op);
    void barrierWithin(std::chrono::milliseconds timeout);
    void runPointToPoint(int peer, const std::string& what, const std::function<void()>& call);
    void runGuarded(const std::string& what, const std::function<void()>& call);
    [[noreturn]] void fail(const std::string& what, const std::string& why);
    [[noreturn]] void failForPeerMisuse(int rank, const std::string& why);

    std::shared_ptr<Store> m_store;
    int m_rank;
    int m_size;
    Group m_group;
    int m_splits = 0;
    CommOptions m_options;
    std::shared_ptr<PeerLinks> m_links;
    std::shared_ptr<GlooLinks> m_context;
    std::int64_t m_refusedConnections = 0;
    std::atomic<std::int64_t> m_collective{0};
    std::atomic<bool> m_aborted{false};
    bool m_failed = false;
    std::deque<std::vector<float>> m_allocated;
    CollectiveTrace* m_traced = nullptr;  // trace of the running collective; null if not traced
    std::int64_t m_readyNs = 0;
    std::vector<std::int64_t> m_arrivals;
    std::vector<float> m_gathered;  // values of all ranks, for a sum in a binary tree (ReduceOp::kTreeSum)
    std::deque<Message> m_messages;
    // number of finished messages; the ticket of the first message is -1, of the next one -2, and so on
    std::int64_t m_finishedMessages = 0;
    AsyncQueue m_queue{[this](const QueuedCollective& job) { runQueued(job); }};  // declared last, because its thread
                                                                                  // uses all members above
};

}  // namespace ringside
