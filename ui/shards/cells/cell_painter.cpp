// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/cells/cell_painter.h"

#include <QCoreApplication>
#include <algorithm>

#include "shards/scene/cell_text.h"
#include "theme/theme.h"

namespace ringside {
namespace {

constexpr double kCorner = 5, kChipCorner = 3;
constexpr double kChipPale = 0.78;  // share of the panel's colour that is mixed into the fill of a small card
constexpr double kOutline = 2;
constexpr int kMinIndexPixels = 8, kMinNamePixels = 9;
constexpr double kIndexMargin = 8;  // width of the left and right margin together, so that an index of seven digits
                                    // does not touch the border

QString translated(const char* text) {
    return QCoreApplication::translate("Grid", text);
}

// If the classes are named by their numbers, returns the name of the last class, which is the longest name. Otherwise
// returns an empty string.
QString lastClassNumbered(const ShardScene& scene) {
    const std::int64_t last = scene.data ? scene.data->classCount() - 1 : -1;
    if (last < 0 || scene.data->className(last) != std::to_string(last)) return {};
    return translated("class %1").arg(last);
}

}  // namespace

QColor CellPainter::textColor(CellKind kind) const {
    const ThemeColors& c = m_theme.colors();
    return kind == CellKind::Duplicate                                               ? c.warningText
           : kind == CellKind::DroppedByLoader || kind == CellKind::DroppedBySampler ? c.danger
                                                                                     : c.text;
}

QPen CellPainter::border(const CellContent& content, GridCell cell, double width) const {
    const ThemeColors& c = m_theme.colors();
    switch (content.kind) {
        case CellKind::Duplicate:
            return {c.warning, width + 1};
        case CellKind::DroppedByLoader:
        case CellKind::DroppedBySampler:
            return {c.danger, width, Qt::DashLine};
        case CellKind::Normal:
            return {m_colors.strongColor(cell.rank, cell.slot, content.sample), width};
        case CellKind::None:
            break;
    }
    return {Qt::NoPen};
}

void CellPainter::frame(QPainter& painter, const QRectF& rect, const QPen& pen, const QColor& fill, double inset,
                        double corner) const {
    if (ChipSheet::canCopyTo(painter)) return m_sheet.frame(painter, rect, pen, fill, inset, corner);
    painter.setPen(pen);
    painter.setBrush(fill);
    painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), corner, corner);
}

// Draws the index of a sample into a small cell: horizontally if it fits, otherwise vertically if it fits.
void CellPainter::stampNumber(QPainter& painter, const QRectF& rect, const CellContent& content) const {
    const QFont font = m_theme.smallFont();
    const QColor color = textColor(content.kind);
    const double width = m_sheet.width(painter, content.sample, font, color);
    const double height = font.pixelSize() + 3;
    if (width <= rect.width() - 3) {
        m_sheet.number(painter, rect, content.sample, font, color);
    } else if (width <= rect.height() - 3 && height <= rect.width() + 2) {
        m_sheet.number(painter, rect, content.sample, font, color, true);
    }
}

void CellPainter::card(QPainter& painter, const QRectF& rect, GridCell cell, bool withClass,
                       const QString& line) const {
    const CellContent content = cellContent(m_scene.plan, cell.rank, cell.slot);
    if (content.kind == CellKind::None) {
        return;
    }
    const double indexHeight = 14;
    const double classHeight = withClass ? 13 : 0;
    frame(painter, rect, border(content, cell, 1.5), m_theme.colors().panel, 1, kCorner);
    QRectF inner = rect.adjusted(4, 5, -4, -4);
    if (m_thumbnails.available()) {
        const double side = std::min(inner.width(), inner.height() - indexHeight - classHeight - 1);
        painter.drawImage(QRectF(inner.center().x() - side / 2, inner.top(), side, side),
                          m_thumbnails.image(content.sample));
        inner.setTop(inner.top() + side + 1);
    } else {
        inner.setTop(inner.center().y() - (indexHeight + classHeight) / 2);
    }
    drawIndex(painter, QRectF(rect.left(), inner.top(), rect.width(), indexHeight), content);
    if (withClass) {
        const bool dropped = content.kind == CellKind::DroppedByLoader || content.kind == CellKind::DroppedBySampler;
        const QString label = !line.isEmpty() ? line
                              : dropped       ? translated("dropped")
                                              : className(m_scene, content.sample);
        painter.setFont(m_theme.smallFont());
        const QString last = line.isEmpty() && !dropped ? lastClassNumbered(m_scene) : QString();
        const QString& widest = last.isEmpty() ? label : last;
        const bool fits = painter.fontMetrics().horizontalAdvance(widest) <= rect.width() - 6;
        painter.setPen(dropped ? m_theme.colors().danger : m_theme.colors().muted);
        const QRectF place(rect.left() + 3, inner.top() + indexHeight - 1, rect.width() - 6, classHeight);
        // If the longest class name, such as "class 832", does not fit, all cards show only the number of the class.
        const QString shorter = fits ? label : label.section(QLatin1Char(' '), -1);
        painter.drawText(place, Qt::AlignCenter,
                         painter.fontMetrics().elidedText(shorter, Qt::ElideRight, static_cast<int>(place.width())));
    }
}

