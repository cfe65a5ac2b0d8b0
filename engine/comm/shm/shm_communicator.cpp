// SPDX-License-Identifier: Apache-2.0
#include "comm/shm/shm_communicator.h"

#include <utility>

#include "base/errors.h"
#include "base/processors.h"
#include "comm/communicator_factory.h"

namespace ringside {

ShmCommunicator::ShmCommunicator(std::shared_ptr<const Arena> arena, int rank, CommOptions options, std::string name,
                                 Async async)
    : m_arena(std::move(arena)),
      m_rank(rank),
      m_name(std::move(name)),
      m_thread(async == Async::kThread || (async == Async::kAuto && 2 * size() <= usableProcessors())),
      m_barrier(*m_arena, rank, options.timeout),
      m_collectives(*m_arena, m_barrier, rank),
      m_channels(*m_arena, m_barrier, rank, options.timeout) {
    RINGSIDE_ASSERT(rank >= 0 && rank < size());
}

ShmCommunicator::~ShmCommunicator() {
    if (!m_queue.idle() || m_started) abort();
}

void ShmCommunicator::begin() {
    m_collectives.begin(m_collective.fetch_add(1) + 1);
}

void ShmCommunicator::beginAfterQueued() {
    finishStarted();
    m_queue.drain();
    begin();
}

// An error stays with the handle; the communicator is dead then, and whoever calls next hears of it too.
void ShmCommunicator::finishStarted() {
    if (!m_started) return;
    const Started started = *std::exchange(m_started, std::nullopt);
    try {
        m_collectives.finishAllReduce(started.buffer, started.op);
    } catch (...) {
        if (m_error) return;
        m_error = std::current_exception();
        m_failed = started.ticket;
    }
}

void ShmCommunicator::waitFor(std::int64_t ticket) {
    if (m_thread) return m_queue.waitFor(ticket);
    if (m_started && m_started->ticket == ticket) finishStarted();
    if (m_error && ticket >= m_failed) std::rethrow_exception(m_error);
}

void ShmCommunicator::reduceNow(CommBuffer buffer, ReduceOp op) {
    m_collectives.startAllReduce(buffer, op);
    m_collectives.finishAllReduce(buffer, op);
}

void ShmCommunicator::allReduce(CommBuffer buffer, ReduceOp op) {
    beginAfterQueued();
    if (size() == 1) return;
    reduceNow(buffer, op);
}

CommHandle ShmCommunicator::allReduceAsync(CommBuffer buffer, ReduceOp op) {
    if (m_thread && size() > 1) return {*this, m_queue.push(buffer, op)};
    beginAfterQueued();
    if (size() == 1) return {};
    m_collectives.startAllReduce(buffer, op);
    m_started = Started{buffer, op, m_collective.load()};
    return {*this, m_started->ticket};
}

void ShmCommunicator::broadcast(CommBuffer buffer, int root) {
    RINGSIDE_ASSERT(root >= 0 && root < size());
    beginAfterQueued();
    if (size() > 1) m_collectives.broadcast(buffer, root);
}

void ShmCommunicator::allGather(CommBuffer in, CommBuffer out) {
    RINGSIDE_ASSERT(out.bytes() == in.bytes() * static_cast<std::size_t>(size()));
    beginAfterQueued();
    m_collectives.allGather(in, out);
}

void ShmCommunicator::reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op) {
    RINGSIDE_ASSERT(in.type == out.type && in.count == out.count * static_cast<std::size_t>(size()));
    beginAfterQueued();
    m_collectives.reduceScatter(in, out, op);
}

void ShmCommunicator::barrier() {
    beginAfterQueued();
    m_collectives.synchronise();
}

void ShmCommunicator::checkPeer(int peer, const char* call) const {
    if (peer >= 0 && peer < size() && peer != m_rank) return;
    throw CommError(std::string(call) + " rank " + std::to_string(peer) + " is not another rank of this run of " +
                    std::to_string(size()));
}

void ShmCommunicator::send(CommBuffer buffer, int to) {
    checkPeer(to, "send to");
    finishStarted();
    m_queue.drain();
    m_channels.send(buffer, to);
}

void ShmCommunicator::recv(CommBuffer buffer, int from) {
    checkPeer(from, "recv from");
    finishStarted();
    m_queue.drain();
    m_channels.recv(buffer, from);
}

std::span<float> ShmCommunicator::allocate(std::size_t count) {
    constexpr std::size_t kLine = 64;
    std::size_t room = m_arena->layout().heapBytes - m_heapUsed;
    if (count > room / sizeof(float)) return m_overflow.emplace_back(count);
    auto* values = reinterpret_cast<float*>(m_arena->heap(m_rank) + m_heapUsed);
    m_heapUsed += std::min(room, (count * sizeof(float) + kLine - 1) / kLine * kLine);
    return {values, count};
}

std::unique_ptr<Communicator> makeSharedMemoryCommunicator(int fd, int rank, int worldSize, CommOptions options) {
    RINGSIDE_ASSERT(fd >= 0);
    auto arena = std::make_shared<const Arena>(fd, 0, worldSize);
    return std::make_unique<ShmCommunicator>(std::move(arena), rank, options, "shm");
}

std::vector<std::unique_ptr<Communicator>> makeLocalCommunicators(int size, CommOptions options) {
    constexpr std::size_t kLargestMessage = std::size_t{64} << 20;
    auto arena = std::make_shared<const Arena>(-1, ArenaLayout::bytesFor(size, kLargestMessage), size);
    std::vector<std::unique_ptr<Communicator>> communicators;
    for (int rank = 0; rank < size; ++rank) {
        communicators.push_back(std::make_unique<ShmCommunicator>(arena, rank, options, "local"));
    }
    return communicators;
}

}  // namespace ringside
