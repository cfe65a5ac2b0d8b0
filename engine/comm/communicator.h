// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "telemetry/steps/collective_trace.h"

namespace ringside {

// Element type of a CommBuffer.
enum class CommType { kFloat32, kFloat64, kInt64, kByte };

// Returns the size of one element in bytes.
std::size_t sizeOf(CommType type);

// Typed view of memory that the caller owns: host memory for CPU communicators, device memory for NCCL (host memory
// works too, through a copy).
struct CommBuffer {
    void* data = nullptr;
    std::size_t count = 0;
    CommType type = CommType::kByte;

    std::size_t bytes() const { return count * sizeOf(type); }
    static CommBuffer of(std::span<float> values) { return {values.data(), values.size(), CommType::kFloat32}; }
    static CommBuffer of(std::span<double> values) { return {values.data(), values.size(), CommType::kFloat64}; }
    static CommBuffer of(std::span<std::int64_t> values) { return {values.data(), values.size(), CommType::kInt64}; }
    static CommBuffer of(std::span<std::byte> values) { return {values.data(), values.size(), CommType::kByte}; }
};

// Operation of a reduction. kTreeSum adds 32-bit floats along the fixed binary tree that the setting training.reduction
// "canonical" requires. N, the number of ranks, must be a power of two. The values of the ranks r and r + N / 2 are
// added first; this leaves N / 2 sums, which are added in the same way, and so on until one sum is left. Supported by
// all communicators except MPI.
enum class ReduceOp { kSum, kMaximum, kTreeSum };

// Kind of a collective, as used in traces, counters and error messages.
enum class CollectiveKind : std::uint8_t { kAllReduce, kBroadcast, kAllGather, kReduceScatter, kBarrier };

// Kind and arguments of one collective that startTogether() starts. An all-reduce works in place on `in`.
struct CollectiveCall {
    CollectiveKind kind = CollectiveKind::kAllReduce;  // all-reduce, all-gather or reduce-scatter
    CommBuffer in;
    CommBuffer out = {};           // output; not used by an all-reduce
    ReduceOp op = ReduceOp::kSum;  // operation of the reduction; not used by an all-gather
};

// Purpose of a sub-group. A kMessages group is optimised for sends and receives: in shared memory it uses smaller
// chunks and takes less memory.
enum class GroupUse { kCollectives, kMessages };

// Options of a communicator. Sub-groups inherit them.
struct CommOptions {
    std::chrono::milliseconds timeout{30000};  // longest wait inside a collective or a message
    // Address on which a rank listens for TCP connections: the address of the network interface with this name if
    // `interface` is set, else the IP address `address` if set, else the loopback address (ranks of this host only).
    std::string interface = {};
    std::string address = {};
    bool oneClock = true;  // true if all ranks run on one host and share its monotonic clock
    // Offset that is added to the group numbers in this communicator's traces, so that they differ from the group
    // numbers of other communicators of the run.
    std::int64_t traceGroupOffset = 0;
};

// Counts of the collectives and messages of a recorded CUDA graph. Each launch of the graph executes them once.
struct CallsPerGraphLaunch {
    std::int64_t collectives = 0;
    std::int64_t bytes = 0;  // payload that this rank sends at each launch, in bytes, counted as by
                             // Communicator::bytesSent()
    // counts of the collectives and messages of each sub-group, in the order in which the sub-groups were created
    std::vector<CallsPerGraphLaunch> groups = {};
};

class Communicator;
class ContributionWatch;

// Statistics of the TCP connection to one rank, counted since the connection was established.
struct LinkStatistics {
    int peer = 0;                  // rank at the other end of the link
    std::int64_t roundTripUs = 0;  // shortest round trip of the last five minutes, in microseconds
    std::int64_t bytes = 0;        // number of bytes that this rank sent and the peer acknowledged
    std::int64_t busyUs = 0;       // time with data in flight, in microseconds, excluding the time in which the receive
                                   // buffer of the peer was full
    std::int64_t waitUs = 0;       // time in which this rank waited for the rest of a message of which it had received
                                   // the beginning, in microseconds; 0 if messages arrive in one piece, such as
                                   // messages of at most 64 KiB with segmentation offload
};

// Handle of an asynchronous operation. wait() blocks until the result is in place, and throws CommError if the
// operation failed. A default-constructed handle is complete. The communicator must outlive the handle.
class CommHandle {
  public:
    CommHandle() = default;  // creates the handle of a completed operation
    CommHandle(Communicator& communicator, std::int64_t ticket) : m_communicator(&communicator), m_ticket(ticket) {}
    void wait() const;

