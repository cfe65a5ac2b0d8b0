// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRect>
#include <vector>

namespace ringside {

// Where the cards of the rank strip stand: one row of full cards when they fit, else two of compact, else mini cards.
struct RankStripLayout {
    enum class Density { Full, Compact, Mini };

    Density density = Density::Full;
    int columns = 1;
    int rows = 1;
    int cardWidth = 0;
    int cardHeight = 0;
    int gap = 0;             // between cards
    int caption = 0;         // height above each row, for the names of hosts
    std::vector<int> order;  // ranks by place; empty: as they are numbered

    // order: of ranks that stand together because they share a host; those have captions.
    static RankStripLayout of(int ranks, int width, std::vector<int> order = {});

    QRect card(int rank) const;
    QRect cardAt(int place) const;
    int rankAt(const QPoint& point, int ranks) const;  // -1 between the cards
    int height() const;
    int visibleHeight() const;  // what the window gives; the rest scrolls
};

}  // namespace ringside
