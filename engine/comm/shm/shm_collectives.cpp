// SPDX-License-Identifier: Apache-2.0
#include "comm/shm/shm_collectives.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/errors/errors.h"
#include "comm/reduce_kernels.h"

namespace ringside {
namespace {

std::byte* bytesOf(CommBuffer buffer) {
    return static_cast<std::byte*>(buffer.data);
}

// Copies bytes. Does not call memcpy() if `bytes` is 0 or both pointers are equal, because memcpy() allows neither null
// pointers nor overlapping memory.
void copyBytes(std::byte* to, const std::byte* from, std::size_t bytes) {
    if (bytes > 0 && to != from) std::memcpy(to, from, bytes);
}

CommBuffer section(CommBuffer buffer, std::size_t start, std::size_t count) {
    return {bytesOf(buffer) + start * sizeOf(buffer.type), count, buffer.type};
}

}  // namespace

ShmCollectives::ShmCollectives(const Arena& arena, RoundBarrier& barrier, int rank)
    : m_arena(arena), m_barrier(barrier), m_rank(rank), m_size(arena.layout().worldSize) {
    m_sources.resize(static_cast<std::size_t>(m_size));
}

// Returns the size up to which an all-reduce takes one round. The constants are measured: at these sizes, one more
// round costs as much as reading the whole data of every rank instead of one part.
std::size_t ShmCollectives::oneRoundBytes(int worldSize) {
    if (worldSize <= 2) return 16U << 10;
    return std::min(std::size_t{64} << 10, (std::size_t{128} << 10) / static_cast<std::size_t>(worldSize - 2));
}

std::size_t ShmCollectives::oneRoundBytesInHeap(int worldSize) {
    const std::size_t most = worldSize <= 2 ? 4U << 10 : 8U << 10;
    return std::min(most, oneRoundBytes(worldSize));
}

void ShmCollectives::begin(std::int64_t collective, CollectiveTrace* trace, std::int64_t readyNs) {
    m_barrier.throwIfFailed();
    m_trace = trace;
    if (m_trace != nullptr) {
        m_stamp = {};
        m_stamp.group = m_groupsFrom + static_cast<std::int64_t>(m_arena.layout().start);
        m_stamp.number = collective;
        m_stamp.readyNs = readyNs;
    }
    m_publishesArrival = m_trace != nullptr;
    m_announcement = {};
    m_announcement.collective = collective;
    m_checked = false;
}

void ShmCollectives::end() {
    if (m_trace == nullptr) return;
    m_stamp.endedNs = monotonicNs();
    m_trace->add(m_stamp);
    m_trace = nullptr;
}

void ShmCollectives::publish(CollectiveKind kind, CommBuffer buffer, int root, ReduceOp op) {
    m_announcement.kind = static_cast<std::uint8_t>(kind);
    m_announcement.type = static_cast<std::uint8_t>(buffer.type);
    m_announcement.detail = static_cast<std::uint8_t>(op);
    m_announcement.count = buffer.count;
    m_announcement.root = root;
    m_stamp.kind = m_announcement.kind;
    m_stamp.bytes = static_cast<std::int64_t>(buffer.bytes());
}

void ShmCollectives::arrive() {
    m_parity = m_barrier.parity();
    if (m_publishesArrival && m_stamp.arrivedNs == 0) m_stamp.arrivedNs = monotonicNs();
    m_barrier.arrive(m_announcement, m_publishesArrival ? m_stamp.arrivedNs : 0);
}

void ShmCollectives::waitForRound() {
    m_barrier.wait();
    if (std::exchange(m_publishesArrival, false)) m_stamp.lastNs = m_barrier.lastArrivalNs();
    if (m_checked) return;
    checkPeers();
    m_checked = true;
}

void ShmCollectives::completeRound() {
    arrive();
    waitForRound();
}

void ShmCollectives::checkPeers() {
    const Announcement& own = m_announcement;
    for (int peer = 0; peer < m_size; ++peer) {
        const Announcement& other = m_barrier.announcement(peer);
        bool same = other.collective == own.collective && other.kind == own.kind && other.type == own.type &&
                    other.detail == own.detail && other.count == own.count && other.root == own.root;
        if (!same) m_barrier.failMismatch(peer);
    }
}

void ShmCollectives::synchronise() {
    publish(CollectiveKind::kBarrier, {});
    completeRound();
}

void ShmCollectives::synchroniseWithoutTimeout() {
    publish(CollectiveKind::kBarrier, {});
    arrive();
    m_barrier.waitWithoutTimeout();
    waitForRound();
}

void ShmCollectives::startAllReduce(CommBuffer buffer, ReduceOp op) {
    publish(CollectiveKind::kAllReduce, buffer, 0, op);
    m_announcement.inHeap =
        buffer.bytes() > oneRoundBytesInHeap(m_size) && m_arena.isInHeap(m_rank, buffer.data, buffer.bytes());
    if (!m_announcement.inHeap && buffer.bytes() <= oneRoundBytes(m_size)) {
        copyInWhole(buffer);
    } else {
        copyIn(chunkOf(buffer, 0));
    }
    arrive();
}

void ShmCollectives::finishAllReduce(CommBuffer buffer, ReduceOp op) {
    const std::int64_t enteredNs = m_trace != nullptr ? monotonicNs() : 0;
    waitForRound();
    const int outsideHeap = ranksOutsideHeap();
    if (outsideHeap == 0) {
        arriveFrom(enteredNs);
        return reduceInPlace(buffer, op);
    }
    if (outsideHeap == m_size && buffer.bytes() <= oneRoundBytes(m_size)) return reduceWhole(buffer, op);
    arriveFrom(enteredNs);
    reduceChunks(buffer, op);
}

// Sets the arrival time of this rank in the trace to enteredNs, the time at which finishAllReduce() was called, and
// keeps the arrival at the first round as the time of publication. The further rounds begin at enteredNs, and every
// rank must take part in them.
void ShmCollectives::arriveFrom(std::int64_t enteredNs) {
    if (m_trace == nullptr) return;
    m_stamp.publishedNs = m_stamp.arrivedNs;
    m_stamp.lastPublishedNs = m_stamp.lastNs;
    m_stamp.arrivedNs = enteredNs;
    m_publishesArrival = true;
}

void ShmCollectives::useSlots(int parity, std::size_t offset) {
    for (int peer = 0; peer < m_size; ++peer) {
        m_sources[static_cast<std::size_t>(peer)] = slot(peer, parity) + offset;
    }
}

void ShmCollectives::useAnnouncedSources() {
    for (int peer = 0; peer < m_size; ++peer) {
        m_sources[static_cast<std::size_t>(peer)] = m_arena.addressAt(m_barrier.announcement(peer).source);
    }
}

void ShmCollectives::reduceWhole(CommBuffer buffer, ReduceOp op) {
    useSlots(m_parity, 0);
    reduceSources(buffer.type, op, bytesOf(buffer), m_sources, buffer.count);
}

CommBuffer ShmCollectives::chunkOf(CommBuffer buffer, std::size_t index) const {
    std::size_t length = m_arena.layout().chunkBytes / sizeOf(buffer.type);
    std::size_t start = index * length;
    return section(buffer, start, std::min(length, buffer.count - start));
}

// Reduces a large buffer in chunks. A slot (a rank's part of the shared memory) holds this rank's input of one chunk,
// followed by this rank's reduced part of the previous chunk, so that n chunks take n + 1 rounds.
void ShmCollectives::reduceChunks(CommBuffer buffer, ReduceOp op) {
    std::size_t chunks = (buffer.bytes() + m_arena.layout().chunkBytes - 1) / m_arena.layout().chunkBytes;
    for (std::size_t i = 0; i < chunks; ++i) {
        CommBuffer chunk = chunkOf(buffer, i);
        reducePart(chunk, op, slot(m_rank, m_barrier.parity()) + m_arena.layout().chunkBytes);
        if (i + 1 < chunks) copyIn(chunkOf(buffer, i + 1));
        completeRound();
        copyOut(chunk, m_parity);
    }
}

void ShmCollectives::copyInWhole(CommBuffer buffer) {
    std::byte* target = slot(m_rank, m_barrier.parity());
    copyBytes(target, bytesOf(buffer), buffer.bytes());
    m_announcement.source = m_arena.offsetOf(target);
}

// Publishes a chunk of the buffer to the other ranks. Does not copy this rank's own part, which no other rank reads.
void ShmCollectives::copyIn(CommBuffer chunk) {
    const std::byte* source = bytesOf(chunk);
    if (!m_announcement.inHeap) {
        std::size_t width = sizeOf(chunk.type);
        Part own = partOf(m_rank, chunk.count);
        std::size_t end = own.start + own.length;
        std::byte* target = slot(m_rank, m_barrier.parity());
        copyBytes(target, source, own.start * width);
        copyBytes(target + end * width, source + end * width, (chunk.count - end) * width);
        source = target;
    }
    m_announcement.source = m_arena.offsetOf(source);
}

// Sums this rank's part in blocks, and copies each block into this rank's slot of the shared memory for the other ranks
// and into the buffer while it is in the first-level cache.
void ShmCollectives::reducePart(CommBuffer chunk, ReduceOp op, std::byte* result) {
    constexpr std::size_t kBlockBytes = 8192;
    alignas(64) std::byte block[kBlockBytes];
    std::size_t width = sizeOf(chunk.type);
    Part own = partOf(m_rank, chunk.count);
    useAnnouncedSources();
    m_sources[static_cast<std::size_t>(m_rank)] = bytesOf(chunk);
    for (auto& source : m_sources) source += own.start * width;
    std::byte* target = bytesOf(chunk) + own.start * width;
    for (std::size_t done = 0; done < own.length * width; done += kBlockBytes) {
        std::size_t bytes = std::min(kBlockBytes, own.length * width - done);
        reduceSources(chunk.type, op, block, m_sources, bytes / width);
        copyBytes(result + done, block, bytes);
        copyBytes(target + done, block, bytes);
        for (auto& source : m_sources) source += bytes;
    }
}

void ShmCollectives::copyOut(CommBuffer chunk, int parity) const {
    std::size_t width = sizeOf(chunk.type);
    for (int peer = 0; peer < m_size; ++peer) {
        if (peer == m_rank) continue;
        Part part = partOf(peer, chunk.count);
        copyBytes(bytesOf(chunk) + part.start * width, slot(peer, parity) + m_arena.layout().chunkBytes,
                  part.length * width);
    }
}

// Writes the sum of this rank's part straight into every rank's buffer, with ordinary (cached) stores, because the
// owner of each buffer reads the sum next, from the shared cache.
void ShmCollectives::reduceInPlace(CommBuffer buffer, ReduceOp op) {
    constexpr std::size_t kBlockBytes = 8192;
    alignas(64) std::byte block[kBlockBytes];
    std::size_t width = sizeOf(buffer.type);
    Part own = partOf(m_rank, buffer.count);
    useAnnouncedSources();
    for (auto& source : m_sources) source += own.start * width;
    for (std::size_t done = 0; done < own.length; done += kBlockBytes / width) {
        std::size_t length = std::min(kBlockBytes / width, own.length - done);
        reduceSources(buffer.type, op, block, m_sources, length);
        for (auto& source : m_sources) {
            copyBytes(m_arena.addressAt(m_arena.offsetOf(source)), block, length * width);
            source += length * width;
        }
    }
    completeRound();
}

// Runs an all-reduce as a pipeline of three stages. Data in heaps is read in place.
//
//     round      0          1          2          3
//     chunk 0    publish    exchange   copy out
//     chunk 1               publish    exchange   copy out
//
// In round i the ranks publish chunk i and the exchanged parts of chunk i - 2, while the exchange of chunk i - 1 is in
// progress.
void ShmCollectives::allReduceAcrossHosts(CommBuffer buffer, ReduceOp op, const PartExchange& exchange) {
    publish(CollectiveKind::kAllReduce, buffer, 0, op);
    m_announcement.inHeap = m_arena.isInHeap(m_rank, buffer.data, buffer.bytes());
    const std::size_t chunkBytes = m_arena.layout().chunkBytes;
    const std::size_t chunks = (buffer.bytes() + chunkBytes - 1) / chunkBytes;
    CommBuffer underWay{};
    for (std::size_t i = 0; i < chunks + 2; ++i) {
        if (i < chunks) copyIn(chunkOf(buffer, i));
        if (i >= chunks && m_announcement.inHeap) m_announcement.source += chunkBytes;
        completeRound();
        const CommBuffer own = i < chunks ? sumOwnPart(chunkOf(buffer, i), op) : CommBuffer{};
        if (i < chunks) exchange.start(own);
        if (i >= 2) copyReducedParts(chunkOf(buffer, i - 2));
        if (i >= 1 && i <= chunks) {
            exchange.finish();
            if (!m_announcement.inHeap)
                copyBytes(slot(m_rank, m_barrier.parity()) + chunkBytes, bytesOf(underWay), underWay.bytes());
        }
        underWay = own;
    }
    // If the data of any rank is in its heap, a final round follows: after this round no other rank reads from the
    // heap, so that its owner may change the data. Data in slots needs no final round.
    if (ranksOutsideHeap() < m_size) completeRound();
}

CommBuffer ShmCollectives::sumOwnPart(CommBuffer chunk, ReduceOp op) {
    constexpr std::size_t kBlockBytes = 8192;
    alignas(64) std::byte block[kBlockBytes];
    const Part part = partOf(m_rank, chunk.count);
    const CommBuffer own = section(chunk, part.start, part.length);
    useAnnouncedSources();
    m_sources[static_cast<std::size_t>(m_rank)] = bytesOf(chunk);
    for (auto& source : m_sources) source += part.start * sizeOf(chunk.type);
    for (std::size_t done = 0; done < own.bytes(); done += kBlockBytes) {
        const std::size_t bytes = std::min(kBlockBytes, own.bytes() - done);
        reduceSources(chunk.type, op, block, m_sources, bytes / sizeOf(chunk.type));
        copyBytes(bytesOf(own) + done, block, bytes);
        for (auto& source : m_sources) source += bytes;
    }
    return own;
}

// Copies the parts of `chunk` (a piece of the buffer) that the other ranks have reduced. Each rank announces the
// address of its data for the current round, and `chunk` lies two chunks before these data. The address of a rank's
// data in its heap is therefore the announced address minus the size of two chunks.
void ShmCollectives::copyReducedParts(CommBuffer chunk) const {
    const std::size_t width = sizeOf(chunk.type);
    const std::size_t chunkBytes = m_arena.layout().chunkBytes;
    for (int peer = 0; peer < m_size; ++peer) {
        if (peer == m_rank) continue;
        const Part part = partOf(peer, chunk.count);
        const Announcement& other = m_barrier.announcement(peer);
        const std::byte* from = other.inHeap ? m_arena.addressAt(other.source - 2 * chunkBytes) + part.start * width
                                             : slot(peer, m_parity) + chunkBytes;
        copyBytes(bytesOf(chunk) + part.start * width, from, part.length * width);
    }
}

int ShmCollectives::ranksOutsideHeap() const {
    int count = 0;
    for (int peer = 0; peer < m_size; ++peer) count += m_barrier.announcement(peer).inHeap ? 0 : 1;
    return count;
}

// Aligns parts to cache lines, so that no two ranks write to the same line.
ShmCollectives::Part ShmCollectives::partOf(int rank, std::size_t count) const {
    constexpr std::size_t kLine = 64;
    auto ranks = static_cast<std::size_t>(m_size);
    std::size_t length = ((count + ranks - 1) / ranks + kLine - 1) / kLine * kLine;
    std::size_t start = std::min(count, length * static_cast<std::size_t>(rank));
    return {start, std::min(length, count - start)};
}

void ShmCollectives::broadcast(CommBuffer buffer, int root) {
    publish(CollectiveKind::kBroadcast, buffer, root);
    std::size_t done = 0;
    do {
        std::size_t length = std::min(m_arena.layout().slotBytes, buffer.bytes() - done);
        int parity = m_barrier.parity();
        if (m_rank == root) copyBytes(slot(root, parity), bytesOf(buffer) + done, length);
        completeRound();
        if (m_rank != root) copyBytes(bytesOf(buffer) + done, slot(root, parity), length);
        done += length;
    } while (done < buffer.bytes());
}

// Reads data in heaps in place. If the data of all ranks lies in heaps, one round covers the whole buffer.
void ShmCollectives::allGather(CommBuffer in, CommBuffer out) {
    publish(CollectiveKind::kAllGather, in);
    m_announcement.inHeap = in.bytes() > oneRoundBytes(m_size) && m_arena.isInHeap(m_rank, in.data, in.bytes());
    const std::size_t width = sizeOf(in.type);
    std::size_t done = 0;
    do {
        std::size_t length = std::min(m_arena.layout().slotBytes / width, in.count - done);
        if (m_announcement.inHeap)
            m_announcement.source = m_arena.offsetOf(bytesOf(in) + done * width);
        else
            copyInWhole(section(in, done, length));
        completeRound();
        if (ranksOutsideHeap() == 0) length = in.count - done;
        useAnnouncedSources();
        for (std::size_t peer = 0; peer < m_sources.size(); ++peer)
            copyBytes(bytesOf(section(out, peer * in.count + done, length)), m_sources[peer], length * width);
        done += length;
    } while (done < in.count);
    // If the data of any rank is in its heap, a final round follows: after this round no other rank reads from the
    // heap, so that its owner may change the data. Data in slots needs no final round.
    if (ranksOutsideHeap() < m_size) completeRound();
}

void ShmCollectives::reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op) {
    publish(CollectiveKind::kReduceScatter, in, 0, op);
    m_announcement.inHeap = in.bytes() > oneRoundBytes(m_size) && m_arena.isInHeap(m_rank, in.data, in.bytes());
    m_announcement.source = m_announcement.inHeap ? m_arena.offsetOf(in.data) : 0;
    const std::size_t width = sizeOf(in.type);
    const std::size_t stride = m_arena.layout().slotBytes / static_cast<std::size_t>(m_size) / 64 * 64;
    const auto rank = static_cast<std::size_t>(m_rank);
    std::size_t done = 0;
    do {
        std::size_t length = std::min(stride / width, out.count - done);
        if (!m_announcement.inHeap) copyInParts(in, out.count, done, length, stride);
        completeRound();
        if (ranksOutsideHeap() == 0) length = out.count - done;
        useAnnouncedSources();
        for (int peer = 0; peer < m_size; ++peer) {
            const bool inHeap = m_barrier.announcement(peer).inHeap;
            m_sources[static_cast<std::size_t>(peer)] += inHeap ? (rank * out.count + done) * width : rank * stride;
        }
        reduceSources(in.type, op, bytesOf(out) + done * width, m_sources, length);
        done += length;
    } while (done < out.count);
    // If the data of any rank is in its heap, a final round follows: after this round no other rank reads from the
    // heap, so that its owner may change the data. Data in slots needs no final round.
    if (ranksOutsideHeap() < m_size) completeRound();
}

// Copies the same range of every rank's part of the buffer into this rank's slot of the shared memory, one behind the
// other, `stride` bytes apart.
void ShmCollectives::copyInParts(CommBuffer in, std::size_t partCount, std::size_t from, std::size_t count,
                                 std::size_t stride) {
    std::byte* target = slot(m_rank, m_barrier.parity());
    for (std::size_t peer = 0; peer < m_sources.size(); ++peer) {
        const CommBuffer block = section(in, peer * partCount + from, count);
        copyBytes(target + peer * stride, bytesOf(block), block.bytes());
    }
    m_announcement.source = m_arena.offsetOf(target);
}

}  // namespace ringside
