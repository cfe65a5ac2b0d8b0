// SPDX-License-Identifier: GPL-3.0-or-later
#include "ranks/rank_card.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr int kEdge = 4;  // width of the strip in the rank's colour at the left edge of a card, in pixels

QColor colorOf(RankCard::Tone tone, const Theme& theme) {
    switch (tone) {
        case RankCard::Tone::Good:
            return theme.colors().goodText;
        case RankCard::Tone::Warning:
            return theme.colors().warningText;
        case RankCard::Tone::Danger:
            return theme.colors().danger;
        case RankCard::Tone::Plain:
            break;
    }
    return theme.colors().muted;
}

QPainterPath outlineOf(const QRect& rect) {
    QPainterPath path;
    path.addRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), Theme::kCorner, Theme::kCorner);
    return path;
}

QPixmap frameOf(QSize size, double ratio, const Theme& theme) {
    QPixmap frame(size * ratio);
    frame.setDevicePixelRatio(ratio);
    frame.fill(Qt::transparent);
    QPainter painter(&frame);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme.colors().border);
    painter.setBrush(theme.colors().panel);
    painter.drawPath(outlineOf(QRect(QPoint(), size)));
    return frame;
}

// Draws the phases of a step side by side: highlights the current phase, and marks the earlier phases as done.
void paintPhases(QPainter& painter, const QRectF& rect, const RankCard& card, const Theme& theme) {
    constexpr double kGap = 3;
    const double width = (rect.width() - kGap * (RankCard::kPhases - 1)) / RankCard::kPhases;
    painter.setPen(Qt::NoPen);
    for (int phase = 0; phase < RankCard::kPhases; ++phase) {
        QColor color = theme.rankColor(card.rank);
        if (phase > card.litPhase) color = theme.colors().grid;
        if (phase < card.litPhase) color.setAlphaF(0.35F);
        painter.setBrush(color);
        const double grown = phase == card.litPhase ? 1 : 0;
        const QRectF part(rect.left() + phase * (width + kGap), rect.top() - grown, width, rect.height() + 2 * grown);
        painter.drawRoundedRect(part, rect.height() / 2, rect.height() / 2);
    }
    painter.setBrush(Qt::NoBrush);
}

void paintBar(QPainter& painter, const QRectF& rect, const RankCard& card, const Theme& theme) {
    if (card.litPhase >= 0) return paintPhases(painter, rect, card, theme);
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

// Draws two texts on one line, at its left and right end. Shortens the left text if the two would overlap.
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

// Returns the title of the card. The name of the host or person comes before the rank, because people in a classroom
// know each other by name.
QString titleOf(const RankCard& card) {
    if (card.host.isEmpty()) return QObject::tr("Rank %1").arg(card.rank);
    return QObject::tr("%1 \u00b7 rank %2").arg(card.host).arg(card.rank);
}

void paintFull(QPainter& painter, const QRect& inner, const RankCard& card, const Theme& theme) {
    const ThemeColors& c = theme.colors();
    const QFont note = theme.smallFont();
    const QFont body = theme.bodyFont();
    const QRect first(inner.left(), inner.top() + 2, inner.width(), typeScaled(20));
    paintPair(painter, first, titleOf(card), card.mark, c.text, colorOf(card.tone, theme), semibold(body), note);
    paintPair(painter, first.translated(0, typeScaled(21)), card.line, {}, c.muted, c.muted, note, note);
    paintBar(painter, QRectF(inner.left(), inner.top() + typeScaled(48), inner.width(), 5), card, theme);
    paintPair(painter, first.translated(0, typeScaled(54)), card.phase, card.rate, c.muted, c.muted, note, note);
}

void paintCompact(QPainter& painter, const QRect& inner, const RankCard& card, const Theme& theme) {
    const ThemeColors& c = theme.colors();
    const QRect first(inner.left(), inner.top(), inner.width(), typeScaled(18));
    paintPair(painter, first, titleOf(card), card.mark, c.text, colorOf(card.tone, theme), semibold(theme.smallFont()),
              theme.smallFont());
    paintPair(painter, first.translated(0, typeScaled(17)), card.phase, card.loss, c.muted, c.muted, theme.smallFont(),
              theme.smallFont());
    paintBar(painter, QRectF(inner.left(), inner.top() + typeScaled(36), inner.width(), 4), card, theme);
}

void paintMini(QPainter& painter, const QRect& inner, const RankCard& card, const Theme& theme) {
    const ThemeColors& c = theme.colors();
    const QRect first(inner.left(), inner.top() - 1, inner.width(), typeScaled(16));
    paintPair(painter, first, QString::number(card.rank), card.loss, c.text, colorOf(card.tone, theme),
              semibold(theme.smallFont()), theme.smallFont());
    paintBar(painter, QRectF(inner.left(), inner.top() + typeScaled(18), inner.width(), 4), card, theme);
}

constexpr int kMiniLeft = kEdge + 5, kMiniRight = 6;

}  // namespace

bool RankCardPainter::fitsMini(const RankCard& card, int width, const Theme& theme) {
    constexpr int kRounding = 2;
    const QFontMetrics bold(semibold(theme.smallFont())), note(theme.smallFont());
    // Reserves at least the width of "0.0000" for the loss. With a narrower reserve, a card would show and hide its
    // loss in turn while the number of characters of the loss changes.
    const int loss = std::max(note.horizontalAdvance(card.loss), note.horizontalAdvance(QStringLiteral("0.0000")));
    const int rank = bold.horizontalAdvance(QString::number(card.rank));
    return rank + Theme::kSpace2 + loss + kRounding <= width - kMiniLeft - kMiniRight;
}

void RankCardPainter::paintFrame(QPainter& painter, const QRect& rect, const RankCard& card) {
    const double ratio = painter.device()->devicePixelRatioF();
    if (m_frame.size() != rect.size() * ratio) m_frame = frameOf(rect.size(), ratio, m_theme);
    painter.drawPixmap(rect.topLeft(), m_frame);
    const QPainterPath outline = outlineOf(rect);
    painter.save();
    painter.setClipRect(QRect(rect.left(), rect.top(), kEdge, rect.height()), Qt::IntersectClip);
    painter.fillPath(outline, m_theme.rankColor(card.rank));
    painter.restore();
    if (card.tone != RankCard::Tone::Danger) return;
    painter.setPen(m_theme.colors().danger);
    painter.drawPath(outline);
}

void RankCardPainter::paint(QPainter& painter, const QRect& rect, const RankCard& card,
                            RankStripLayout::Density density) {
    painter.setRenderHint(QPainter::Antialiasing);
    paintFrame(painter, rect, card);
    switch (density) {
        case RankStripLayout::Density::Full:
            return paintFull(painter, rect.adjusted(kEdge + 12, 7, -14, -7), card, m_theme);
        case RankStripLayout::Density::Compact:
            return paintCompact(painter, rect.adjusted(kEdge + 8, 5, -9, -5), card, m_theme);
        case RankStripLayout::Density::Mini:
            return paintMini(painter, rect.adjusted(kMiniLeft, 5, -kMiniRight, -5), card, m_theme);
    }
}

}  // namespace ringside
