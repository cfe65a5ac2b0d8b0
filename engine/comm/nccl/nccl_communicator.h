// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "comm/communicator.h"
#include "comm/nccl/nccl_connection.h"
#include "comm/nccl/nccl_staging.h"
#include "comm/nccl/nccl_tree_sum.h"

namespace ringside {

// Dependencies of an NcclCommunicator. Tests replace them by fakes.
struct NcclDependencies {
    std::shared_ptr<NcclApi> api;
    std::shared_ptr<GpuRuntime> device;
    std::shared_ptr<const Clock> clock;
};

// Options of an NcclCommunicator.
struct NcclOptions {
    NcclDeadlines deadlines;
    DeviceStream computeStream = nullptr;  // stream of the computations of this rank; collectives run after its earlier
                                           // work and before its later work
    // If true, collectives and CommHandle::wait() block until the result is in place. If false, they return at once and
    // only make later work of the compute stream wait for the result; a caller that blocks on the compute stream must
    // then call poll() repeatedly, so that failures and timeouts are detected.
    bool hostWaits = true;
};

// Collectives on device memory over NCCL, on a stream of their own beside the compute stream. Collectives on host
// memory (metrics, control) are accepted too: the values are copied through the device, and the call always blocks. One
// GPU and one communicator per process.
class NcclCommunicator final : public Communicator {
  public:
    // Connects to all ranks. The store must outlive the communicator, because the ranks connect through it again if
    // recording a step as a CUDA graph breaks NCCL.
    NcclCommunicator(NcclDependencies dependencies, Store& store, int rank, int size, NcclOptions options);
    // Creates the communicator of a sub-group of `parent` over an existing connection. The sub-group is recorded
    // together with its parent. The parent's poll() also checks the collectives of the sub-group.
    NcclCommunicator(NcclDependencies dependencies, std::unique_ptr<NcclConnection> connection, NcclOptions options,
                     NcclCommunicator& parent);
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
    void barrier() override { blockUntilComplete(startBarrier()); }
    void barrierWithoutTimeout() override;
    CommHandle allGatherAsync(CommBuffer in, CommBuffer out) override;
    CommHandle reduceScatterAsync(CommBuffer in, CommBuffer out, ReduceOp op) override;
    void startTogether(std::span<const CollectiveCall> calls, std::vector<CommHandle>& handles) override;
    CommHandle sendAsync(CommBuffer buffer, int to) override;
    CommHandle recvAsync(CommBuffer buffer, int from) override;
    void abort() override { m_connection->requestAbort(); }
    std::int64_t collectiveNumber() const override { return m_collective.load(std::memory_order_relaxed); }
    std::span<float> allocate(std::size_t count) override;  // returns device memory
    // True: NCCL can record collectives and messages into a CUDA graph, except sums in canonical order
    // (ReduceOp::kTreeSum). Each group must have run the same calls once before the recording, because NCCL connects
    // the ranks during the first call.
    bool canBeRecordedInGraph() const override { return true; }
    void beginRecording() override;
    CallsPerGraphLaunch endRecording() override;
    void countGraphLaunch(const CallsPerGraphLaunch& calls) override;

    // Sets a function that is called if the destructor finds that the abort of NCCL hangs; see NcclConnection.
    void setOnHungAbort(std::function<void(const Error& cause)> callback) {
        m_connection->setOnHungAbort(std::move(callback));
    }
    // Checks the collectives in progress, also those of sub-groups. Throws if one failed or exceeded its timeout. Never
    // blocks.
    void poll();
    // Blocks until the operation of this ticket is complete. If hostWaits is false, does not block and only orders
    // later work of the compute stream after the operation.
    void waitFor(std::int64_t ticket) override;

  private:
    struct Pending {
        DeviceEvent finished;
        NcclOperation operation;
    };
    using Call = std::function<NcclResult()>;

    void prepareStreams();
    NcclOperation nextOperation(CollectiveKind kind, CommBuffer buffer);  // assigns the next number to a collective
    std::int64_t startOperation(const NcclOperation& operation, const Call& call);
    DeviceEvent enqueue(const NcclOperation& operation,
                        const Call& call);  // enqueues `call` after all work that the compute stream contains now
    std::int64_t trackOperation(DeviceEvent finished, const NcclOperation& operation);
    void blockUntilComplete(std::int64_t ticket);
    std::int64_t startBarrier();
    void reconnect();       // connects all ranks again after the recording of a CUDA graph broke NCCL
    void removeFinished();  // removes finished operations from the front of m_pending
    template <class Action>
    auto runOnGpu(const NcclOperation& operation,
                  const Action& action) const;  // runs `action` and adds the rank and the operation to its errors
    DeviceEvent takeEvent();

    bool isOnHost(CommBuffer buffer) const;
    // Enqueues a sum along the binary tree of training.reduction canonical (ReduceOp::kTreeSum) over device memory: an
    // all-reduce if `in` and `out` are the same buffer, otherwise a reduce-scatter.
    NcclResult sumInTree(const NcclOperation& operation, CommBuffer in, CommBuffer out);
    void copyBack(CommBuffer buffer, const void* staged, const NcclOperation& operation);
    void runStaged(const NcclOperation& operation, CommBuffer in, CommBuffer out,
                   const std::function<NcclResult(void* in, void* out)>& call);

    NcclDependencies m_dependencies;
    NcclOptions m_options;
    Store* m_store;  // store through which the ranks connect again after a failed recording; null for a sub-group
    NcclCommunicator* m_parent = nullptr;     // null for the group of all ranks
    std::vector<NcclCommunicator*> m_groups;  // sub-groups of this communicator that have not been destroyed
    std::unique_ptr<NcclConnection> m_connection;
    DeviceStream m_stream = nullptr;
    DeviceEvent m_computeReady = nullptr;
    std::deque<Pending> m_pending;
    std::int64_t m_firstPending = 0;  // ticket of the front of m_pending
    // Time since which the front of m_pending has been the oldest operation in progress.
    TimePoint m_frontSince;
    std::vector<DeviceEvent> m_freeEvents;
    bool m_recording = false;
    std::vector<DeviceEvent> m_recorded;  // events of the CUDA graph that is being recorded, one after each of its
                                          // collectives
    std::int64_t m_beforeRecording = 0;   // number of collectives that were started before the recording of the CUDA
                                          // graph began
    std::int64_t m_bytesBeforeRecording = 0;
    std::atomic<std::int64_t> m_collective{0};
    std::vector<void*> m_memory;
    std::unique_ptr<NcclStaging> m_staging;
    std::unique_ptr<NcclTreeSum> m_treeSum;
    void* m_barrierValue = nullptr;
};

// Creates a communicator with the real NCCL on the current CUDA device. Connects to all ranks before it returns. The
// store must outlive the communicator.
std::unique_ptr<NcclCommunicator> makeNcclCommunicator(Store& store, int rank, int size, NcclOptions options);

}  // namespace ringside
