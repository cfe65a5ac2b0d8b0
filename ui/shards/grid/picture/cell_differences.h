// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "shards/grid/picture/grid_geometry.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

// Cells in which two plans have different samples, or a sample that one plan trains and the other drops: one bit per
// cell, and running counts that give the exact number of differences under any pixel at any zoom.
class CellDifferences {
  public:
    CellDifferences() = default;
    // Compares two plans cell by cell. The object stays empty if *stop is set before the end.
    CellDifferences(const ShardScene& scene, const ShardPlan& other, const std::atomic<bool>& stop);

    bool differs(int rank, qint64 slot) const { return count(rank, {slot, slot + 1}) > 0; }
    qint64 count(int rank, CellRange span) const;  // returns the number of differences in a span, in constant time
    qint64 count() const { return m_total; }
    qint64 cells() const { return m_cells; }  // returns the number of cells with a sample

  private:
    qint64 before(int rank, qint64 slot) const;
    qint64 wordOf(int rank, qint64 slot) const { return rank * m_words + slot / 64; }

    int m_ranks = 0;
    qint64 m_columns = 0;
    qint64 m_words = 0;  // number of 64-bit words for the bits of one rank; they have at least one bit more than the
                         // rank has cells
    qint64 m_total = 0, m_cells = 0;
    std::vector<std::uint64_t> m_bits;
    std::vector<std::uint32_t> m_before;  // number of differing cells of a rank before each 64-bit word of the rank's
                                          // bits
};

}  // namespace ringside
