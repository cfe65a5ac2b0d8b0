// SPDX-License-Identifier: Apache-2.0
#include "comm/shm/arena.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "base/errors/errors.h"
#include "base/system/files.h"

namespace ringside {
namespace {

constexpr std::size_t kPage = 4096;

std::size_t roundUp(std::size_t value, std::size_t unit) {
    return (value + unit - 1) / unit * unit;
}

struct FixedParts {
    std::size_t lines, channels, slotArea;
    FixedParts(std::size_t ranks)  // NOLINT(google-explicit-constructor)
        : lines(roundUp(sizeof(ArenaHeader), kPage)),
          channels(roundUp(lines + ranks * sizeof(RankLine), kPage)),
          slotArea(roundUp(channels + ranks * ranks * ArenaLayout::kChannelBytes, kPage)) {}
};

std::size_t sizeOfFile(int fd) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) {
        throw CommError("shared memory on file descriptor " + std::to_string(fd) +
                        " cannot be used: " + errnoText(errno) + "; start the rank through ringsidectl or torchrun");
    }
    return static_cast<std::size_t>(status.st_size);
}

}  // namespace

ArenaLayout::ArenaLayout(std::size_t totalBytes, int ranks)
    : worldSize(ranks), bytes(totalBytes), slotBytes(2 * kChunkBytes), chunkBytes(kChunkBytes) {
    RINGSIDE_ASSERT(ranks > 0);
    auto count = static_cast<std::size_t>(ranks);
    FixedParts fixed(count);
    lines = fixed.lines;
    channels = fixed.channels;
    slotArea = fixed.slotArea;
    heaps = slotArea + count * 2 * slotBytes;
    if (heaps > bytes) {
        throw CommError("shared memory of " + std::to_string(bytes) + " bytes is too small for " +
                        std::to_string(ranks) + " ranks, which need " + std::to_string(bytesFor(ranks, 0)) +
                        "; use fewer ranks or parallel.backend=gloo");
    }
    heapBytes = (bytes - heaps) / count / kPage * kPage;
}

std::size_t ArenaLayout::bytesFor(int worldSize, std::size_t largestMessageBytes) {
    auto count = static_cast<std::size_t>(worldSize);
    return FixedParts(count).slotArea + count * (4 * kChunkBytes + roundUp(largestMessageBytes, kPage));
}

ArenaLayout::ArenaLayout(const ArenaLayout& whole, std::size_t from, int ranks, std::size_t chunk)
    : ArenaLayout(whole) {
    const FixedParts fixed(static_cast<std::size_t>(ranks));
    worldSize = ranks;
    start = from;
    lines = start + fixed.lines;
    channels = start + fixed.channels;
    slotArea = start + fixed.slotArea;
    slotBytes = 2 * chunk;
    chunkBytes = chunk;
}

std::size_t ArenaLayout::bytesForGroup(int ranks, std::size_t chunkBytes) {
    const auto count = static_cast<std::size_t>(ranks);
    return FixedParts(count).slotArea + count * 4 * chunkBytes;
}

Arena::Arena(int fd, std::size_t bytes, int worldSize) : m_layout(fd < 0 ? bytes : sizeOfFile(fd), worldSize) {
    int flags = MAP_SHARED | MAP_NORESERVE | (fd < 0 ? MAP_ANONYMOUS : 0);
    void* base = ::mmap(nullptr, m_layout.bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (base == MAP_FAILED) {
        throw CommError(
            "shared memory of " + std::to_string(m_layout.bytes) + " bytes cannot be mapped: " + errnoText(errno) +
            "; raise the limit of address space (ulimit -v, RLIMIT_AS) if there is one, or use parallel.backend=gloo");
    }
    m_base = static_cast<std::byte*>(base);
    m_ranks.resize(static_cast<std::size_t>(worldSize));
    std::iota(m_ranks.begin(), m_ranks.end(), 0);
}

Arena::Arena(std::shared_ptr<const Arena> parent, std::size_t start, std::span<const int> ranks, std::size_t chunkBytes)
    : m_parent(std::move(parent)),
      m_layout(m_parent->m_layout, start, static_cast<int>(ranks.size()), chunkBytes),
      m_base(m_parent->m_base) {
    for (const int rank : ranks) m_ranks.push_back(m_parent->rankInRun(rank));
}

Arena::~Arena() {
    if (m_parent) return;
    ::munmap(m_base, m_layout.bytes);
}

ChannelPositions& Arena::channel(int from, int to) const {
    const auto index =
        static_cast<std::size_t>(from) * static_cast<std::size_t>(m_layout.worldSize) + static_cast<std::size_t>(to);
    return *reinterpret_cast<ChannelPositions*>(m_base + m_layout.channels + index * ArenaLayout::kChannelBytes);
}

std::byte* Arena::ring(int from, int to) const {
    return reinterpret_cast<std::byte*>(&channel(from, to)) + sizeof(ChannelPositions);
}

bool Arena::isInHeap(int rank, const void* address, std::size_t bytes) const {
    auto position = reinterpret_cast<std::uintptr_t>(address);
    auto start = reinterpret_cast<std::uintptr_t>(heap(rank));
    return position >= start && bytes <= m_layout.heapBytes && position - start <= m_layout.heapBytes - bytes;
}

}  // namespace ringside
