// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/mistakes/overlap_matrix.h"

#include <QLocale>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "shards/cells/cell_colors.h"
#include "shards/scene/sentence_text.h"
#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr TypeLength kNames{22};  // width and height of the rank numbers above and at the left of the matrix
constexpr double kLargestCell = 64;
constexpr TypeLength kMinForNumbers{20};

}  // namespace

OverlapMatrix::OverlapMatrix(Theme& theme, QWidget* parent) : Picture(theme, parent) {
    setObjectName(QStringLiteral("overlapMatrix"));
    setAccessibleName(tr("Samples that ranks share"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void OverlapMatrix::setMistakeEffect(const AssignmentEffects& effects) {
    m_effects = effects;
    update();
}

double OverlapMatrix::pitch() const {
    const double room = std::min(width(), height()) - kNames;
    return std::min(kLargestCell, room / static_cast<double>(std::max<std::int64_t>(1, m_effects.ranks)));
}

QRectF OverlapMatrix::grid() const {
    const double side = pitch() * static_cast<double>(m_effects.ranks);
    return {kNames, kNames, side, side};
}

std::int64_t OverlapMatrix::shared(std::int64_t a, std::int64_t b) const {
    return m_effects.overlap[static_cast<std::size_t>(a * m_effects.ranks + b)];
}

void OverlapMatrix::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_effects.overlap.empty()) {
        painter.setPen(theme().colors().muted);
        painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap,
                         m_effects.ranks > 0 ? tr("Too many samples to show a matrix") : QString());
        return;
    }
    for (std::int64_t a = 0; a < m_effects.ranks; ++a) {
        for (std::int64_t b = 0; b < m_effects.ranks; ++b) drawCell(painter, a, b);
    }
    drawNames(painter);
}

// Draws a cell: a deeper red means that the ranks share a larger part of their samples. The depth is the square root of
// this part, so that a few shared samples are visible.
void OverlapMatrix::drawCell(QPainter& painter, std::int64_t a, std::int64_t b) const {
    const ThemeColors& c = theme().colors();
    const double side = pitch();
    const double gap = side >= 8 ? 2 : side >= 4 ? 1 : 0;
    const QRectF cell(kNames + static_cast<double>(b) * side, kNames + static_cast<double>(a) * side, side - gap,
                      side - gap);
    const auto own = static_cast<double>(std::max<std::int64_t>(1, shared(a, a)));
    const double part = std::sqrt(std::min(1.0, static_cast<double>(shared(a, b)) / own));
    const bool diagonal = a == b;
    painter.fillRect(cell, diagonal            ? theme().rankColor(static_cast<int>(a))
                           : shared(a, b) == 0 ? c.grid
                                               : mixed(c.danger, c.panel, 0.85 * (1 - part)));
    if (side < kMinForNumbers) return;
    QFont font = theme().smallFont();
    const QString text = groupedNumber(shared(a, b));
    while (QFontMetricsF(font).horizontalAdvance(text) > cell.width() - 2 && font.pixelSize() > 7) {
        font.setPixelSize(font.pixelSize() - 1);
    }
    if (QFontMetricsF(font).horizontalAdvance(text) > cell.width()) return;
    painter.setFont(font);
    const QColor back = diagonal ? theme().rankColor(static_cast<int>(a)) : mixed(c.danger, c.panel, 0.85 * (1 - part));
    painter.setPen(shared(a, b) == 0 ? c.muted : qGray(back.rgb()) > 128 ? QColor(Qt::black) : QColor(Qt::white));
    painter.drawText(cell, Qt::AlignCenter, text);
}

void OverlapMatrix::drawNames(QPainter& painter) const {
    const double side = pitch();
    const auto every = static_cast<std::int64_t>(std::ceil(18 / side));
    painter.setFont(theme().smallFont());
    painter.setPen(theme().colors().muted);
    for (std::int64_t rank = 0; rank < m_effects.ranks; rank += every) {
        const double at = kNames + static_cast<double>(rank) * side;
        painter.drawText(QRectF(at - 10, 0, side + 20, kNames - 4), Qt::AlignCenter, groupedNumber(rank));
        painter.drawText(QRectF(0, at - 4, kNames - 6, side + 8), Qt::AlignRight | Qt::AlignVCenter,
                         groupedNumber(rank));
    }
}

std::optional<std::pair<std::int64_t, std::int64_t>> OverlapMatrix::ranksAt(QPointF point) const {
    if (m_effects.overlap.empty() || !grid().contains(point)) return {};
    const auto rankAt = [&](double place) {
        return std::min<std::int64_t>(static_cast<std::int64_t>((place - kNames) / pitch()), m_effects.ranks - 1);
    };
    return std::pair(rankAt(point.y()), rankAt(point.x()));
}

std::vector<Identity> OverlapMatrix::identitiesAt(const QPoint& point) const {
    const auto ranks = ranksAt(point);
    if (!ranks) return {};
    std::vector<Identity> found{{IdentityKind::Rank, ranks->first}};
    if (ranks->second != ranks->first) found.push_back({IdentityKind::Rank, ranks->second});
    return found;
}

Picture::Tip OverlapMatrix::tipAt(const QPoint& point) const {
    const auto ranks = ranksAt(point);
    if (!ranks)
        return {tr("Number of samples that two ranks have in common; the diagonal shows the samples of each rank")};
    const auto [a, b] = *ranks;
    if (a == b) return {tr("Rank %1 trains on %2 distinct samples").arg(groupedNumber(a), groupedNumber(shared(a, a)))};
    const QString pair = tr("Ranks %1 and %2 have %3 samples in common")
                             .arg(groupedNumber(a), groupedNumber(b), groupedNumber(shared(a, b)));
    if (m_effects.expectedOverlap < 0) return {pair};
    return {tr("%1; %2 by chance").arg(pair, QLocale().toString(m_effects.expectedOverlap, 'f', 1))};
}

}  // namespace ringside
