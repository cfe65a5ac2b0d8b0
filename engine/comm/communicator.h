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

enum class CommType { kFloat32, kFloat64, kInt64, kByte };

std::size_t sizeOf(CommType type);

// A typed stretch of memory; host memory for CPU communicators, device memory for NCCL.
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

// kTreeSum: in the tree of the canonical reduction, in which rank r is added to rank r + N / 2, the sums to those that
// are N / 4 apart, and so on; N is a power of two. Only in shared memory, over Gloo and over several hosts.
enum class ReduceOp { kSum, kMaximum, kTreeSum };

enum class CollectiveKind : std::uint8_t { kAllReduce, kBroadcast, kAllGather, kReduceScatter, kBarrier };

// What a group is for: one of two ranks that only exchange messages takes less memory.
enum class GroupUse { kCollectives, kMessages };

struct CommOptions {
    std::chrono::milliseconds timeout{30000};  // of every wait inside a collective
    // Where ranks over TCP listen: at this network interface's address, else at this IP address, else on this host
    // alone (the loopback address).
    std::string interface = {};
    std::string address = {};
    bool oneClock = true;          // all ranks read one: they are on one host
    std::int64_t traceGroups = 0;  // added to the numbers of groups in traces, so that no two have the same
};

class Communicator;
class ContributionWatch;

// Of the connection to a rank, since it was made.
struct LinkReading {
    int peer = 0;                  // rank
    std::int64_t roundTripUs = 0;  // the shortest of the last minutes
    std::int64_t bytes = 0;        // sent, and known to have arrived
    std::int64_t busyUs = 0;       // while bytes were on their way and the peer had room for them
};

// A collective under way, or one that is over. wait() returns when the result is in place, or throws CommError.
class CommHandle {
  public:
    CommHandle() = default;  // over
    CommHandle(Communicator& communicator, std::int64_t ticket) : m_communicator(&communicator), m_ticket(ticket) {}
    void wait() const;

  private:
    Communicator* m_communicator = nullptr;
    std::int64_t m_ticket = 0;
};

// Collectives among the ranks of one run, in the order of MPI and c10d: every rank calls the same ones in the same
// order. One thread at a time, except abort() and collective(). Reductions give bitwise the same result on every rank
// and in every timing. Throws CommError naming the missing rank when a wait outlasts the timeout or a peer is gone;
// after that the communicator is dead.
class Communicator {
  public:
    virtual ~Communicator() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;
    virtual std::string name() const = 0;  // shm | gloo | local | nccl | mpi | hierarchical

    // Host of each rank ("0 0 1 1") where sums are formed within each host first; empty elsewhere.
    virtual std::string hosts() const { return {}; }

    // The group of all ranks that give the same colour, ordered by key and then by rank; null for a colour below 0.
    // Every rank calls it at the same time, with the same use. It has the deadline of this one, its errors name ranks
    // as the run does, and when it fails or aborts, whatever waits here fails as well, at the latest at its own
    // deadline. Destroyed before this communicator.
    virtual std::unique_ptr<Communicator> split(int colour, int key, GroupUse use = GroupUse::kCollectives) = 0;

