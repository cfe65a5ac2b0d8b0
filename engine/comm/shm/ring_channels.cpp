// SPDX-License-Identifier: Apache-2.0
#include "comm/shm/ring_channels.h"

#include <algorithm>
#include <cstring>

#include "base/errors.h"
#include "comm/collective_text.h"

namespace ringside {
namespace {

struct MessageHeader {
    std::uint64_t count;
    std::uint64_t type;
};

constexpr std::size_t kRing = ArenaLayout::kRingBytes;

}  // namespace

void RingChannels::send(CommBuffer buffer, int to) {
    m_barrier.checkAlive();
    MessageHeader header{buffer.count, static_cast<std::uint64_t>(buffer.type)};
    std::string what =
        " did not receive " + describeValues(buffer.type, buffer.count) + " from rank " + std::to_string(m_rank);
    write(to, reinterpret_cast<const std::byte*>(&header), sizeof header, what);
    write(to, static_cast<const std::byte*>(buffer.data), buffer.bytes(), what);
}

void RingChannels::recv(CommBuffer buffer, int from) {
    m_barrier.checkAlive();
    std::string expected = describeValues(buffer.type, buffer.count);
    std::string what = " did not send " + expected + " to rank " + std::to_string(m_rank);
    MessageHeader header{};
    read(from, reinterpret_cast<std::byte*>(&header), sizeof header, what);
    if (header.count != buffer.count || header.type != static_cast<std::uint64_t>(buffer.type)) {
        m_barrier.abort();
        throw CommError("rank " + std::to_string(from) + " sent " +
                            describeValues(static_cast<CommType>(header.type), header.count) + " where rank " +
                            std::to_string(m_rank) + " expects " + expected + ": send and recv must agree",
                        from);
    }
    read(from, static_cast<std::byte*>(buffer.data), buffer.bytes(), what);
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
    RankLine& line = m_arena.line(peer);
    line.channelWake.fetch_add(1);
    if (line.channelSleeps.load() != 0) futexWakeAll(line.channelWake);
}

template <class Ready>
void RingChannels::waitUntil(Ready ready, int peer, const std::string& what) {
    if (ready()) return;
    RankLine& line = m_arena.line(m_rank);
    TimePoint deadline = std::chrono::steady_clock::now() + m_timeout;
    while (true) {
        std::uint32_t seen = line.channelWake.load();
        if (ready()) return;
        m_barrier.checkAlive();
        line.channelSleeps.fetch_add(1);
        bool inTime = futexWait(line.channelWake, seen, deadline);
        line.channelSleeps.fetch_sub(1);
        if (!inTime && !ready()) m_barrier.failMissing(peer, what);
    }
}

}  // namespace ringside
