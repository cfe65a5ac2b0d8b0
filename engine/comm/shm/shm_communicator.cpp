// SPDX-License-Identifier: Apache-2.0
#include "comm/shm/shm_communicator.h"

#include <algorithm>
#include <utility>

#include "base/errors/errors.h"
#include "base/processors/processors.h"
#include "comm/communicator_factory.h"
#include "comm/group_members.h"

namespace ringside {

ShmCommunicator::ShmCommunicator(std::shared_ptr<const Arena> arena, int rank, CommOptions options, std::string name,
                                 Async async)
    : ShmCommunicator(Dependencies{
          arena, rank, options, std::move(name),
          async == Async::kThread || (async == Async::kAuto && 2 * arena->layout().worldSize <= usableProcessors()),
          std::make_shared<ShmRank>()}) {}

ShmCommunicator::ShmCommunicator(const ShmCommunicator& whole, std::shared_ptr<const Arena> arena, int rank)
    : ShmCommunicator(
          Dependencies{std::move(arena), rank, whole.m_options, whole.m_name, whole.m_thread, whole.m_shared, true}) {}

ShmCommunicator::ShmCommunicator(Dependencies dependencies)
    : m_arena(std::move(dependencies.arena)),
      m_rank(dependencies.rank),
      m_options(dependencies.options),
      m_name(std::move(dependencies.name)),
      m_shared(std::move(dependencies.shared)),
      m_isGroup(dependencies.isGroup),
      m_thread(dependencies.thread),
      m_barrier(*m_arena, m_rank, m_options.timeout),
      m_collectives(*m_arena, m_barrier, m_rank),
      m_channels(*m_arena, m_barrier, m_rank, m_options.timeout,
                 [this](std::size_t bytes) { return takeFromHeap(bytes); }) {
    RINGSIDE_ASSERT(m_rank >= 0 && m_rank < size());
    m_collectives.setTraceGroupOffset(m_options.traceGroupOffset);
}

ShmCommunicator::~ShmCommunicator() {
    if (!m_queue.isIdle() || m_started) abort();
}

// Creates a sub-group. The first rank of each group takes the group's memory from its heap; an all-gather distributes
// the offset of this memory.
std::unique_ptr<Communicator> ShmCommunicator::split(int colour, int key, GroupUse use) {
    const GroupMembers members = membersOf(gatherGroupRequests(*this, {colour, key}), m_rank);
    const std::size_t chunk = use == GroupUse::kMessages ? ArenaLayout::kMessageChunkBytes : ArenaLayout::kChunkBytes;
    const auto count = static_cast<int>(members.ranks.size());
    std::int64_t offset = 0;
    if (members.own == 0)
        if (const std::byte* memory = takeFromHeap(ArenaLayout::bytesForGroup(count, chunk)))
            offset = static_cast<std::int64_t>(m_arena->offsetOf(memory));
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(size()));
    allGather(CommBuffer::of(std::span(&offset, 1)), CommBuffer::of(std::span(offsets)));
    if (members.ranks.empty()) return nullptr;
    const std::int64_t start = offsets[static_cast<std::size_t>(members.ranks.front())];
    if (start == 0)
        throw CommError("the ranks' shared memory has no room for one more group of " + std::to_string(count) +
                        " ranks" + "; use fewer stages or parallel.backend=gloo");
    auto arena =
        std::make_shared<const Arena>(m_arena, static_cast<std::size_t>(start), std::span(members.ranks), chunk);
    auto group = std::make_unique<ShmCommunicator>(*this, std::move(arena), members.own);
    group->setTrace(trace());
    return group;
}

void ShmCommunicator::begin(const QueuedCollective& job) {
    countCollective(job.kind, job.in);
    m_shared->collectives.fetch_add(1, std::memory_order_relaxed);
    m_collectives.begin(m_collective.fetch_add(1) + 1, job.trace, job.readyNs);
}

void ShmCommunicator::beginAfterQueued(CollectiveKind kind, CommBuffer in) {
    finishStartedReduction();
    m_queue.waitUntilEmpty();
    CollectiveTrace* const active = activeTrace();
    begin({kind, in, {}, {}, active, active != nullptr ? monotonicNs() : 0});
}

// Queues a collective. Whether it is traced is decided here, in the calling thread, because all ranks queue the same
// collectives and therefore decide in the same way.
std::int64_t ShmCommunicator::enqueue(QueuedCollective job) {
    job.trace = activeTrace();
    if (job.trace != nullptr) job.readyNs = monotonicNs();
    return m_queue.push(job);
}

