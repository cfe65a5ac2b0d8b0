// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/nccl_tree_sum.h"

#include <algorithm>

#include "base/errors/errors.h"

namespace ringside {

std::size_t NcclTreeSum::Blocks::begin(int rank) const {
    return std::min(all, static_cast<std::size_t>(rank) * whole);
}

std::size_t NcclTreeSum::Blocks::count(int rank) const {
    return std::min(whole, all - begin(rank));
}

NcclTreeSum::Blocks NcclTreeSum::blocksOf(std::size_t count, int ranks) {
    const auto size = static_cast<std::size_t>(ranks);
    return {(count + size - 1) / size, count};
}

void NcclTreeSum::reserve(std::size_t count) {
    if (count <= m_capacity) return;
    m_pieces.push_back(m_device.allocate(count * sizeof(float)));
    m_memory = static_cast<float*>(m_pieces.back());
    m_capacity = count;
}

void NcclTreeSum::release() {
    for (void* piece : m_pieces) m_device.release(piece);
    m_pieces.clear();
    m_memory = nullptr;
    m_capacity = 0;
}

NcclResult NcclTreeSum::callForEachPeer(const Ranks& ranks, const std::function<NcclResult(int peer)>& call) {
    if (const NcclResult started = m_api.groupStart(); isError(started)) return started;
    NcclResult failure = NcclResult::kSuccess;
    for (int step = 1; step < ranks.size && !isError(failure); ++step) failure = call((ranks.rank + step) % ranks.size);
    const NcclResult ended = m_api.groupEnd();
    return isError(failure) ? failure : ended;
}

// Sends each rank its block of this rank's `in`, and receives this rank's block of the `in` of each other rank. Stores
// the received blocks in the order of the ranks.
NcclResult NcclTreeSum::collectBlocks(const float* in, const Blocks& blocks, const Ranks& ranks) {
    const std::size_t own = blocks.count(ranks.rank);
    reserve(own * static_cast<std::size_t>(ranks.size));
    const auto blockOf = [&](int rank) { return m_memory + static_cast<std::size_t>(rank) * own; };
    if (own > 0) m_device.copy(blockOf(ranks.rank), in + blocks.begin(ranks.rank), own * sizeof(float), m_stream);
    return callForEachPeer(ranks, [&](int peer) {
        NcclResult result = NcclResult::kSuccess;
        if (blocks.count(peer) > 0)
            result =
                m_api.send(in + blocks.begin(peer), blocks.count(peer), CommType::kFloat32, peer, ranks.comm, m_stream);
        if (own > 0 && !isError(result))
            result = m_api.recv(blockOf(peer), own, CommType::kFloat32, peer, ranks.comm, m_stream);
        return result;
    });
}

// Sends the sums that this rank has computed to all ranks and receives the sums of the other ranks.
NcclResult NcclTreeSum::exchangeSums(float* values, const Blocks& blocks, const Ranks& ranks) {
    const std::size_t own = blocks.count(ranks.rank);
    return callForEachPeer(ranks, [&](int peer) {
        NcclResult result = NcclResult::kSuccess;
        if (own > 0)
            result = m_api.send(values + blocks.begin(ranks.rank), own, CommType::kFloat32, peer, ranks.comm, m_stream);
        if (blocks.count(peer) > 0 && !isError(result))
            result = m_api.recv(values + blocks.begin(peer), blocks.count(peer), CommType::kFloat32, peer, ranks.comm,
                                m_stream);
        return result;
    });
}

NcclResult NcclTreeSum::allReduce(std::span<float> values, const Ranks& ranks) {
    RINGSIDE_ASSERT((ranks.size & (ranks.size - 1)) == 0);
    if (ranks.size == 1 || values.empty()) return NcclResult::kSuccess;
    const Blocks blocks = blocksOf(values.size(), ranks.size);
    ranks.waitForResult(collectBlocks(values.data(), blocks, ranks));
    if (const std::size_t own = blocks.count(ranks.rank); own > 0)
        m_device.addInTree(m_memory, own, ranks.size, values.data() + blocks.begin(ranks.rank), m_stream);
    return exchangeSums(values.data(), blocks, ranks);
}

NcclResult NcclTreeSum::reduceScatter(std::span<const float> in, std::span<float> out, const Ranks& ranks) {
    RINGSIDE_ASSERT((ranks.size & (ranks.size - 1)) == 0);
    if (out.empty()) return NcclResult::kSuccess;
    if (ranks.size == 1) {
        if (in.data() != out.data()) m_device.copy(out.data(), in.data(), out.size_bytes(), m_stream);
        return NcclResult::kSuccess;
    }
    ranks.waitForResult(collectBlocks(in.data(), {out.size(), in.size()}, ranks));
    m_device.addInTree(m_memory, out.size(), ranks.size, out.data(), m_stream);
    return NcclResult::kSuccess;
}

}  // namespace ringside
