// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/grid/motion/assignment_animation.h"

#include <algorithm>
#include <cmath>

namespace ringside {

AssignmentAnimation::AssignmentAnimation(const ShardScene& scene, CellRange ranks, CellRange slots_, Speed speed)
    : m_groupSize(scene.ranks()) {
    const ShardSpec& spec = scene.plan.spec();
    // The cards are sorted by slot (number of the sample within its rank) if every rank has its own order of samples;
    // otherwise by the position in the one order that is split over the ranks.
    const bool together = isReplicated(spec.kind) || spec.pitfalls.any();
    for (qint64 slot = slots_.first; slot < slots_.last; ++slot) {
        for (qint64 rank = ranks.first; rank < ranks.last; ++rank) {
            const CellContent content = cellContent(scene.plan, static_cast<int>(rank), slot);
            if (content.kind == CellKind::None) continue;
            m_cards.push_back({{static_cast<int>(rank), slot}, content});
        }
    }
    if (!together) {
        std::ranges::stable_sort(m_cards, {}, [](const Card& card) { return card.content.position; });
    }
    if (static_cast<qint64>(m_cards.size()) > kMaxCards) m_cards.resize(kMaxCards);
    m_groupSize = std::max<qint64>(1, std::min(m_groupSize, ranks.size()));
    const auto later = static_cast<double>(std::max<qint64>(1, groupCount() - 1));
    m_interval = speed == Speed::Slow ? kSlowGroupMs : std::min(kTravelMs / 2, (kQuickMs - kTravelMs) / later);
}

qint64 AssignmentAnimation::groupCount() const {
    return (static_cast<qint64>(m_cards.size()) + m_groupSize - 1) / m_groupSize;
}

qint64 AssignmentAnimation::groupAt(double ms) const {
    if (ms < 0 || m_cards.empty()) return -1;
    if (m_interval <= 0) return groupCount() - 1;
    return std::min(static_cast<qint64>(std::floor(ms / m_interval)), groupCount() - 1);
}

double AssignmentAnimation::travelled(std::size_t card, double ms) const {
    const double start = groupStart(static_cast<qint64>(card) / m_groupSize);
    return std::clamp((ms - start) / kTravelMs, 0.0, 1.0);
}

}  // namespace ringside