void ShmCommunicator::runQueued(const QueuedCollective& job) {
    begin(job);
    if (job.kind == CollectiveKind::kAllGather) {
        m_collectives.allGather(job.in, job.out);
    } else if (job.kind == CollectiveKind::kReduceScatter) {
        m_collectives.reduceScatter(job.in, job.out, job.op);
    } else {
        reduceNow(job.in, job.op);
    }
    m_collectives.end();
}

// Completes the reduction whose data has been published at its start. An error is stored and thrown when the
// reduction's handle is waited for; from then on the communicator is unusable, and every later call fails too.
void ShmCommunicator::finishStartedReduction() {
    if (!m_started) return;
    const Started started = *std::exchange(m_started, std::nullopt);
    try {
        const WaitScope waiting(trace());
        m_collectives.finishAllReduce(started.buffer, started.op);
        m_collectives.end();
    } catch (...) {
        if (m_error) return;
        m_error = std::current_exception();
        m_failed = started.ticket;
    }
}

void ShmCommunicator::waitFor(std::int64_t ticket) {
    if (ticket < 0) return completeReceivesUpTo(-ticket);
    const WaitScope waiting(trace());
    if (m_thread) return m_queue.waitFor(ticket);
    if (m_started && m_started->ticket == ticket) finishStartedReduction();
    if (m_error && ticket >= m_failed) std::rethrow_exception(m_error);
}

void ShmCommunicator::reduceNow(CommBuffer buffer, ReduceOp op) {
    m_collectives.startAllReduce(buffer, op);
    m_collectives.finishAllReduce(buffer, op);
}

void ShmCommunicator::allReduce(CommBuffer buffer, ReduceOp op) {
    const WaitScope waiting(trace());
    beginAfterQueued(CollectiveKind::kAllReduce, buffer);
    if (size() == 1) return;
    reduceNow(buffer, op);
    m_collectives.end();
}

void ShmCommunicator::allReduceAcrossHosts(CommBuffer buffer, ReduceOp op, const PartExchange& exchange) {
    const WaitScope waiting(trace());
    beginAfterQueued(CollectiveKind::kAllReduce, buffer);
    m_collectives.allReduceAcrossHosts(buffer, op, exchange);
    m_collectives.end();
}

CommHandle ShmCommunicator::allReduceAsync(CommBuffer buffer, ReduceOp op) {
    if (m_thread && size() > 1) return {*this, enqueue({CollectiveKind::kAllReduce, buffer, buffer, op})};
    beginAfterQueued(CollectiveKind::kAllReduce, buffer);
    if (size() == 1) return {};
    m_collectives.startAllReduce(buffer, op);
    m_started = Started{buffer, op, m_collective.load()};
    return {*this, m_started->ticket};
}

void ShmCommunicator::broadcast(CommBuffer buffer, int root) {
    RINGSIDE_ASSERT(root >= 0 && root < size());
    const WaitScope waiting(trace());
    beginAfterQueued(CollectiveKind::kBroadcast, buffer);
    if (size() == 1) return;
    m_collectives.broadcast(buffer, root);
    m_collectives.end();
}

void ShmCommunicator::allGather(CommBuffer in, CommBuffer out) {
    RINGSIDE_ASSERT(out.bytes() == in.bytes() * static_cast<std::size_t>(size()));
    const WaitScope waiting(trace());
    beginAfterQueued(CollectiveKind::kAllGather, in);
    m_collectives.allGather(in, out);
    m_collectives.end();
}

CommHandle ShmCommunicator::allGatherAsync(CommBuffer in, CommBuffer out) {
    if (m_thread) return {*this, enqueue({CollectiveKind::kAllGather, in, out})};
    return Communicator::allGatherAsync(in, out);
}

void ShmCommunicator::reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op) {
    RINGSIDE_ASSERT(in.type == out.type && in.count == out.count * static_cast<std::size_t>(size()));
    const WaitScope waiting(trace());
    beginAfterQueued(CollectiveKind::kReduceScatter, in);
    m_collectives.reduceScatter(in, out, op);
    m_collectives.end();
}

CommHandle ShmCommunicator::reduceScatterAsync(CommBuffer in, CommBuffer out, ReduceOp op) {
    if (m_thread) return {*this, enqueue({CollectiveKind::kReduceScatter, in, out, op})};
    return Communicator::reduceScatterAsync(in, out, op);
}

