// SPDX-License-Identifier: Apache-2.0
#include "comm/hosts/host_exchange.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "comm/reduce_kernels.h"

namespace ringside {
namespace {

constexpr std::size_t kChunk = std::size_t{256} << 10;  // summed while the next one travels
constexpr std::size_t kBlock = std::size_t{16} << 10;   // stays in the first-level cache

CommBuffer partOf(CommBuffer buffer, std::size_t begin, std::size_t end) {
    auto* bytes = static_cast<std::byte*>(buffer.data);
    return {bytes + begin * sizeOf(buffer.type), end - begin, buffer.type};
}

std::span<std::byte> bytesIn(CommBuffer buffer) {
    return {static_cast<std::byte*>(buffer.data), buffer.bytes()};
}

}  // namespace

HostExchange::HostExchange(std::vector<UniqueFd> sockets, int host, std::chrono::milliseconds timeout)
    : m_host(host), m_timeout(timeout), m_users(sockets.size()), m_links(std::move(sockets)) {}

// A number a collective: whoever calls another one than its peers is noticed by its length or waits in vain.
void HostExchange::begin() {
    ++m_number;
}

std::span<std::byte> HostExchange::scratchOf(int host, std::size_t stride, std::size_t offset, std::size_t bytes) {
    const auto place = static_cast<std::size_t>(host < m_host ? host : host - 1);
    return {reinterpret_cast<std::byte*>(m_scratch.data()) + place * stride + offset, bytes};
}

void HostExchange::allReduce(CommBuffer buffer, ReduceOp op) {
    begin();
    if (hosts() == 1 || buffer.count == 0) return;
    // Between two hosts, halves would travel as far as wholes do, one after the other.
    if (hosts() == 2 || buffer.bytes() <= kWholeUpTo) return reduceWhole(buffer, op);
    reducePieces(buffer, op);
}

// part = host 0's + host 1's + ..., the others' from the scratch.
void HostExchange::reduceInOrder(CommBuffer part, ReduceOp op, std::size_t stride, std::size_t offset) {
    const std::size_t width = sizeOf(part.type);
    m_sum.resize(kBlock / sizeof(std::uint64_t));
    auto* const sum = reinterpret_cast<std::byte*>(m_sum.data());
    m_sources.resize(m_users.size());
    for (std::size_t at = 0; at < part.bytes(); at += kBlock) {
        const std::size_t bytes = std::min(kBlock, part.bytes() - at);
        std::byte* const own = static_cast<std::byte*>(part.data) + at;
        for (int host = 0; host < hosts(); ++host) {
            m_sources[static_cast<std::size_t>(host)] =
                host == m_host ? own : scratchOf(host, stride, offset + at, bytes).data();
        }
        reduceSources(part.type, op, m_host == 0 ? own : sum, m_sources, bytes / width);
        if (m_host != 0) std::memcpy(own, sum, bytes);
    }
}

void HostExchange::reduceWhole(CommBuffer buffer, ReduceOp op) {
    const std::size_t all = buffer.bytes();
    const std::size_t stride = (all + 7) / 8 * 8;
    m_scratch.resize(std::max(m_scratch.size(), stride / 8 * (m_users.size() - 1)));
    const auto inChunks = [&](const auto& call) {
        for (std::size_t at = 0; at < all; at += kChunk) call(at, std::min(kChunk, all - at));
    };
    const auto others = [&](const auto& call) {
        for (int host = 0; host < hosts(); ++host) {
            if (host != m_host) call(host);
        }
    };
    others([&](int host) {
        inChunks([&](std::size_t at, std::size_t bytes) {
            m_links.receive(user(host), host, slot(0), scratchOf(host, stride, at, bytes));
        });
    });
    inChunks([&](std::size_t at, std::size_t bytes) {
        others([&](int host) { m_links.send(user(host), host, slot(0), bytesIn(buffer).subspan(at, bytes)); });
    });
    inChunks([&](std::size_t at, std::size_t bytes) {
        others([&](int host) { m_links.awaitReceived(user(host), m_timeout); });
        others([&](int host) { m_links.awaitSent(user(host), m_timeout); });  // before it is overwritten
        const std::size_t width = sizeOf(buffer.type);
        reduceInOrder(partOf(buffer, at / width, (at + bytes) / width), op, stride, at);
    });
}

// Each host sums a piece and gives it to the others.
void HostExchange::reducePieces(CommBuffer buffer, ReduceOp op) {
    const auto count = m_users.size();
    const auto piece = [&](int host) {
        const auto number = static_cast<std::size_t>(host);
        return partOf(buffer, buffer.count * number / count, buffer.count * (number + 1) / count);
    };
    const CommBuffer own = piece(m_host);
    const std::size_t stride = (own.bytes() + 7) / 8 * 8;
    m_scratch.resize(std::max(m_scratch.size(), stride / 8 * (count - 1)));
    for (int host = 0; host < hosts(); ++host) {
        if (host == m_host) continue;
        m_links.receive(user(host), host, slot(0), scratchOf(host, stride, 0, own.bytes()));
        m_links.send(user(host), host, slot(0), bytesIn(piece(host)));
    }
    for (int host = 0; host < hosts(); ++host) {
        if (host != m_host) m_links.awaitReceived(user(host), m_timeout);
    }
    reduceInOrder(own, op, stride, 0);
    for (int host = 0; host < hosts(); ++host) {
        if (host == m_host) continue;
        m_links.awaitSent(user(host), m_timeout);  // before the sum takes its place
        m_links.receive(user(host), host, slot(1), bytesIn(piece(host)));
        m_links.send(user(host), host, slot(1), bytesIn(own));
    }
    for (int host = 0; host < hosts(); ++host) {
        if (host == m_host) continue;
        m_links.awaitReceived(user(host), m_timeout);
        m_links.awaitSent(user(host), m_timeout);
    }
}

void HostExchange::broadcast(CommBuffer buffer, int rootHost) {
    begin();
    if (m_host != rootHost) {
        m_links.receive(user(rootHost), rootHost, slot(2), bytesIn(buffer));
        return m_links.awaitReceived(user(rootHost), m_timeout);
    }
    for (int host = 0; host < hosts(); ++host) {
        if (host != m_host) m_links.send(user(host), host, slot(2), bytesIn(buffer));
    }
    for (int host = 0; host < hosts(); ++host) {
        if (host != m_host) m_links.awaitSent(user(host), m_timeout);
    }
}

void HostExchange::barrier(std::chrono::milliseconds timeout) {
    begin();
    for (int host = 0; host < hosts(); ++host) {
        if (host == m_host) continue;
        m_links.receive(user(host), host, slot(3), {});
        m_links.send(user(host), host, slot(3), {});
    }
    for (int host = 0; host < hosts(); ++host) {
        if (host == m_host) continue;
        m_links.awaitReceived(user(host), timeout);
        m_links.awaitSent(user(host), timeout);
    }
}

}  // namespace ringside
