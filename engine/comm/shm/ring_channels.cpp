// SPDX-License-Identifier: Apache-2.0
#include "comm/shm/ring_channels.h"

#include <algorithm>
#include <cstring>

#include "base/errors/errors.h"
#include "base/time/awake_deadline.h"
#include "comm/collective_text.h"

namespace ringside {
namespace {

struct MessageHeader {
    std::uint64_t count;
    std::uint64_t type;
    std::uint64_t place;  // offset of the message's bytes in the arena; 0 if the bytes follow this header in the ring
};

constexpr std::size_t kRing = ArenaLayout::kRingBytes;

}  // namespace

void RingChannels::send(CommBuffer buffer, int to) {
    m_barrier.throwIfFailed();
    const MessageHeader header{buffer.count, static_cast<std::uint64_t>(buffer.type), 0};
    std::string what = m_barrier.rankText(to) + " did not receive " + describeValues(buffer.type, buffer.count) +
                       " from " + m_barrier.rankText(m_rank);
    write(to, reinterpret_cast<const std::byte*>(&header), sizeof header, what);
    write(to, static_cast<const std::byte*>(buffer.data), buffer.bytes(), what);
}

// The header of a message in the heap is followed by one extra byte, which the receiver reads after it has copied the
// content. The read position of the channel then shows the sender that the memory is free again.
void RingChannels::sendWithoutWaiting(CommBuffer buffer, int to) {
    const ChannelPositions& channel = m_arena.channel(m_rank, to);
    const std::uint64_t unread =
        channel.written.load(std::memory_order_relaxed) - channel.read.load(std::memory_order_acquire);
    if (unread + sizeof(MessageHeader) + buffer.bytes() <= kRing) return send(buffer, to);
    Outgoing* const place = findFreeHeapPiece(buffer.bytes());
    if (!place) return send(buffer, to);
    m_barrier.throwIfFailed();
    std::memcpy(place->memory, buffer.data, buffer.bytes());
    struct {
        MessageHeader header;
        std::byte last{};
    } message{{buffer.count, static_cast<std::uint64_t>(buffer.type), m_arena.offsetOf(place->memory)}};
    const std::string what = m_barrier.rankText(to) + " did not receive " + describeValues(buffer.type, buffer.count) +
                             " from " + m_barrier.rankText(m_rank);
    write(to, reinterpret_cast<const std::byte*>(&message), sizeof(MessageHeader) + 1, what);
    place->to = to;
    place->until = channel.written.load(std::memory_order_relaxed);
}

RingChannels::Outgoing* RingChannels::findFreeHeapPiece(std::size_t bytes) {
    for (Outgoing& one : m_outgoing) {
        const bool read = m_arena.channel(m_rank, one.to).read.load(std::memory_order_acquire) >= one.until;
        if (read && one.bytes >= bytes) return &one;
    }
    std::byte* memory = m_takeFromHeap(bytes);
    return memory ? &m_outgoing.emplace_back(Outgoing{memory, bytes}) : nullptr;
}

void RingChannels::recv(CommBuffer buffer, int from) {
    m_barrier.throwIfFailed();
    std::string expected = describeValues(buffer.type, buffer.count);
    std::string what = m_barrier.rankText(from) + " did not send " + expected + " to " + m_barrier.rankText(m_rank);
    MessageHeader header{};
    read(from, reinterpret_cast<std::byte*>(&header), sizeof header, what);
    if (header.count != buffer.count || header.type != static_cast<std::uint64_t>(buffer.type)) {
        m_barrier.abort();
        throw CommError(m_barrier.rankText(from) + " sent " +
                            describeValues(static_cast<CommType>(header.type), header.count) + " where " +
                            m_barrier.rankText(m_rank) + " expects " + expected +
                            ": send and recv must use the same type and size",
                        m_barrier.rankInRun(from));
    }
    if (header.place == 0) return read(from, static_cast<std::byte*>(buffer.data), buffer.bytes(), what);
    std::memcpy(buffer.data, m_arena.addressAt(header.place), buffer.bytes());
    std::byte last{};
    read(from, &last, 1, what);
}

void RingChannels::write(int to, const std::byte* data, std::size_t bytes, const std::string& what) {
    ChannelPositions& channel = m_arena.channel(m_rank, to);
    std::byte* ring = m_arena.ring(m_rank, to);
    while (bytes > 0) {
        std::uint64_t position = channel.written.load(std::memory_order_relaxed);
        auto space = [&] { return kRing - (position - channel.read.load(std::memory_order_acquire)); };
        waitUntil([&] { return space() > 0; }, to, what);
        std::size_t start = position % kRing;
        std::size_t length = std::min({bytes, static_cast<std::size_t>(space()), kRing - start});
        std::memcpy(ring + start, data, length);
        channel.written.store(position + length, std::memory_order_release);
        wakePeer(to);
        data += length;
        bytes -= length;
    }
}

void RingChannels::read(int from, std::byte* data, std::size_t bytes, const std::string& what) {
    ChannelPositions& channel = m_arena.channel(from, m_rank);
    const std::byte* ring = m_arena.ring(from, m_rank);
    while (bytes > 0) {
        std::uint64_t position = channel.read.load(std::memory_order_relaxed);
        auto ready = [&] { return channel.written.load(std::memory_order_acquire) - position; };
        waitUntil([&] { return ready() > 0; }, from, what);
        std::size_t start = position % kRing;
        std::size_t length = std::min({bytes, static_cast<std::size_t>(ready()), kRing - start});
        std::memcpy(data, ring + start, length);
        channel.read.store(position + length, std::memory_order_release);
        wakePeer(from);
        data += length;
        bytes -= length;
    }
}

void RingChannels::wakePeer(int peer) {
    RankLine& line = m_arena.lineOfRank(peer);
    line.channelWake.fetch_add(1);
    if (line.channelSleeps.load() != 0) futexWakeAll(line.channelWake);
}

template <class Ready>
void RingChannels::waitUntil(Ready ready, int peer, const std::string& what) {
    if (ready()) return;
    RankLine& line = m_arena.lineOfRank(m_rank);
    AwakeDeadline deadline(m_timeout);
    while (true) {
        std::uint32_t seen = line.channelWake.load();
        if (ready()) return;
        m_barrier.throwIfFailed();
        line.channelSleeps.fetch_add(1);
        futexWait(line.channelWake, seen, m_barrier.nextFailureCheck(deadline.nextCheck()));
        line.channelSleeps.fetch_sub(1);
        if (!ready() && deadline.hasPassed()) m_barrier.failMissing(peer, what);
    }
}

}  // namespace ringside
