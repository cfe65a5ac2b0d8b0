// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/cell_painter.h"

#include <QCoreApplication>
#include <algorithm>

#include "theme/theme.h"

namespace ringside {
namespace {

constexpr double kCorner = 5;
constexpr double kOutline = 2;

QString translated(const char* text) {
    return QCoreApplication::translate("Loom", text);
}

}  // namespace

QString cellName(const CellContent& content) {
    const QString index = QString::number(content.sample);
    switch (content.kind) {
        case CellKind::Duplicate:
            return translated("%1 again").arg(index);
        case CellKind::DroppedBySampler:
        case CellKind::DroppedByLoader:
        case CellKind::Normal:
            return index;
        case CellKind::None:
            break;
    }
    return {};
}

QString className(const ShardScene& scene, std::int64_t sample) {
    if (!scene.data || scene.data->classCount() <= 0 || sample < 0) {
        return {};
    }
    const std::int64_t label = scene.data->label(sample);
    const std::string name = scene.data->className(label);
    return name == std::to_string(label) ? translated("class %1").arg(label) : QString::fromStdString(name);
}

QColor CellPainter::textColor(CellKind kind) const {
    const ThemeColors& c = m_theme.colors();
    return kind == CellKind::Duplicate                                               ? c.warningText
           : kind == CellKind::DroppedByLoader || kind == CellKind::DroppedBySampler ? c.danger
                                                                                     : c.text;
}

QPen CellPainter::border(const CellContent& content, LoomCell cell, double width) const {
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

void CellPainter::card(QPainter& painter, const QRectF& rect, LoomCell cell, bool withClass) const {
    const CellContent content = cellContent(m_scene.plan, cell.rank, cell.slot);
    if (content.kind == CellKind::None) {
        return;
    }
    const double indexHeight = 14;
    const double classHeight = withClass ? 13 : 0;
    painter.setPen(border(content, cell, 1.5));
    painter.setBrush(m_theme.colors().panel);
    painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), kCorner, kCorner);
    QRectF inner = rect.adjusted(4, 5, -4, -4);
    if (m_thumbnails.available()) {
        const double side = std::min(inner.width(), inner.height() - indexHeight - classHeight - 1);
        painter.drawImage(QRectF(inner.center().x() - side / 2, inner.top(), side, side),
                          m_thumbnails.image(content.sample));
        inner.setTop(inner.top() + side + 1);
    } else {
        inner.setTop(inner.center().y() - (indexHeight + classHeight) / 2);
    }
    QFont font = m_theme.noteFont();
    font.setWeight(QFont::DemiBold);
    QString name = cellName(content);
    const auto fits = [&] { return QFontMetricsF(font).horizontalAdvance(name) <= rect.width() - 4; };
    if (!fits()) {
        font.setPixelSize(font.pixelSize() - 1);
    }
    if (!fits()) {
        name = QString::number(content.sample);  // the outline says that it is a duplicate
    }
    painter.setFont(font);
    painter.setPen(textColor(content.kind));
    painter.drawText(QRectF(rect.left(), inner.top(), rect.width(), indexHeight), Qt::AlignCenter, name);
    if (withClass) {
        const bool dropped = content.kind == CellKind::DroppedByLoader || content.kind == CellKind::DroppedBySampler;
        const QString label = dropped ? translated("dropped") : className(m_scene, content.sample);
        painter.setFont(m_theme.noteFont());
        painter.setPen(dropped ? m_theme.colors().danger : m_theme.colors().muted);
        const QRectF line(rect.left() + 3, inner.top() + indexHeight - 1, rect.width() - 6, classHeight);
        painter.drawText(line, Qt::AlignCenter,
                         painter.fontMetrics().elidedText(label, Qt::ElideRight, static_cast<int>(line.width())));
    }
}

void CellPainter::chip(QPainter& painter, const QRectF& rect, LoomCell cell) const {
    const CellContent content = cellContent(m_scene.plan, cell.rank, cell.slot);
    if (content.kind == CellKind::None) {
        return;
    }
    const QColor strong = m_colors.strongColor(cell.rank, cell.slot, content.sample);
    const bool dropped = content.kind == CellKind::DroppedByLoader || content.kind == CellKind::DroppedBySampler;
    painter.setPen(border(content, cell, 1));
    painter.setBrush(dropped ? m_theme.colors().panel : mixed(strong, m_theme.colors().panel, 0.78));
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    const QString text = QString::number(content.sample);
    painter.setFont(m_theme.noteFont());
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
