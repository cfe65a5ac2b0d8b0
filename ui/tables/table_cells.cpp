// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/table_cells.h"

#include <QPainter>

namespace ringside {

void TableCells::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const bool selected = option.state & QStyle::State_Selected;
    const QVariant ground = index.data(Qt::BackgroundRole), ink = index.data(Qt::ForegroundRole);
    const QVariant font = index.data(Qt::FontRole);
    if (selected)
        painter->fillRect(option.rect, option.palette.highlight());
    else if (ground.isValid())
        painter->fillRect(option.rect, ground.value<QBrush>());
    painter->setFont(font.isValid() ? font.value<QFont>() : option.font);
    painter->setPen(selected        ? option.palette.color(QPalette::HighlightedText)
                    : ink.isValid() ? ink.value<QBrush>().color()
                                    : option.palette.color(QPalette::Text));
    const QRect place = option.rect.adjusted(kMargin, 0, -kMargin, 0);
    const QString text = index.data().toString();
    const QFontMetrics metrics(painter->font());
    const bool fits =
        metrics.maxWidth() * text.size() <= place.width() || metrics.horizontalAdvance(text) <= place.width();
    bool number = false;
    if (m_numbers == Numbers::Right) text.toDouble(&number);
    const QVariant alignment = index.data(Qt::TextAlignmentRole);
    painter->drawText(
        place, alignment.isValid() ? alignment.toInt() : (number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter,
        fits ? text : metrics.elidedText(text, Qt::ElideRight, place.width()));
}

}  // namespace ringside
