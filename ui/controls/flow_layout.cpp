// SPDX-License-Identifier: GPL-3.0-or-later
#include "controls/flow_layout.h"

#include <QWidget>
#include <algorithm>

namespace ringside {
namespace {

bool expands(const QLayoutItem& item) {
    return item.expandingDirections().testFlag(Qt::Horizontal);
}

// Returns the width that an item needs in a row: the minimum width of an item that expands, the preferred width of an
// item that does not.
int wantedWidth(const QLayoutItem& item) {
    return expands(item) ? item.minimumSize().width() : item.sizeHint().width();
}

int heightFor(const QLayoutItem& item, int width) {
    return item.hasHeightForWidth() ? item.heightForWidth(width) : item.sizeHint().height();
}

}  // namespace

FlowLayout::FlowLayout(QWidget* parent, int rowSpacing) : QLayout(parent), m_rowSpacing(rowSpacing) {
    setContentsMargins(0, 0, 0, 0);
}

FlowLayout::~FlowLayout() {
    qDeleteAll(m_items);
}

void FlowLayout::addItem(QLayoutItem* item) {
    m_items << item;
    invalidate();
}

QLayoutItem* FlowLayout::takeAt(int index) {
    return index >= 0 && index < m_items.size() ? m_items.takeAt(index) : nullptr;
}

QList<FlowLayout::Row> FlowLayout::rowsFor(int width) const {
    QList<Row> rows;
    int left = 0;  // width that remains in the last row, in pixels
    for (QLayoutItem* item : m_items) {
        if (item->isEmpty()) continue;
        const int own = std::max(std::min(wantedWidth(*item), width), item->minimumSize().width());
        if (rows.isEmpty() || own + spacing() > left) {
            rows << Row{};
            left = width + spacing();
        }
        rows.last().items << item;
        rows.last().widths << own;
        left -= own + spacing();
    }
    for (Row& row : rows) {
        int rest = width - spacing() * static_cast<int>(row.items.size() - 1);
        for (const int one : row.widths) rest -= one;
        auto many =
            static_cast<int>(std::ranges::count_if(row.items, [](const QLayoutItem* item) { return expands(*item); }));
        for (qsizetype at = 0; at < row.items.size(); ++at) {
            if (rest > 0 && expands(*row.items[at])) {
                const int more = rest / many--;
                row.widths[at] += more;
                rest -= more;
            }
            row.height = std::max(row.height, heightFor(*row.items[at], row.widths[at]));
        }
    }
    return rows;
}

int FlowLayout::heightOf(const QList<Row>& rows) const {
    int height = 0;
    for (const Row& row : rows) height += row.height;
    const int between = m_rowSpacing >= 0 ? m_rowSpacing : spacing();
    return height + between * std::max(0, static_cast<int>(rows.size()) - 1);
}

void FlowLayout::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    const QRect room = rect.marginsRemoved(contentsMargins());
    const QList<Row> rows = rowsFor(room.width());
    const int height = heightOf(rows);
    int top = room.top() + std::max(0, (room.height() - height) / 2);
    for (const Row& row : rows) {
        int left = room.left();
        for (qsizetype at = 0; at < row.items.size(); ++at) {
            const int own = std::min(row.height, heightFor(*row.items[at], row.widths[at]));
            row.items[at]->setGeometry(QRect(left, top + (row.height - own) / 2, row.widths[at], own));
            left += row.widths[at] + spacing();
        }
        top += row.height + (m_rowSpacing >= 0 ? m_rowSpacing : spacing());
    }
    if (height == m_height) return;
    m_height = height;
    update();  // informs the parent widget that the minimum height has changed
}

QSize FlowLayout::sizeHint() const {
    int width = 0, height = 0, many = 0;
    for (const QLayoutItem* item : m_items) {
        if (item->isEmpty()) continue;
        width += item->sizeHint().width();
        height = std::max(height, item->sizeHint().height());
        ++many;
    }
    const QMargins around = contentsMargins();
    return QSize(width + spacing() * std::max(0, many - 1), std::max(height, m_height)).grownBy(around);
}

QSize FlowLayout::minimumSize() const {
    int width = 0, height = 0;
    for (const QLayoutItem* item : m_items) {
        if (item->isEmpty()) continue;
        width = std::max(width, item->minimumSize().width());
        height = std::max(height, item->minimumSize().height());
    }
    return QSize(width, std::max(height, m_height)).grownBy(contentsMargins());
}

}  // namespace ringside
