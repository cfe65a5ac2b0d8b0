// SPDX-License-Identifier: GPL-3.0-or-later
#include "ranks/rank_strip_layout.h"

#include <algorithm>
#include <utility>

#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

struct Size {
    TypePixels minimumWidth, height;
    int maxRows, gap;
};

constexpr Size kFull{TypePixels{210}, TypePixels{88}, 1, Theme::kSpace2};
constexpr Size kCompact{TypePixels{132}, TypePixels{52}, 2, Theme::kSpace2};
constexpr Size kMini{
    TypePixels{52}, TypePixels{34}, 3,
    Theme::kSpace1};  // with these sizes, 64 mini cards fit without scrolling into a window that is 1280 pixels wide

int columnsOf(const Size& size, int width) {
    return std::max(1, (width + size.gap) / (size.minimumWidth + size.gap));
}
int rowsOf(int ranks, int columns) {
    return (ranks + columns - 1) / columns;
}

}  // namespace

RankStripLayout RankStripLayout::of(int ranks, int width, std::vector<int> order, Density largest) {
    constexpr TypePixels kCaption{15};
    RankStripLayout layout;
    layout.caption = order.empty() ? 0 : int(kCaption);
    layout.order = std::move(order);
    const Size* size = &kMini;
    layout.density = Density::Mini;
    if (largest == Density::Full && ranks <= columnsOf(kFull, width)) {
        size = &kFull;
        layout.density = Density::Full;
    } else if (rowsOf(ranks, columnsOf(kCompact, width)) <= kCompact.maxRows) {
        size = &kCompact;
        layout.density = Density::Compact;
    }
    layout.rows = std::max(1, rowsOf(ranks, columnsOf(*size, width)));
    // all rows have the same number of cards, except perhaps the last
    layout.columns = std::max(1, rowsOf(ranks, layout.rows));
    layout.gap = size->gap;
    layout.cardWidth = (width - (layout.columns - 1) * layout.gap) / layout.columns;
    layout.cardHeight = size->height;
    return layout;
}

QRect RankStripLayout::cardAt(int place) const {
    return {(place % columns) * (cardWidth + gap), (place / columns) * (caption + cardHeight + gap) + caption,
            cardWidth, cardHeight};
}

QRect RankStripLayout::card(int rank) const {
    const auto found = std::ranges::find(order, rank);
    return cardAt(found == order.end() ? rank : static_cast<int>(found - order.begin()));
}

int RankStripLayout::rankAt(const QPoint& point, int ranks) const {
    if (point.x() < 0 || point.y() < 0) return -1;
    const int column = point.x() / (cardWidth + gap);
    const int place = point.y() / (caption + cardHeight + gap) * columns + column;
    if (column >= columns || place >= ranks || !cardAt(place).contains(point)) return -1;
    return static_cast<std::size_t>(place) < order.size() ? order[static_cast<std::size_t>(place)] : place;
}

int RankStripLayout::height() const {
    return rows * (caption + cardHeight) + (rows - 1) * gap;
}

int RankStripLayout::visibleHeight() const {
    const int most = density == Density::Mini ? kMini.maxRows : rows;
    return std::min(rows, most) * (caption + cardHeight + gap) - gap;
}

}  // namespace ringside
