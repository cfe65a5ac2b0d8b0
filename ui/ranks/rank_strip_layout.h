// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRect>
#include <vector>

namespace ringside {

// Layout of the cards in the rank strip: one row of full cards if they fit; if not, two rows of compact cards; if these
// do not fit, rows of mini cards.
struct RankStripLayout {
    enum class Density { Full, Compact, Mini };

    Density density = Density::Full;
    int columns = 1;
    int rows = 1;
    int cardWidth = 0;
    int cardHeight = 0;
    int gap = 0;             // space between cards, in pixels
    int caption = 0;         // height of the line with the hosts' names above each row, in pixels; 0: none
    std::vector<int> order;  // rank at each position of the strip; empty: ranks in ascending order

    // `order`: ranks grouped by host, for a layout with captions; empty: no captions. `largest`: largest kind of card
    // to use, such as Density::Compact in a low window.
    static RankStripLayout of(int ranks, int width, std::vector<int> order = {}, Density largest = Density::Full);

    QRect card(int rank) const;
    QRect cardAt(int place) const;
    int rankAt(const QPoint& point, int ranks) const;  // returns the rank of the card at the point; -1 if there is none
    int height() const;
    int visibleHeight() const;  // returns the height of the visible part; the rest scrolls
};

}  // namespace ringside
