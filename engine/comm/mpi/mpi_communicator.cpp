// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/mpi_communicator.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>

#include "base/errors/errors.h"
#include "base/time/awake_deadline.h"
#include "comm/communicator_factory.h"
#include "comm/group_members.h"
#include "comm/missing_rank.h"
#include "comm/mpi/mpi_library.h"

namespace ringside {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// Number of polls without a pause. MPI transfers data only while it is polled: an operation is first polled without
// pauses, then, if another rank is late, with pauses, so that the CPU is free for other ranks.
constexpr int kPollsWithoutPause = 2000;
constexpr microseconds kPause{50};
// Size, in bytes, from which the blocking all-reduce of MPI is used. For such buffers, its better algorithms save more
// time than the barrier before it costs.
constexpr std::size_t kReduceInMpiFrom = std::size_t{256} << 10;

MpiTable::Type mpiType(CommType type) {
    switch (type) {
        case CommType::kFloat32:
            return MpiTable::kFloat32;
        case CommType::kFloat64:
            return MpiTable::kFloat64;
        case CommType::kInt64:
            return MpiTable::kInt64;
        case CommType::kByte:
            return MpiTable::kByte;
    }
    RINGSIDE_ASSERT(false);
}

MpiTable::Op mpiOp(ReduceOp op) {
    RINGSIDE_ASSERT(op != ReduceOp::kTreeSum);
    return op == ReduceOp::kSum ? MpiTable::kSum : MpiTable::kMaximum;
}

std::byte* bytesOf(CommBuffer buffer) {
    return static_cast<std::byte*>(buffer.data);
}

// True if the memory of `part` lies inside the memory of `whole`. MPI does not allow overlapping buffers in one call.
bool isInside(CommBuffer part, CommBuffer whole) {
    return part.bytes() > 0 && bytesOf(part) >= bytesOf(whole) && bytesOf(part) < bytesOf(whole) + whole.bytes();
}

// Converts a count to int, the type that MPI uses; throws CommError if it is too large.
int countOf(std::size_t count) {
    if (count <= static_cast<std::size_t>(std::numeric_limits<int>::max())) return static_cast<int>(count);
    throw CommError(std::to_string(count) + " values exceed the limit of one MPI call: lower parallel.bucket_cap_mb");
}

std::vector<int> allRanksOf(int size) {
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

}  // namespace

MpiCommunicator::MpiCommunicator(const MpiTable& mpi, std::shared_ptr<Store> store, int rank, int size,
                                 CommOptions options)
    : m_mpi(mpi),
      m_shared(std::make_shared<Shared>()),
      m_store(std::move(store)),
      m_ranksInRun(allRanksOf(size)),
      m_rank(rank),
      m_isWhole(true),
      m_options(std::move(options)) {
    checkError(m_mpi.begin(&m_group), "starting MPI");
    const int there = m_mpi.sizeOf(m_group);
    const int here = m_mpi.rankIn(m_group);
    if (there == size && here == rank) return;
    throw CommError("the MPI job has " + std::to_string(there) + " ranks, and this is its rank " +
                    std::to_string(here) + ", but the run has " + std::to_string(size) + " and this is rank " +
                    std::to_string(rank) + ": start the ranks with mpirun -np " + std::to_string(size) +
                    " ringside-worker");
}

MpiCommunicator::MpiCommunicator(const MpiCommunicator& whole, MpiTable::Group group, std::vector<int> ranksInRun,
                                 int rank)
    : m_mpi(whole.m_mpi),
      m_shared(whole.m_shared),
      m_store(whole.m_store),
      m_group(group),
      m_ranksInRun(std::move(ranksInRun)),
      m_rank(rank),
      m_isWhole(false),
      m_options(whole.m_options) {}

// Calls MPI_Finalize() only if no communication has failed, because MPI_Finalize() waits for all ranks.
MpiCommunicator::~MpiCommunicator() {
    if (!m_queue.isIdle()) abort();
    m_queue.waitUntilEmpty();
    const bool well = !m_failed && !m_shared->aborted && m_messages.empty();
    if (m_isWhole && well) m_mpi.end();
    m_mpi.release(m_group);
}

std::string MpiCommunicator::rankText(int rank) const {
    return "rank " + std::to_string(m_ranksInRun[static_cast<std::size_t>(rank)]);
}

void MpiCommunicator::checkError(int error, const std::string& what) {
    if (error == 0) return;
    std::array<char, 512> text{};
    m_mpi.text(error, text.data(), text.size());
    fail(what, std::string("MPI error: ") + text.data());
}

void MpiCommunicator::fail(const std::string& what, const std::string& why) {
    const bool first = !std::exchange(m_failed, true);
    const bool wasAborted = m_shared->aborted.exchange(true);
    if (wasAborted && first) throw CommError("communication was aborted during " + what);
    const int runSize = size();
    const int missing =
        first && m_store && m_isWhole ? findMissingRank(*m_store, "mpi/", m_rank, runSize, m_options.timeout) : -1;
    const std::string who = missing < 0 ? "a rank" : rankText(missing);
    throw CommError(who + " did not take part in " + what + " within " + describeDuration(m_options.timeout) + ": " +
                        why + "; see the ranks' logs",
                    missing);
}

void MpiCommunicator::waitForPending(MpiTable::Pending& pending, milliseconds timeout, const std::string& what) {
    AwakeDeadline deadline(timeout);
    for (int polls = 0;; ++polls) {
        int done = 0;
        {
            std::lock_guard lock(m_shared->mutex);
            checkError(m_mpi.test(&pending, &done), what);
        }
        if (done != 0) return;
        if (m_shared->aborted) fail(what, "an earlier collective or message of this rank has failed");
        if (polls < kPollsWithoutPause) {
            if (polls % 16 == 15) ::sched_yield();
            continue;
        }
        if (deadline.hasPassed()) fail(what, "the timeout was reached");
        std::this_thread::sleep_for(kPause);
    }
}

void MpiCommunicator::runCollective(CollectiveKind kind, CommBuffer buffer, milliseconds timeout, const Start& start) {
    countCollective(kind, buffer);
    const std::int64_t number = m_collective.fetch_add(1) + 1;
    const std::string what =
        describeCollective(kind, buffer.type, buffer.count) + " (collective " + std::to_string(number) + ")";
    if (m_failed || m_shared->aborted) fail(what, "an earlier collective or message of this rank has failed");
    MpiTable::Pending pending{};
    {
        std::lock_guard lock(m_shared->mutex);
        checkError(start(&pending), what);
    }
    waitForPending(pending, timeout, what);
}

// Reduces with the blocking call of MPI, which has no timeout. A barrier with a timeout precedes the call, so that all
// ranks have arrived. Used for the group of all ranks only: if two groups made blocking calls at the same time, each
// call would hold the mutex, and the ranks could deadlock.
void MpiCommunicator::reduceInMpi(CommBuffer buffer, ReduceOp op) {
    runCollective(CollectiveKind::kAllReduce, buffer, m_options.timeout,
                  [&](MpiTable::Pending* pending) { return m_mpi.barrier(m_group, pending); });
    std::lock_guard lock(m_shared->mutex);
    checkError(m_mpi.allReduceNow(m_group, buffer.data, countOf(buffer.count), mpiType(buffer.type), mpiOp(op)),
               "the all-reduce of " + describeValues(buffer.type, buffer.count));
}

void MpiCommunicator::reduceNow(CommBuffer buffer, ReduceOp op) {
    if (m_isWhole && buffer.bytes() >= kReduceInMpiFrom) return reduceInMpi(buffer, op);
    runCollective(CollectiveKind::kAllReduce, buffer, m_options.timeout, [&](MpiTable::Pending* pending) {
        return m_mpi.allReduce(m_group, buffer.data, countOf(buffer.count), mpiType(buffer.type), mpiOp(op), pending);
    });
}

void MpiCommunicator::gatherNow(CommBuffer in, CommBuffer out) {
    RINGSIDE_ASSERT(out.bytes() == in.bytes() * static_cast<std::size_t>(size()));
    if (isInside(in, out)) {
        m_apart.assign(bytesOf(in), bytesOf(in) + in.bytes());
        in.data = m_apart.data();
    }
    runCollective(CollectiveKind::kAllGather, in, m_options.timeout, [&](MpiTable::Pending* pending) {
        return m_mpi.allGather(m_group, in.data, out.data, countOf(in.count), mpiType(in.type), pending);
    });
}

void MpiCommunicator::scatterNow(CommBuffer in, CommBuffer out, ReduceOp op) {
    RINGSIDE_ASSERT(in.type == out.type && in.count == out.count * static_cast<std::size_t>(size()));
    const bool apart = isInside(out, in);
    if (apart) m_apart.resize(out.bytes());
    void* const result = apart ? m_apart.data() : out.data;
    runCollective(CollectiveKind::kReduceScatter, in, m_options.timeout, [&](MpiTable::Pending* pending) {
        return m_mpi.reduceScatter(m_group, in.data, result, countOf(out.count), mpiType(in.type), mpiOp(op), pending);
    });
    if (apart) std::ranges::copy(m_apart, bytesOf(out));
}

void MpiCommunicator::runQueued(const QueuedCollective& job) {
    if (job.kind == CollectiveKind::kAllGather) return gatherNow(job.in, job.out);
    if (job.kind == CollectiveKind::kReduceScatter) return scatterNow(job.in, job.out, job.op);
    reduceNow(job.in, job.op);
}

void MpiCommunicator::allReduce(CommBuffer buffer, ReduceOp op) {
    m_queue.waitUntilEmpty();
    reduceNow(buffer, op);
}

CommHandle MpiCommunicator::allReduceAsync(CommBuffer buffer, ReduceOp op) {
    return {*this, m_queue.push({CollectiveKind::kAllReduce, buffer, buffer, op})};
}

CommHandle MpiCommunicator::allGatherAsync(CommBuffer in, CommBuffer out) {
    return {*this, m_queue.push({CollectiveKind::kAllGather, in, out})};
}

CommHandle MpiCommunicator::reduceScatterAsync(CommBuffer in, CommBuffer out, ReduceOp op) {
    return {*this, m_queue.push({CollectiveKind::kReduceScatter, in, out, op})};
}

void MpiCommunicator::broadcast(CommBuffer buffer, int root) {
    RINGSIDE_ASSERT(root >= 0 && root < size());
    m_queue.waitUntilEmpty();
    runCollective(CollectiveKind::kBroadcast, buffer, m_options.timeout, [&](MpiTable::Pending* pending) {
        return m_mpi.broadcast(m_group, buffer.data, countOf(buffer.count), mpiType(buffer.type), root, pending);
    });
}

void MpiCommunicator::allGather(CommBuffer in, CommBuffer out) {
    m_queue.waitUntilEmpty();
    gatherNow(in, out);
}

void MpiCommunicator::reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op) {
    m_queue.waitUntilEmpty();
    scatterNow(in, out, op);
}

