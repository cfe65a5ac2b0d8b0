// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRect>

namespace ringside {

// Where the cards of the rank strip stand: one row of full cards when they fit, else two of compact, else mini cards.
struct RankStripLayout {
    enum class Density { Full, Compact, Mini };

    Density density = Density::Full;
    int columns = 1;
    int rows = 1;
    int cardWidth = 0;
    int cardHeight = 0;
    int gap = 0;  // between cards

    static RankStripLayout of(int ranks, int width);

    QRect card(int rank) const;
    int rankAt(const QPoint& point, int ranks) const;  // -1 between the cards
    int height() const;
    int visibleHeight() const;  // what the window gives; the rest scrolls
};

}  // namespace ringside
