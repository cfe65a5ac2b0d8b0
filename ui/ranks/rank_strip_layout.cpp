// SPDX-License-Identifier: GPL-3.0-or-later
#include "ranks/rank_strip_layout.h"

#include <algorithm>

#include "theme/theme.h"

namespace ringside {
namespace {

struct Size {
    int minimumWidth, height, mostRows, gap;
};

constexpr Size kFull{210, 88, 1, Theme::kSpace2};
constexpr Size kCompact{132, 52, 2, Theme::kSpace2};
constexpr Size kMini{52, 34, 3, Theme::kSpace1};  // 64 ranks in sight from 1280 pixels on

int columnsOf(const Size& size, int width) {
    return std::max(1, (width + size.gap) / (size.minimumWidth + size.gap));
}
int rowsOf(int ranks, int columns) {
    return (ranks + columns - 1) / columns;
}

}  // namespace

RankStripLayout RankStripLayout::of(int ranks, int width) {
    RankStripLayout layout;
    const Size* size = &kMini;
    layout.density = Density::Mini;
    if (ranks <= columnsOf(kFull, width)) {
        size = &kFull;
        layout.density = Density::Full;
    } else if (rowsOf(ranks, columnsOf(kCompact, width)) <= kCompact.mostRows) {
        size = &kCompact;
        layout.density = Density::Compact;
    }
    layout.rows = std::max(1, rowsOf(ranks, columnsOf(*size, width)));
    layout.columns = std::max(1, rowsOf(ranks, layout.rows));  // even rows
    layout.gap = size->gap;
    layout.cardWidth = (width - (layout.columns - 1) * layout.gap) / layout.columns;
    layout.cardHeight = size->height;
    return layout;
}

QRect RankStripLayout::card(int rank) const {
    return {(rank % columns) * (cardWidth + gap), (rank / columns) * (cardHeight + gap), cardWidth, cardHeight};
}

int RankStripLayout::rankAt(const QPoint& point, int ranks) const {
    if (point.x() < 0 || point.y() < 0) return -1;
    const int column = point.x() / (cardWidth + gap);
    const int rank = point.y() / (cardHeight + gap) * columns + column;
    return column < columns && rank < ranks && card(rank).contains(point) ? rank : -1;
}

int RankStripLayout::height() const {
    return rows * cardHeight + (rows - 1) * gap;
}

int RankStripLayout::visibleHeight() const {
    const int most = density == Density::Mini ? kMini.mostRows : rows;
    return std::min(rows, most) * (cardHeight + gap) - gap;
}

}  // namespace ringside