void MpiCommunicator::barrierWithin(milliseconds timeout) {
    m_queue.waitUntilEmpty();
    runCollective(CollectiveKind::kBarrier, {}, timeout,
                  [&](MpiTable::Pending* pending) { return m_mpi.barrier(m_group, pending); });
}

// Exchanges the arguments of split() first: the exchange has a timeout and ensures that all ranks have arrived, because
// MPI_Comm_split() has no timeout.
std::unique_ptr<Communicator> MpiCommunicator::split(int colour, int key, GroupUse) {
    m_queue.waitUntilEmpty();
    const GroupMembers members = membersOf(gatherGroupRequests(*this, {colour, key}), m_rank);
    MpiTable::Group group = nullptr;
    {
        std::lock_guard lock(m_shared->mutex);
        checkError(m_mpi.split(m_group, colour, key, &group), "creating a sub-group");
    }
    if (group == nullptr) return nullptr;
    std::vector<int> ranks;
    for (const int member : members.ranks) ranks.push_back(m_ranksInRun[static_cast<std::size_t>(member)]);
    return std::unique_ptr<Communicator>(new MpiCommunicator(*this, group, std::move(ranks), members.own));
}

CommHandle MpiCommunicator::startMessage(CommBuffer buffer, int peer, bool isSend) {
    if (peer < 0 || peer >= size() || peer == m_rank) {
        throw CommError("a message is not possible: rank " + std::to_string(peer) +
                        " is this rank itself or not one of the " + std::to_string(size()) + " ranks of the group");
    }
    m_queue.waitUntilEmpty();
    const std::string what = isSend ? "starting a send" : "starting a receive";
    if (m_failed || m_shared->aborted) fail(what, "an earlier collective or message of this rank has failed");
    Message message{buffer, peer, isSend, std::make_unique<std::uint64_t>(buffer.bytes())};
    const auto begin = isSend
                           ? [](const MpiTable& mpi, MpiTable::Group group, void* data, int bytes, int other,
                                MpiTable::Pending* pending) { return mpi.send(group, data, bytes, other, pending); }
                           : [](const MpiTable& mpi, MpiTable::Group group, void* data, int bytes, int other,
                                MpiTable::Pending* pending) { return mpi.receive(group, data, bytes, other, pending); };
    {
        std::lock_guard lock(m_shared->mutex);
        checkError(begin(m_mpi, m_group, message.bytes.get(), sizeof(std::uint64_t), peer, &message.header), what);
        if (buffer.bytes() > 0)
            checkError(begin(m_mpi, m_group, buffer.data, countOf(buffer.bytes()), peer, &message.body), what);
    }
    if (isSend) countMessage(buffer);
    m_messages.push_back(std::move(message));
    return {*this, -(m_finishedMessages + static_cast<std::int64_t>(m_messages.size()))};
}

