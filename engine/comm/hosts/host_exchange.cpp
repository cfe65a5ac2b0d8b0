// SPDX-License-Identifier: Apache-2.0
#include "comm/hosts/host_exchange.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/errors/errors.h"
#include "comm/hosts/contribution_watch.h"
#include "comm/reduce_kernels.h"

namespace ringside {
namespace {

constexpr std::size_t kChunk = std::size_t{256}
                               << 10;  // number of bytes that are summed while the next chunk is in flight
constexpr std::size_t kBlock = std::size_t{16}
                               << 10;  // number of bytes that are summed at a time; they stay in the first-level cache

CommBuffer partOf(CommBuffer buffer, std::size_t begin, std::size_t end) {
    auto* bytes = static_cast<std::byte*>(buffer.data);
    return {bytes + begin * sizeOf(buffer.type), end - begin, buffer.type};
}

std::span<std::byte> bytesIn(CommBuffer buffer) {
    return {static_cast<std::byte*>(buffer.data), buffer.bytes()};
}

template <class Call>
void eachChunk(CommBuffer buffer, const Call& call) {
    for (std::size_t at = 0; at < buffer.bytes(); at += kChunk) call(at, std::min(kChunk, buffer.bytes() - at));
}

}  // namespace

HostExchange::HostExchange(std::vector<UniqueFd> sockets, int host, std::chrono::milliseconds timeout)
    : m_host(host),
      m_timeout(timeout),
      m_counters(sockets.size()),
      m_secondCounters(sockets.size()),
      m_links(std::move(sockets)) {}

// Increments the number of the collective, which is part of the tags of its messages. If ranks call different
// collectives, a message has the wrong length, which is an error, or no message with the expected tag arrives, which
// ends in a timeout.
void HostExchange::advanceNumber() {
    ++m_number;
}

std::span<std::byte> HostExchange::scratchOf(const Started& sum, int host, std::size_t offset, std::size_t bytes) {
    const auto place = static_cast<std::size_t>(host < m_host ? host : host - 1);
    auto* const memory = reinterpret_cast<std::byte*>(m_scratch[static_cast<std::size_t>(sum.number & 1)].data());
    return {memory + place * sum.stride + offset, bytes};
}

void HostExchange::reserveScratch(Started& sum, std::size_t bytes) {
    sum.stride = (bytes + 7) / 8 * 8;
    std::vector<std::uint64_t>& memory = m_scratch[static_cast<std::size_t>(sum.number & 1)];
    memory.resize(std::max(memory.size(), sum.stride / 8 * (m_counters.size() - 1)));
}

void HostExchange::allReduce(CommBuffer buffer, ReduceOp op) {
    startAllReduce(buffer, op);
    finishAllReduce();
}

// True if every host sends the whole buffer. With two hosts, sending pieces would transfer the same amount of data in
// two steps.
bool HostExchange::isReducedWhole(CommBuffer buffer) const {
    return hostCount() == 2 || buffer.bytes() <= kWholeUpTo;
}

void HostExchange::startAllReduce(CommBuffer buffer, ReduceOp op) {
    RINGSIDE_ASSERT(m_started.size() < 2);
    advanceNumber();
    Started& sum = m_started.emplace_back(Started{buffer, op, m_number});
    if (hostCount() == 1 || buffer.count == 0) return;
    isReducedWhole(buffer) ? startWholeSum(sum) : startPieces(sum);
}

void HostExchange::finishAllReduce() {
    const Started sum = m_started.front();
    m_started.pop_front();
    if (hostCount() == 1 || sum.buffer.count == 0) return;
    isReducedWhole(sum.buffer) ? finishWholeSum(sum) : finishPieces(sum);
}

void HostExchange::recordContributions(const Started& sum, CommType type, std::size_t bytes) const {
    if (m_watch == nullptr || type != CommType::kFloat32 || sum.op == ReduceOp::kMaximum) return;
    for (std::size_t host = 0; host < m_sources.size(); ++host)
        m_watch->addValues(host, {reinterpret_cast<const float*>(m_sources[host]), bytes / sizeof(float)});
}

// Computes one part of the buffer as (host 0) + (host 1) + ..., reading the data of other hosts from the scratch
// buffer.
void HostExchange::reduceInOrder(const Started& sum, CommBuffer part, std::size_t offset) {
    const std::size_t width = sizeOf(part.type);
    m_sum.resize(kBlock / sizeof(std::uint64_t));
    auto* const block = reinterpret_cast<std::byte*>(m_sum.data());
    m_sources.resize(m_counters.size());
    for (std::size_t at = 0; at < part.bytes(); at += kBlock) {
        const std::size_t bytes = std::min(kBlock, part.bytes() - at);
        std::byte* const own = static_cast<std::byte*>(part.data) + at;
        for (int host = 0; host < hostCount(); ++host) {
            m_sources[static_cast<std::size_t>(host)] =
                host == m_host ? own : scratchOf(sum, host, offset + at, bytes).data();
        }
        recordContributions(sum, part.type, bytes);
        reduceSources(part.type, sum.op, m_host == 0 ? own : block, m_sources, bytes / width);
        if (m_host != 0) std::memcpy(own, block, bytes);
    }
}

void HostExchange::startWholeSum(Started& sum) {
    reserveScratch(sum, sum.buffer.bytes());
    forEachOtherHost([&](int host) {
        eachChunk(sum.buffer, [&](std::size_t at, std::size_t bytes) {
            m_links.receive(counters(host), host, slot(sum.number, 0), scratchOf(sum, host, at, bytes));
        });
    });
    eachChunk(sum.buffer, [&](std::size_t at, std::size_t bytes) {
        forEachOtherHost([&](int host) {
            m_links.send(counters(host), host, slot(sum.number, 0), bytesIn(sum.buffer).subspan(at, bytes));
        });
    });
}

void HostExchange::finishWholeSum(const Started& sum) {
    eachChunk(sum.buffer, [&](std::size_t at, std::size_t bytes) {
        forEachOtherHost([&](int host) { m_links.waitUntilReceived(counters(host), m_timeout); });
        // All sends from the buffer must have ended before the sums overwrite it.
        forEachOtherHost([&](int host) { m_links.waitUntilSent(counters(host), m_timeout); });
        const std::size_t width = sizeOf(sum.buffer.type);
        reduceInOrder(sum, partOf(sum.buffer, at / width, (at + bytes) / width), at);
    });
}

// Returns the piece of the buffer whose sum `host` computes and sends to all other hosts.
CommBuffer HostExchange::pieceOf(const Started& sum, int host) const {
    const auto number = static_cast<std::size_t>(host);
    const std::size_t count = sum.buffer.count;
    return partOf(sum.buffer, count * number / m_counters.size(), count * (number + 1) / m_counters.size());
}

void HostExchange::startPieces(Started& sum) {
    const std::size_t own = pieceOf(sum, m_host).bytes();
    reserveScratch(sum, own);
    forEachOtherHost([&](int host) {
        m_links.receive(counters(host), host, slot(sum.number, 0), scratchOf(sum, host, 0, own));
        m_links.send(counters(host), host, slot(sum.number, 0), bytesIn(pieceOf(sum, host)));
    });
}

void HostExchange::finishPieces(const Started& sum) {
    const CommBuffer own = pieceOf(sum, m_host);
    forEachOtherHost([&](int host) { m_links.waitUntilReceived(counters(host), m_timeout); });
    reduceInOrder(sum, own, 0);
    forEachOtherHost([&](int host) {
        // The send of this piece of the buffer must have ended before the received sum overwrites the piece.
        m_links.waitUntilSent(counters(host), m_timeout);
        m_links.receive(secondCounters(host), host, slot(sum.number, 1), bytesIn(pieceOf(sum, host)));
        m_links.send(secondCounters(host), host, slot(sum.number, 1), bytesIn(own));
    });
    forEachOtherHost([&](int host) {
        m_links.waitUntilReceived(secondCounters(host), m_timeout);
        m_links.waitUntilSent(secondCounters(host), m_timeout);
    });
}

void HostExchange::broadcast(CommBuffer buffer, int rootHost) {
    advanceNumber();
    if (m_host != rootHost) {
        m_links.receive(counters(rootHost), rootHost, slot(2), bytesIn(buffer));
        return m_links.waitUntilReceived(counters(rootHost), m_timeout);
    }
    for (int host = 0; host < hostCount(); ++host) {
        if (host != m_host) m_links.send(counters(host), host, slot(2), bytesIn(buffer));
    }
    for (int host = 0; host < hostCount(); ++host) {
        if (host != m_host) m_links.waitUntilSent(counters(host), m_timeout);
    }
}

void HostExchange::barrier(std::chrono::milliseconds timeout) {
    advanceNumber();
    for (int host = 0; host < hostCount(); ++host) {
        if (host == m_host) continue;
        m_links.receive(counters(host), host, slot(3), {});
        m_links.send(counters(host), host, slot(3), {});
    }
    for (int host = 0; host < hostCount(); ++host) {
        if (host == m_host) continue;
        m_links.waitUntilReceived(counters(host), timeout);
        m_links.waitUntilSent(counters(host), timeout);
    }
}

}  // namespace ringside
