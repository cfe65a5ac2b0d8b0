// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/cells/chip_sheet.h"

#include <QFontMetricsF>
#include <QPaintEngine>
#include <cmath>

namespace ringside {
namespace {

QPixmap blank(QSizeF size, double ratio) {
    QPixmap pixmap((size * ratio).toSize().expandedTo(QSize(1, 1)));
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    return pixmap;
}

// Rounds the position of a copied image to whole device pixels, because the image would be blurred at other positions.
QPointF snapped(QPointF point, double ratio) {
    return {std::round(point.x() * ratio) / ratio, std::round(point.y() * ratio) / ratio};
}

}  // namespace

bool ChipSheet::canCopyTo(const QPainter& painter) {
    return painter.paintEngine() != nullptr && painter.paintEngine()->type() == QPaintEngine::Raster;
}

void ChipSheet::frame(QPainter& painter, const QRectF& rect, const QPen& pen, const QColor& fill, double inset,
                      double corner) {
    const double ratio = painter.device()->devicePixelRatioF();
    const QSizeF size(std::round(rect.width() * ratio) / ratio, std::round(rect.height() * ratio) / ratio);
    const FrameKey key{pen.color().rgba(),
                       fill.rgba(),
                       pen.widthF(),
                       static_cast<int>(pen.style()),
                       static_cast<int>(size.width() * ratio),
                       static_cast<int>(size.height() * ratio)};
    QPixmap& made = m_frames[key];
    if (made.isNull()) {
        made = blank(size, ratio);
        QPainter own(&made);
        own.setRenderHint(QPainter::Antialiasing);
        own.setPen(pen);
        own.setBrush(fill);
        own.drawRoundedRect(QRectF(QPointF(), size).adjusted(inset, inset, -inset, -inset), corner, corner);
    }
    painter.drawPixmap(snapped(rect.topLeft(), ratio), made);
}

const ChipSheet::Digits& ChipSheet::digits(const QPainter& painter, const QFont& font, const QColor& color) {
    const double ratio = painter.device()->devicePixelRatioF();
    Digits& made = m_digits[{font.pixelSize(), font.weight(), color.rgba()}];
    if (made.height > 0) return made;
    const QFontMetricsF metrics(font);
    made.height = std::ceil(metrics.height());
    for (std::size_t digit = 0; digit < made.level.size(); ++digit) {
        const QString text = QString::number(digit);
        made.advance[digit] = metrics.horizontalAdvance(text);
        made.level[digit] = blank({std::ceil(made.advance[digit]) + 1, made.height}, ratio);
        QPainter own(&made.level[digit]);
        own.setFont(font);
        own.setPen(color);
        own.drawText(QPointF(0, metrics.ascent()), text);
        own.end();
        made.upright[digit] = made.level[digit].transformed(QTransform().rotate(-90));
        made.upright[digit].setDevicePixelRatio(ratio);
    }
    return made;
}

double ChipSheet::width(const QPainter& painter, qint64 number, const QFont& font, const QColor& color) {
    const Digits& parts = digits(painter, font, color);
    double total = 0;
    for (const char digit : QByteArray::number(number)) total += parts.advance[static_cast<std::size_t>(digit - '0')];
    return total;
}

void ChipSheet::number(QPainter& painter, const QRectF& rect, qint64 number, const QFont& font, const QColor& color,
                       bool upright) {
    const Digits& parts = digits(painter, font, color);
    const double ratio = painter.device()->devicePixelRatioF();
    const QByteArray text = QByteArray::number(number);
    const double total = width(painter, number, font, color);
    // position of the next digit: y of its bottom edge if upright, otherwise the negated x of its left edge
    double at = (upright ? rect.center().y() : -rect.center().x()) + total / 2;
    for (const char one : text) {
        const auto digit = static_cast<std::size_t>(one - '0');
        const double next = at - parts.advance[digit];
        const double wide = parts.level[digit].width() / ratio;
        const QPointF place = upright ? QPointF(rect.center().x() - parts.height / 2, at - wide)
                                      : QPointF(-at, rect.center().y() - parts.height / 2);
        painter.drawPixmap(snapped(place, ratio), upright ? parts.upright[digit] : parts.level[digit]);
        at = next;
    }
}

}  // namespace ringside