  private:
    Communicator* m_communicator = nullptr;
    std::int64_t m_ticket = 0;
};

// Collective operations and messages among the ranks of one run or of a sub-group.
//
// All ranks of a group must call the same operations in the same order, as in MPI and c10d. Counts and sizes of a
// collective must be equal on all ranks. Reductions produce bit-identical results on every rank, independent of timing;
// with MPI, the MPI library selects the order of the additions.
//
// A call throws CommError and names the missing rank when a peer fails or when a wait exceeds CommOptions::timeout. It
// throws CallMismatchError when ranks in shared memory call different operations, and DeviceError when the GPU fails.
// The communicator is unusable afterwards. The constructors of the communicators connect the ranks, and throw
// CommError.
//
// Collectives return when the result is in place. Exception: NCCL in training (NcclOptions::hostWaits is false) only
// enqueues collectives on device memory, so that later work of the device sees the result; a later call throws the
// error.
//
// The caller owns all buffers except those of allocate(), and keeps each buffer until the operation has completed.
//
// Thread safety: one thread at a time, except abort(), collectiveNumber() and bytesSent(), which any thread may call.
class Communicator {
  public:
    virtual ~Communicator() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;
    // Returns "shm", "gloo", "local", "nccl", "mpi" or "hierarchical"; a wrapper returns the name of its inner
    // communicator.
    virtual std::string name() const = 0;

    // Returns the host number of each rank ("0 0 1 1") if reductions sum within each host first; otherwise an empty
    // string.
    virtual std::string hosts() const { return {}; }

    // Creates a sub-group of all ranks that pass the same `colour`, ordered by `key` and then by rank. Returns null if
    // `colour` is negative. Collective over this communicator; all ranks pass the same `use`. The sub-group inherits
    // the timeout, and its errors name ranks by their numbers in the run. If the sub-group fails or is aborted, waits
    // of this communicator fail too, at the latest when their own timeout expires. The caller owns the sub-group, which
    // must be destroyed before this communicator.
    virtual std::unique_ptr<Communicator> split(int colour, int key, GroupUse use = GroupUse::kCollectives) = 0;

    // Reduces `buffer` in place over all ranks.
    virtual void allReduce(CommBuffer buffer, ReduceOp op) = 0;
    // Starts an all-reduce and returns. `buffer` must not be accessed before CommHandle::wait() returns. Handles
    // complete in the order in which they were started; wait() must be called on each handle while the communicator
    // exists.
    virtual CommHandle allReduceAsync(CommBuffer buffer, ReduceOp op) = 0;
    // Copies the `buffer` of rank `root` to all ranks.
    virtual void broadcast(CommBuffer buffer, int root) = 0;
    // Gathers the `in` of every rank into `out`, in rank order. `out` holds size() blocks of the size of `in`.
    virtual void allGather(CommBuffer in, CommBuffer out) = 0;
    // Reduces `in` over all ranks and stores block rank() of the result in `out`. `in` holds size() blocks of the size
    // of `out`.
    virtual void reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op) = 0;
    // Sends `buffer` to rank `to`. May block until the receiver makes progress.
    virtual void send(CommBuffer buffer, int to) = 0;
    // Receives a message into `buffer`. Sender and receiver must pass the same type and size; throws CommError if the
    // sizes differ (NCCL does not check).
    virtual void recv(CommBuffer buffer, int from) = 0;
    // Blocks until all ranks have called barrier().
    virtual void barrier() = 0;
    // Blocks until all ranks have called barrierWithoutTimeout(). No timeout applies. For phases of unknown duration,
    // such as saving a checkpoint. Fails only if a peer fails or abort() is called.
    virtual void barrierWithoutTimeout() = 0;

