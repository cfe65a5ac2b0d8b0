// SPDX-License-Identifier: GPL-3.0-or-later
#include "ranks/rank_card.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "theme/theme.h"

namespace ringside {
namespace {

constexpr int kEdge = 4;  // the rank's colour at the left

QColor colorOf(RankCard::Tone tone, const Theme& theme) {
    switch (tone) {
        case RankCard::Tone::Good:
            return theme.colors().goodText;
        case RankCard::Tone::Danger:
            return theme.colors().danger;
        case RankCard::Tone::Plain:
            break;
    }
    return theme.colors().muted;
}

void paintFrame(QPainter& painter, const QRect& rect, const RankCard& card, const Theme& theme) {
    const QRectF box = QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5);
    QPainterPath path;
    path.addRoundedRect(box, Theme::kCorner, Theme::kCorner);
    painter.fillPath(path, theme.colors().panel);
    painter.save();
    painter.setClipPath(path);
    painter.fillRect(QRect(rect.left(), rect.top(), kEdge, rect.height()), theme.rankColor(card.rank));
    painter.restore();
    painter.setPen(card.tone == RankCard::Tone::Danger ? theme.colors().danger : theme.colors().border);
    painter.drawPath(path);
}

void paintBar(QPainter& painter, const QRectF& rect, const RankCard& card, const Theme& theme) {
    const double radius = rect.height() / 2;
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.colors().grid);
    painter.drawRoundedRect(rect, radius, radius);
    const double filled = rect.width() * std::clamp(card.progress, 0.0, 1.0);
    if (filled > 0) {
        painter.setBrush(theme.rankColor(card.rank));
        painter.drawRoundedRect(QRectF(rect.left(), rect.top(), std::max(filled, rect.height()), rect.height()), radius,
                                radius);
    }
    painter.setBrush(Qt::NoBrush);
}

// Draws left and right text on one line; the left one is cut so that they never meet.
void paintPair(QPainter& painter, const QRect& line, const QString& left, const QString& right, const QColor& leftColor,
               const QColor& rightColor, const QFont& leftFont, const QFont& rightFont) {
    painter.setFont(rightFont);
    const int rightWidth = right.isEmpty() ? 0 : painter.fontMetrics().horizontalAdvance(right) + Theme::kSpace2;
    painter.setPen(rightColor);
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, right);
    painter.setFont(leftFont);
    painter.setPen(leftColor);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(left, Qt::ElideRight, line.width() - rightWidth));
}

QFont semibold(QFont font) {
    font.setWeight(QFont::DemiBold);
    return font;
}

void paintFull(QPainter& painter, const QRect& inner, const RankCard& card, const Theme& theme) {
    const ThemeColors& c = theme.colors();
    const QFont note = theme.noteFont();
    const QFont body = theme.bodyFont();
    const QRect first(inner.left(), inner.top() + 2, inner.width(), 20);
    paintPair(painter, first, QObject::tr("Rank %1").arg(card.rank), card.mark, c.text, colorOf(card.tone, theme),
              semibold(body), note);
    paintPair(painter, first.translated(0, 21), card.line, {}, c.muted, c.muted, note, note);
    paintBar(painter, QRectF(inner.left(), inner.top() + 48, inner.width(), 5), card, theme);
    paintPair(painter, first.translated(0, 54), card.phase, card.rate, c.muted, c.muted, note, note);
}

void paintCompact(QPainter& painter, const QRect& inner, const RankCard& card, const Theme& theme) {
    const ThemeColors& c = theme.colors();
    const QRect first(inner.left(), inner.top(), inner.width(), 18);
    paintPair(painter, first, QObject::tr("Rank %1").arg(card.rank), card.mark, c.text, colorOf(card.tone, theme),
              semibold(theme.noteFont()), theme.noteFont());
    paintPair(painter, first.translated(0, 17), card.phase, card.loss, c.muted, c.muted, theme.noteFont(),
              theme.noteFont());
    paintBar(painter, QRectF(inner.left(), inner.top() + 36, inner.width(), 4), card, theme);
}

void paintMini(QPainter& painter, const QRect& inner, const RankCard& card, const Theme& theme) {
    const ThemeColors& c = theme.colors();
    const QRect first(inner.left(), inner.top() - 1, inner.width(), 16);
    paintPair(painter, first, QString::number(card.rank), card.loss, c.text, colorOf(card.tone, theme),
              semibold(theme.noteFont()), theme.noteFont());
    paintBar(painter, QRectF(inner.left(), inner.top() + 18, inner.width(), 4), card, theme);
}

}  // namespace

void paintRankCard(QPainter& painter, const QRect& rect, const RankCard& card, RankStripLayout::Density density,
                   const Theme& theme) {
    painter.setRenderHint(QPainter::Antialiasing);
    paintFrame(painter, rect, card, theme);
    switch (density) {
        case RankStripLayout::Density::Full:
            return paintFull(painter, rect.adjusted(kEdge + 12, 7, -14, -7), card, theme);
        case RankStripLayout::Density::Compact:
            return paintCompact(painter, rect.adjusted(kEdge + 8, 5, -9, -5), card, theme);
        case RankStripLayout::Density::Mini:
            return paintMini(painter, rect.adjusted(kEdge + 5, 5, -6, -5), card, theme);
    }
}

}  // namespace ringside
