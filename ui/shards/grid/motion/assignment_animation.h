// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "shards/grid/picture/grid_geometry.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

// Times of an animation that shows how samples are assigned to ranks. Each visible cell has a card. The cards move in
// groups of one card per rank, one group after the other. Times are milliseconds since the start.
class AssignmentAnimation {
  public:
    static constexpr qint64 kMaxCards = 400;
    static constexpr double kTravelMs = 200;
    static constexpr double kQuickMs = 600;      // duration of all groups together in the quick animation, in
                                                 // milliseconds
    static constexpr double kSlowGroupMs = 900;  // duration of each group in the slow animation, in milliseconds

    enum class Speed { Quick, Slow };
    struct Card {
        GridCell cell;
        CellContent content;
    };

    AssignmentAnimation() = default;
    AssignmentAnimation(const ShardScene& scene, CellRange ranks, CellRange slots_, Speed speed);

    const std::vector<Card>& cards() const { return m_cards; }
    qint64 groupSize() const { return m_groupSize; }
    qint64 groupCount() const;
    double groupStart(qint64 group) const { return static_cast<double>(group) * m_interval; }
    double endMs() const { return m_cards.empty() ? 0 : groupStart(groupCount() - 1) + kTravelMs; }
    // Returns the number, from 0, of the group that is moving or has arrived last at this time; -1 before the start.
    qint64 groupAt(double ms) const;
    // Returns how far a card has moved at this time: 0 in the strip of the order, 1 at its rank.
    double travelled(std::size_t card, double ms) const;

  private:
    std::vector<Card> m_cards;
    qint64 m_groupSize = 1;
    double m_interval = 0;
};

}  // namespace ringside