    // Starts an all-gather or a reduce-scatter and returns. Neither buffer may be accessed before CommHandle::wait()
    // returns. The default implementations complete the operation before they return. Both operations, also in their
    // blocking form, support in-place buffers: `in` of an all-gather may be this rank's block of `out`, and `out` of a
    // reduce-scatter may be this rank's block of `in`.
    virtual CommHandle allGatherAsync(CommBuffer in, CommBuffer out);
    virtual CommHandle reduceScatterAsync(CommBuffer in, CommBuffer out, ReduceOp op);
    // Starts several collectives and appends their handles to `handles`; the caller must call wait() on each handle.
    // NCCL starts all calls as one group, which is one launch and has one handle. The default implementation starts the
    // calls one by one; it blocks in each all-reduce until the result is in place, and appends no handle for it.
    virtual void startTogether(std::span<const CollectiveCall> calls, std::vector<CommHandle>& handles);
    // Starts a message to or from one rank and returns. Messages between two ranks arrive in the order of the sends,
    // independently in each direction. Use one sub-group per stream of messages: a receive whose message has not
    // arrived blocks all later receives of the group. Two ranks may both send to each other before they receive; they
    // do not deadlock.
    virtual CommHandle sendAsync(CommBuffer buffer, int to) = 0;
    virtual CommHandle recvAsync(CommBuffer buffer, int from) = 0;

    // Makes every pending and future call throw CommError. Callable from any thread.
    virtual void abort() = 0;

    // True if collectives and messages on device memory can be recorded into a CUDA graph. Between beginRecording() and
    // endRecording() the calls of this communicator and of its sub-groups are recorded and not executed. endRecording()
    // returns the recorded calls; countGraphLaunch() must be called with them each time the graph is launched. These
    // functions are called for the group of all ranks only. No sub-group may be created or destroyed between the
    // recording and the last launch.
    virtual bool canBeRecordedInGraph() const { return false; }
    virtual void beginRecording() {}
    virtual CallsPerGraphLaunch endRecording() { return {}; }
    virtual void countGraphLaunch(const CallsPerGraphLaunch& /*calls*/) {}

    // Returns the number of the collective that is running or, if none is running, of the last one that finished,
    // counted from 1. Used by heartbeats; callable from any thread.
    virtual std::int64_t collectiveNumber() const = 0;

    // Returns the payload that this rank has sent, in bytes, counted as ring algorithms would send it: 2 (N-1)/N of
    // each all-reduced buffer, (N-1)/N of the result of an all-gather and of the input of a reduce-scatter or
    // broadcast, and messages in full. Excludes sub-groups. Callable from any thread.
    virtual std::int64_t bytesSent() const { return m_bytesSent.load(std::memory_order_relaxed); }

    // Returns the statistics that the operating system keeps of each TCP connection to another rank. Empty if the
    // communicator has no such connections or the system provides none. The counts are totals since the start.
    virtual std::vector<LinkStatistics> links() { return {}; }

    // Returns the record of the largest values that each host contributed to the sums of this step and of the previous
    // step. The communicator owns the record. Returns null if no values are sent over a network.
    virtual ContributionWatch* contributionWatch() { return nullptr; }

    // Returns the number of unauthenticated connections refused during rendezvous.
    virtual std::int64_t refusedConnections() const { return 0; }

    // Allocates `count` floats: in shared memory as long as there is room, because reductions then need no extra copy;
    // on the GPU for a communicator of device memory; otherwise in plain memory. The memory belongs to the communicator
    // and is freed with it. All ranks must allocate the same sizes in the same order.
    virtual std::span<float> allocate(std::size_t count) = 0;

    // Records this group's collectives into `trace` during traced steps, and those of sub-groups created later; null
    // stops recording. `trace` must outlive the communicator or be reset. All ranks must call setTrace() at the same
    // point of the run, while no operation is in progress. NCCL and MPI record nothing.
    virtual void setTrace(CollectiveTrace* trace) { m_trace = trace; }

  protected:
    friend CommHandle;
    virtual void waitFor(std::int64_t /*ticket*/) {}  // completes the operation that CommHandle::wait() waits for

    // Adds the payload of a collective to the count that bytesSent() returns. `in` is the collective's input on this
    // rank.
    void countCollective(CollectiveKind kind, CommBuffer in);
    void countMessage(CommBuffer buffer) { countBytes(static_cast<std::int64_t>(buffer.bytes())); }
    void countBytes(std::int64_t bytes) { m_bytesSent.fetch_add(bytes, std::memory_order_relaxed); }

    CollectiveTrace* trace() const { return m_trace; }
    // Returns the trace if the current step is traced, else null. Called in the thread that calls the collectives, so
    // that all ranks get the same answer for each collective.
    CollectiveTrace* activeTrace() const { return m_trace != nullptr && m_trace->active() ? m_trace : nullptr; }

  private:
    CollectiveTrace* m_trace = nullptr;
    std::atomic<std::int64_t> m_bytesSent{0};
};

inline void CommHandle::wait() const {
    if (m_communicator) m_communicator->waitFor(m_ticket);
}

}  // namespace ringside