    virtual void allReduce(CommBuffer buffer, ReduceOp op) = 0;  // in place
    // Starts an all-reduce that proceeds while the caller computes; the buffer is untouchable until wait().
    // Handles complete in the order they were started; each must be waited for while the communicator lives.
    virtual CommHandle allReduceAsync(CommBuffer buffer, ReduceOp op) = 0;
    virtual void broadcast(CommBuffer buffer, int root) = 0;
    // out holds size() blocks of in's bytes, by rank.
    virtual void allGather(CommBuffer in, CommBuffer out) = 0;
    // in holds size() blocks of out's count; this rank receives the sum of its block.
    virtual void reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op) = 0;
    virtual void send(CommBuffer buffer, int to) = 0;
    virtual void recv(CommBuffer buffer, int from) = 0;
    virtual void barrier() = 0;
    // A barrier in which a rank may be awaited for longer than the timeout, because it is known to be at work: it
    // saves. Only a failure ends the wait, or who watches over the ranks.
    virtual void barrierHoweverLong() = 0;

    // Start the same operations, which may proceed while the caller computes; neither buffer may be accessed before
    // CommHandle::wait() returns. Some communicators complete them before they return.
    // All four may work in place: `in` of an all-gather may be this rank's block of `out`, and `out` of a
    // reduce-scatter this rank's block of `in`.
    virtual CommHandle allGatherAsync(CommBuffer in, CommBuffer out);
    virtual CommHandle reduceScatterAsync(CommBuffer in, CommBuffer out, ReduceOp op);
    // Messages between two ranks arrive in the order of the sends, each direction on its own. A pair of ranks with
    // several streams of messages takes a group for each: a receive that waits would hold up those behind it. Two ranks
    // that send to one another before they receive do not wait for one another.
    virtual CommHandle sendAsync(CommBuffer buffer, int to) = 0;
    virtual CommHandle recvAsync(CommBuffer buffer, int from) = 0;

    // Makes every pending and later call throw CommError; safe from any thread.
    virtual void abort() = 0;

    // Whether a device's recorded step (a CUDA graph) may hold collectives on memory of allocate(). Between
    // beginRecording() and endRecording() collectives are recorded and do not run; endRecording() says how many there
    // were, and launched() is told whenever they run.
    virtual bool canBeRecorded() const { return false; }
    virtual void beginRecording() {}
    virtual std::int64_t endRecording() { return 0; }
    virtual void launched(std::int64_t /*collectives*/) {}

    // Number of the collective under way or last finished, from 1; readable from any thread (heartbeats).
    virtual std::int64_t collective() const = 0;

    // Payload that this rank has sent, as ring algorithms do: 2 (N-1)/N of an all-reduced buffer, (N-1)/N of what an
    // all-gather gives or a reduce-scatter or a broadcast takes, and all of a message. Of this group alone; any thread.
    virtual std::int64_t bytesSent() const { return m_bytesSent.load(std::memory_order_relaxed); }

    // How the connections to ranks on other hosts went so far, as the system counts it. Empty where it does not tell.
    virtual std::vector<LinkReading> links() { return {}; }

    // Magnitudes that each host contributed to the sums of the last steps; null where no values come over a network.
    virtual ContributionWatch* contributions() { return nullptr; }

    // Connections of others than the run's ranks that were refused while it connected.
    virtual std::int64_t strangers() const { return 0; }

    // Memory in which reductions need no extra copy (shared memory); plain memory elsewhere. Lives as long as the
    // communicator; every rank must allocate the same sizes in the same order.
    virtual std::span<float> allocate(std::size_t count) = 0;

    // Told of the collectives of this group, and of groups split off from now on, in the steps in which it is active;
    // outlives them or is taken back (null). All ranks at the same time, while nothing is under way.
    virtual void traceInto(CollectiveTrace* trace) { m_trace = trace; }

  protected:
    friend CommHandle;
    virtual void waitFor(std::int64_t /*ticket*/) {}  // of a handle given out

    void countCollective(CollectiveKind kind, CommBuffer in);
    void countMessage(CommBuffer buffer) { m_bytesSent.fetch_add(static_cast<std::int64_t>(buffer.bytes())); }

    CollectiveTrace* trace() const { return m_trace; }
    // The same in a traced step, else null. The thread that calls the collectives asks, so that all ranks agree.
    CollectiveTrace* activeTrace() const { return m_trace != nullptr && m_trace->active() ? m_trace : nullptr; }

  private:
    CollectiveTrace* m_trace = nullptr;
    std::atomic<std::int64_t> m_bytesSent{0};
};

inline void CommHandle::wait() const {
    if (m_communicator) m_communicator->waitFor(m_ticket);
}

}  // namespace ringside
