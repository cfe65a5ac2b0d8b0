// SPDX-License-Identifier: GPL-3.0-or-later
#include "ranks/rank_strip_layout.h"

#include <algorithm>

#include "theme/theme.h"

namespace ringside {
namespace {

constexpr int kGap = Theme::kSpace2;

struct Size {
    int minimumWidth, height, mostRows;
};

constexpr Size kFull{210, 88, 1};
constexpr Size kCompact{132, 52, 2};
constexpr Size kMini{68, 34, 3};

int columnsOf(const Size& size, int width) {
    return std::max(1, (width + kGap) / (size.minimumWidth + kGap));
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
    layout.cardWidth = (width - (layout.columns - 1) * kGap) / layout.columns;
    layout.cardHeight = size->height;
    return layout;
}

QRect RankStripLayout::card(int rank) const {
    return {(rank % columns) * (cardWidth + kGap), (rank / columns) * (cardHeight + kGap), cardWidth, cardHeight};
}

int RankStripLayout::rankAt(const QPoint& point, int ranks) const {
    if (point.x() < 0 || point.y() < 0) return -1;
    const int column = point.x() / (cardWidth + kGap);
    const int rank = point.y() / (cardHeight + kGap) * columns + column;
    return column < columns && rank < ranks && card(rank).contains(point) ? rank : -1;
}

int RankStripLayout::height() const {
    return rows * cardHeight + (rows - 1) * kGap;
}

int RankStripLayout::visibleHeight() const {
    const int most = density == Density::Mini ? kMini.mostRows : rows;
    return std::min(rows, most) * (cardHeight + kGap) - kGap;
}

}  // namespace ringside