// Draws the index of a sample, followed by "again" for a duplicate: "88 again". With little room, this text is smaller
// or without "again", because the outline of the card also shows that the sample is a duplicate.
void CellPainter::drawIndex(QPainter& painter, const QRectF& place, const CellContent& content) const {
    QFont font = indexFont(painter, place.width() - kIndexMargin, textColor(content.kind));
    if (content.kind == CellKind::Normal && ChipSheet::canCopyTo(painter)) {
        m_sheet.number(painter, place, content.sample, font, textColor(content.kind));
        return;
    }
    QString name = cellName(content);
    const auto fits = [&] { return QFontMetricsF(font).horizontalAdvance(name) <= place.width() - kIndexMargin / 2; };
    const QFont plain = font;
    while (!fits() && font.pixelSize() > kMinNamePixels) font.setPixelSize(font.pixelSize() - 1);
    if (!fits()) {
        name = QString::number(content.sample);
        font = plain;
    }
    painter.setFont(font);
    painter.setPen(textColor(content.kind));
    painter.drawText(place, Qt::AlignCenter, name);
}

// Returns the font of the indices on all cards: the largest one, up to the theme's small font, with which the largest
// index of the data set fits.
QFont CellPainter::indexFont(const QPainter& painter, double room, const QColor& color) const {
    QFont font = m_theme.smallFont();
    font.setWeight(QFont::DemiBold);
    const std::int64_t longest = std::max<std::int64_t>(0, m_scene.plan.spec().datasetSize - 1);
    const auto width = [&] {
        return ChipSheet::canCopyTo(painter) ? m_sheet.width(painter, longest, font, color)
                                             : QFontMetricsF(font).horizontalAdvance(QString::number(longest));
    };
    while (font.pixelSize() > kMinIndexPixels && width() > room) font.setPixelSize(font.pixelSize() - 1);
    return font;
}

void CellPainter::chip(QPainter& painter, const QRectF& rect, GridCell cell) const {
    const CellContent content = cellContent(m_scene.plan, cell.rank, cell.slot);
    if (content.kind == CellKind::None) {
        return;
    }
    const QColor strong = m_colors.strongColor(cell.rank, cell.slot, content.sample);
    const bool dropped = content.kind == CellKind::DroppedByLoader || content.kind == CellKind::DroppedBySampler;
    frame(painter, rect, border(content, cell, 1),
          dropped ? m_theme.colors().panel : mixed(strong, m_theme.colors().panel, kChipPale), 0.5, kChipCorner);
    if (ChipSheet::canCopyTo(painter)) {
        stampNumber(painter, rect, content);
        return;
    }
    const QString text = QString::number(content.sample);
    painter.setFont(m_theme.smallFont());
    painter.setPen(textColor(content.kind));
    const QSizeF size(painter.fontMetrics().horizontalAdvance(text), painter.fontMetrics().height());
    if (size.width() <= rect.width() - 3) {
        painter.drawText(rect, Qt::AlignCenter, text);
    } else if (size.width() <= rect.height() - 3 && size.height() <= rect.width() + 2) {
        painter.save();
        painter.translate(rect.center());
        painter.rotate(-90);
        painter.drawText(QRectF(-rect.height() / 2, -rect.width() / 2, rect.height(), rect.width()), Qt::AlignCenter,
                         text);
        painter.restore();
    }
}

void CellPainter::outline(QPainter& painter, const QRectF& rect, CellKind kind) const {
    const bool duplicate = kind == CellKind::Duplicate;
    painter.setPen(QPen(duplicate ? m_theme.colors().warning : m_theme.colors().danger, kOutline,
                        duplicate ? Qt::SolidLine : Qt::DotLine));
    painter.setBrush(duplicate ? QBrush(Qt::NoBrush) : QBrush(m_theme.colors().panel));
    painter.drawRect(rect.adjusted(kOutline / 2, kOutline / 2, -kOutline / 2, -kOutline / 2));
}

}  // namespace ringside
