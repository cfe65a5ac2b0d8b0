// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "comm/communicator.h"
#include "comm/nccl/nccl_connection.h"

namespace ringside {

struct NcclParts {
    std::shared_ptr<NcclApi> api;
    std::shared_ptr<GpuRuntime> device;
    std::shared_ptr<const Clock> clock;
};

struct NcclOptions {
    NcclDeadlines deadlines;
    DeviceStream computeStream = nullptr;  // collectives start after what it holds, and it goes on after them
    // true: calls and handles return when the result is in place. false: they only order the compute stream, and
    // whoever waits on the host for that stream calls poll() meanwhile.
    bool hostWaits = true;
};

// Collectives on device memory over NCCL, on a stream of their own beside the compute stream. Host memory is taken
// too (metrics, control): it is staged through the device and the call always waits. One GPU and one communicator
// per process.
class NcclCommunicator final : public Communicator {
  public:
    // The store outlives it: where NCCL breaks by being recorded, the ranks connect once more.
    NcclCommunicator(NcclParts parts, Store& store, int rank, int size, NcclOptions options);
    // Of a group; its steps are not recorded.
    NcclCommunicator(NcclParts parts, std::unique_ptr<NcclConnection> connection, NcclOptions options);
    ~NcclCommunicator() override;

    int rank() const override { return m_connection->rank(); }
    int size() const override { return m_connection->size(); }
    std::string name() const override { return "nccl"; }
    std::unique_ptr<Communicator> split(int colour, int key, GroupUse use) override;

    void allReduce(CommBuffer buffer, ReduceOp op) override;
    CommHandle allReduceAsync(CommBuffer buffer, ReduceOp op) override;
    void broadcast(CommBuffer buffer, int root) override;
    void allGather(CommBuffer in, CommBuffer out) override;
    void reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op) override;
    void send(CommBuffer buffer, int to) override;
    void recv(CommBuffer buffer, int from) override;
    void barrier() override { hostWait(startBarrier()); }
    void barrierHoweverLong() override;
    CommHandle allGatherAsync(CommBuffer in, CommBuffer out) override;
    CommHandle reduceScatterAsync(CommBuffer in, CommBuffer out, ReduceOp op) override;
    CommHandle sendAsync(CommBuffer buffer, int to) override;
    CommHandle recvAsync(CommBuffer buffer, int from) override;
    void abort() override { m_connection->requestAbort(); }
    std::int64_t collective() const override { return m_collective.load(std::memory_order_relaxed); }
    std::span<float> allocate(std::size_t count) override;  // device memory
    // NCCL's collectives may be captured. One that has run as it is before: NCCL connects at the first.
    bool canBeRecorded() const override { return m_store != nullptr; }
    void beginRecording() override;
    std::int64_t endRecording() override;
    void launched(std::int64_t collectives) override;

    // Looks after the collectives under way; throws when one failed or outlasted its deadline. Never waits.
    void poll();
    // Returns when the operation with this ticket is done, or (hostWaits false) ordered before the compute stream.
    void waitFor(std::int64_t ticket) override;

  private:
    struct Pending {
        DeviceEvent finished;
        NcclOperation operation;
    };
    using Call = std::function<NcclResult()>;

    void prepareStreams();
    NcclOperation next(CollectiveKind kind, CommBuffer buffer);  // takes the next collective's number
    std::int64_t start(const NcclOperation& operation, const Call& call);
    DeviceEvent enqueue(const NcclOperation& operation, const Call& call);  // behind the compute stream's work
    std::int64_t expect(DeviceEvent finished, const NcclOperation& operation);
    void hostWait(std::int64_t ticket);
    std::int64_t startBarrier();
    void mend();  // NCCL that broke by being recorded
    void reap();  // forgets what has finished, in order
    template <class Action>
    auto onGpu(const NcclOperation& operation, const Action& action) const;  // names rank and operation in its errors
    DeviceEvent takeEvent();

    bool isOnHost(CommBuffer buffer) const;
    // Where the device finds a buffer: itself, or a piece of the staging memory that starts with its content.
    void* onDevice(CommBuffer buffer, std::size_t offset, bool withContent);
    void bringBack(CommBuffer buffer, const void* staged, const NcclOperation& operation);
    void runStaged(const NcclOperation& operation, CommBuffer in, CommBuffer out,
                   const std::function<NcclResult(void* in, void* out)>& call);
    void reserveStaging(std::size_t bytes);

    NcclParts m_parts;
    NcclOptions m_options;
    Store* m_store;  // null: a group
    std::unique_ptr<NcclConnection> m_connection;
    DeviceStream m_stream = nullptr;
    DeviceEvent m_computeReady = nullptr;
    std::deque<Pending> m_pending;
    std::int64_t m_firstPending = 0;  // ticket of the front
    TimePoint m_frontSince;           // since when nothing is before the front
    std::vector<DeviceEvent> m_freeEvents;
    bool m_recording = false;
    std::vector<DeviceEvent> m_recorded;  // behind each collective of the recording under way
    std::int64_t m_beforeRecording = 0;   // collectives
    std::atomic<std::int64_t> m_collective{0};
    std::vector<void*> m_memory;
    void* m_staging = nullptr;
    std::size_t m_stagingBytes = 0;
    void* m_barrierValue = nullptr;
};

// With the real NCCL on the current CUDA device; connects to all ranks before it returns. The store outlives it.
std::unique_ptr<NcclCommunicator> makeNcclCommunicator(Store& store, int rank, int size, NcclOptions options);

}  // namespace ringside