CommHandle MpiCommunicator::sendAsync(CommBuffer buffer, int to) {
    return startMessage(buffer, to, true);
}

CommHandle MpiCommunicator::recvAsync(CommBuffer buffer, int from) {
    return startMessage(buffer, from, false);
}

void MpiCommunicator::send(CommBuffer buffer, int to) {
    startMessage(buffer, to, true).wait();
}

void MpiCommunicator::recv(CommBuffer buffer, int from) {
    startMessage(buffer, from, false).wait();
}

void MpiCommunicator::waitFor(std::int64_t ticket) {
    if (ticket < 0) return finishMessagesUpTo(-ticket);
    m_queue.waitFor(ticket);
}

void MpiCommunicator::finishMessagesUpTo(std::int64_t count) {
    while (m_finishedMessages < count) {
        Message message = std::move(m_messages.front());
        m_messages.pop_front();
        ++m_finishedMessages;
        finishMessage(message);
    }
}

void MpiCommunicator::finishMessage(Message& message) {
    const std::string values = describeValues(message.buffer.type, message.buffer.count);
    const std::string peer = rankText(message.peer);
    const std::string what =
        message.isSend ? "the send of " + values + " to " + peer : "the recv of " + values + " from " + peer;
    waitForPending(message.header, m_options.timeout, what);
    if (*message.bytes != message.buffer.bytes()) {
        m_failed = true;
        abort();
        throw CommError(rankText(message.peer) + " sent " + std::to_string(*message.bytes) + " bytes where " +
                            rankText(m_rank) + " expects " + std::to_string(message.buffer.bytes()) +
                            ": send and recv must use the same size",
                        m_ranksInRun[static_cast<std::size_t>(message.peer)]);
    }
    if (message.buffer.bytes() > 0) waitForPending(message.body, m_options.timeout, what);
}

std::unique_ptr<Communicator> makeMpiCommunicator(std::shared_ptr<Store> store, int rank, int worldSize,
                                                  CommOptions options) {
    if (!isMpiJob()) {
        throw CommError(
            "parallel.backend is mpi, but no MPI launcher has started this rank: start it with mpirun -np " +
            std::to_string(worldSize) + " ringside-worker, or choose gloo or shm");
    }
    return std::make_unique<MpiCommunicator>(loadMpi(), std::move(store), rank, worldSize, std::move(options));
}

}  // namespace ringside