void ShmCommunicator::barrier() {
    const WaitScope waiting(trace());
    beginAfterQueued(CollectiveKind::kBarrier, {});
    m_collectives.synchronise();
    m_collectives.end();
}

void ShmCommunicator::barrierWithoutTimeout() {
    beginAfterQueued(CollectiveKind::kBarrier, {});
    m_collectives.synchroniseWithoutTimeout();
}

void ShmCommunicator::checkPeer(int peer, const char* call) const {
    if (peer >= 0 && peer < size() && peer != m_rank) return;
    throw CommError(std::string(call) + " rank " + std::to_string(peer) + " is not possible: rank " +
                    std::to_string(peer) + " is this rank itself or not one of the " + std::to_string(size()) +
                    " ranks of the group");
}

// Prepares a message: completes queued collectives first, because only one thread may use the channels.
void ShmCommunicator::prepareMessage(int peer, const char* call) {
    checkPeer(peer, call);
    finishStartedReduction();
    m_queue.waitUntilEmpty();
}

void ShmCommunicator::send(CommBuffer buffer, int to) {
    const WaitScope waiting(trace());
    prepareMessage(to, "send to");
    countMessage(buffer);
    m_channels.send(buffer, to);
}

void ShmCommunicator::recv(CommBuffer buffer, int from) {
    const WaitScope waiting(trace());
    prepareMessage(from, "recv from");
    completeReceivesUpTo(m_received + static_cast<std::int64_t>(m_receives.size()));
    m_channels.recv(buffer, from);
}

// Copies the message to shared memory, so that the caller may overwrite its buffer at once.
CommHandle ShmCommunicator::sendAsync(CommBuffer buffer, int to) {
    prepareMessage(to, "send to");
    countMessage(buffer);
    m_channels.sendWithoutWaiting(buffer, to);
    return {};
}

CommHandle ShmCommunicator::recvAsync(CommBuffer buffer, int from) {
    checkPeer(from, "recv from");
    m_receives.push_back({buffer, from});
    return {*this, -(m_received + static_cast<std::int64_t>(m_receives.size()))};
}

void ShmCommunicator::completeReceivesUpTo(std::int64_t count) {
    if (m_received >= count) return;
    finishStartedReduction();
    m_queue.waitUntilEmpty();
    while (m_received < count) {
        const Receive next = m_receives.front();
        m_receives.pop_front();
        ++m_received;
        m_channels.recv(next.buffer, next.from);
    }
}

// Takes whole pages from this rank's heap, which are zero and belong to no other allocation. Returns null if the heap
// is full.
std::byte* ShmCommunicator::takeFromHeap(std::size_t bytes) {
    constexpr std::size_t kPage = 4096;
    const std::size_t start = (m_shared->heapUsed + kPage - 1) / kPage * kPage;
    const std::size_t room = m_arena->layout().heapBytes;
    if (start > room || bytes > room - start) return nullptr;
    m_shared->heapUsed = std::min(room, start + (bytes + kPage - 1) / kPage * kPage);
    return m_arena->heap(m_rank) + start;
}

std::span<float> ShmCommunicator::allocate(std::size_t count) {
    constexpr std::size_t kLine = 64;
    std::size_t& used = m_shared->heapUsed;
    std::size_t room = m_arena->layout().heapBytes - used;
    if (count > room / sizeof(float)) return m_overflow.emplace_back(count);
    auto* values = reinterpret_cast<float*>(m_arena->heap(m_rank) + used);
    used += std::min(room, (count * sizeof(float) + kLine - 1) / kLine * kLine);
    return {values, count};
}

std::unique_ptr<Communicator> makeSharedMemoryCommunicator(int fd, int rank, int worldSize, CommOptions options) {
    RINGSIDE_ASSERT(fd >= 0);
    auto arena = std::make_shared<const Arena>(fd, 0, worldSize);
    return std::make_unique<ShmCommunicator>(std::move(arena), rank, options, "shm");
}

std::vector<std::unique_ptr<Communicator>> makeLocalCommunicators(int size, CommOptions options) {
    constexpr std::size_t kLargestMessage = std::size_t{256} << 20;
    auto arena = std::make_shared<const Arena>(-1, ArenaLayout::bytesFor(size, kLargestMessage), size);
    std::vector<std::unique_ptr<Communicator>> communicators;
    for (int rank = 0; rank < size; ++rank) {
        communicators.push_back(std::make_unique<ShmCommunicator>(arena, rank, options, "local"));
    }
    return communicators;
}

}  // namespace ringside
