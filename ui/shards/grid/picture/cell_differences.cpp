// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/grid/picture/cell_differences.h"

#include <algorithm>
#include <bit>

namespace ringside {
namespace {

struct Use {
    std::int64_t sample = -1;  // number of the sample, or -1 for a cell without a sample
    bool isTrained = false;    // false if the sampler or the loader drops the sample
    bool operator==(const Use&) const = default;
};

Use useAt(const ShardPlan& plan, int rank, qint64 slot) {
    if (rank >= plan.spec().worldSize) return {};
    if (slot < plan.samplesOf(rank)) return {plan.index(rank, slot), slot < plan.trainedOf(rank)};
    return {cellContent(plan, rank, slot).sample, false};
}

}  // namespace

CellDifferences::CellDifferences(const ShardScene& scene, const ShardPlan& other, const std::atomic<bool>& stop)
    : m_ranks(scene.ranks()), m_columns(scene.columns()), m_words(scene.columns() / 64 + 1) {
    m_bits.resize(static_cast<std::size_t>(m_ranks * m_words));
    m_before.resize(m_bits.size());
    for (int rank = 0; rank < m_ranks && !stop; ++rank) {
        std::uint32_t found = 0;
        for (qint64 slot = 0; slot < m_words * 64; ++slot) {
            const auto word = static_cast<std::size_t>(wordOf(rank, slot));
            if (slot % 64 == 0) m_before[word] = found;
            const Use use = slot < m_columns ? useAt(scene.plan, rank, slot) : Use();
            if (use.sample < 0) continue;
            ++m_cells;
            if (use == useAt(other, rank, slot)) continue;
            m_bits[word] |= std::uint64_t{1} << (slot % 64);
            ++found;
        }
        m_total += found;
    }
    if (stop) *this = {};
}

qint64 CellDifferences::before(int rank, qint64 slot) const {
    const auto word = static_cast<std::size_t>(wordOf(rank, slot));
    const std::uint64_t earlier = m_bits[word] & ((std::uint64_t{1} << (slot % 64)) - 1);
    return static_cast<qint64>(m_before[word]) + std::popcount(earlier);
}

qint64 CellDifferences::count(int rank, CellRange span) const {
    if (rank < 0 || rank >= m_ranks) return 0;
    const qint64 first = std::clamp<qint64>(span.first, 0, m_columns);
    const qint64 last = std::clamp<qint64>(span.last, first, m_columns);
    return before(rank, last) - before(rank, first);
}

}  // namespace ringside
