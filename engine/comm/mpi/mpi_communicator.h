// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "comm/async_queue.h"
#include "comm/collective_text.h"
#include "comm/communicator.h"
#include "comm/mpi/mpi_table.h"
#include "comm/store.h"

namespace ringside {

// Communicator of a job that an MPI launcher has started. Each operation is started without blocking and polled until
// it is complete or its timeout has passed, because blocking calls of MPI have no timeout. After a failure the process
// must exit without MPI_Finalize(), which would block.
class MpiCommunicator final : public Communicator {
  public:
    // Creates the communicator of all processes that the MPI launcher started. `store` may be null; it is used to find
    // the missing rank after a failure. Throws CommError if MPI reports another size or rank than the arguments.
    MpiCommunicator(const MpiTable& mpi, std::shared_ptr<Store> store, int rank, int size, CommOptions options);
    ~MpiCommunicator() override;

    int rank() const override { return m_rank; }
    int size() const override { return static_cast<int>(m_ranksInRun.size()); }
    std::string name() const override { return "mpi"; }
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
    void abort() override { m_shared->aborted = true; }
    std::int64_t collectiveNumber() const override { return m_collective.load(std::memory_order_relaxed); }
    std::span<float> allocate(std::size_t count) override { return m_allocated.emplace_back(count); }

  protected:
    void waitFor(std::int64_t ticket) override;

  private:
    // State shared by all groups of a rank. The mutex is held during each call of MPI, which only one thread may use at
    // a time. One failure ends all groups.
    struct Shared {
        std::mutex mutex;
        std::atomic<bool> aborted{false};
    };
    // A message in progress. The peer receives the size of the message first, then its content.
    struct Message {
        CommBuffer buffer;
        int peer = 0;
        bool isSend = false;
        std::unique_ptr<std::uint64_t> bytes;  // size of the message in bytes; on the heap, so that its address stays
                                               // valid if this object is moved
        MpiTable::Pending header{};
        MpiTable::Pending body{};
    };
    using Start = std::function<int(MpiTable::Pending*)>;

    MpiCommunicator(const MpiCommunicator& whole, MpiTable::Group group, std::vector<int> ranksInRun, int rank);
    void barrierWithin(std::chrono::milliseconds timeout);
    void runQueued(const QueuedCollective& job);
    void reduceInMpi(CommBuffer buffer, ReduceOp op);
    void reduceNow(CommBuffer buffer, ReduceOp op);
    void gatherNow(CommBuffer in, CommBuffer out);
    void scatterNow(CommBuffer in, CommBuffer out, ReduceOp op);
    void runCollective(CollectiveKind kind, CommBuffer buffer, std::chrono::milliseconds timeout, const Start& start);
    void waitForPending(MpiTable::Pending& pending, std::chrono::milliseconds timeout, const std::string& what);
    void checkError(int error, const std::string& what);
    CommHandle startMessage(CommBuffer buffer, int peer, bool isSend);
    void finishMessagesUpTo(std::int64_t count);
    void finishMessage(Message& message);
    [[noreturn]] void fail(const std::string& what, const std::string& why);
    std::string rankText(int rank) const;

    const MpiTable& m_mpi;
    std::shared_ptr<Shared> m_shared;
    std::shared_ptr<Store> m_store;
    MpiTable::Group m_group = nullptr;
    std::vector<int> m_ranksInRun;
    int m_rank;
    bool m_isWhole;
    CommOptions m_options;
    std::atomic<std::int64_t> m_collective{0};
    bool m_failed = false;
    std::deque<std::vector<float>> m_allocated;
    // Separate memory for the input or result of a collective whose input is part of its output or whose output is part
    // of its input. MPI does not allow overlapping buffers.
    std::vector<std::byte> m_apart;
    std::deque<Message> m_messages;
    // number of finished messages; the ticket of the first message is -1, of the next one -2, and so on
    std::int64_t m_finishedMessages = 0;
    AsyncQueue m_queue{[this](const QueuedCollective& job) { runQueued(job); }};  // declared last, because its thread
                                                                                  // uses all members above
};

}  // namespace ringside
