// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "shards/loom/picture/loom_geometry.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

// Who travels when as the order is dealt to the ranks: one card for each cell in sight, in the order's own order, in
// groups of one card for each rank. Times are milliseconds since the deal began.
class Deal {
  public:
    static constexpr qint64 kMostCards = 400;
    static constexpr double kTravelMs = 200;
    static constexpr double kQuickMs = 600;      // all groups, when it only shows that the order changed
    static constexpr double kSlowGroupMs = 900;  // from group to group, when somebody explains it

    enum class Pace { Quick, Slow };
    struct Card {
        LoomCell cell;
        CellContent content;
    };

    Deal() = default;
    Deal(const ShardScene& scene, CellRange ranks, CellRange slots_, Pace pace);

    const std::vector<Card>& cards() const { return m_cards; }
    qint64 groupSize() const { return m_groupSize; }
    qint64 groupCount() const;
    double groupStart(qint64 group) const { return static_cast<double>(group) * m_interval; }
    double endMs() const { return m_cards.empty() ? 0 : groupStart(groupCount() - 1) + kTravelMs; }
    // The group that travels or has arrived last; -1 before the first.
    qint64 groupAt(double ms) const;
    // 0: still in the order, 1: at its rank; in between it is under way.
    double travelled(std::size_t card, double ms) const;

  private:
    std::vector<Card> m_cards;
    qint64 m_groupSize = 1;
    double m_interval = 0;
};

}  // namespace ringside
