// SPDX-License-Identifier: GPL-3.0-or-later
#include "replicas/ring_picture.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr TypeLength kRankNames{64};   // width of the column with the names of the ranks
constexpr TypeLength kPartTitles{24};  // height of the line with the titles of the parts
constexpr TypeLength kArrows{80};      // width of the column with the labels of the transfers
constexpr TypeLength kMaxRow{84};
constexpr TypeLength kTwoLines{38};  // a part of at least this height shows two values; a smaller part shows one value

QString valueText(double value) {
    return QString::number(value, 'g', 4);
}

}  // namespace

RingPicture::RingPicture(const Theme& theme, QWidget* parent) : Picture(theme, parent) {
    setObjectName(QStringLiteral("ringPicture"));
    setAccessibleName(tr("Ring all-reduce"));
}

void RingPicture::setSteps(std::optional<RingSteps> steps, std::int64_t step) {
    m_trained = step;
    m_steps = std::move(steps);
    m_step = m_steps ? std::min(m_step, m_steps->steps()) : 0;
    update();
}

void RingPicture::setStep(int step) {
    m_step = m_steps ? std::clamp(step, 0, m_steps->steps()) : 0;
    update();
}

std::vector<Identity> RingPicture::identitiesAt(const QPoint& point) const {
    std::vector<Identity> found;
    if (!m_steps) return found;
    for (int rank = 0; rank < m_steps->ranks(); ++rank) {
        const QRectF row = cellOf(rank, 0);
        if (point.y() >= row.top() && point.y() < row.bottom()) found.push_back({IdentityKind::Rank, rank});
    }
    found.push_back({IdentityKind::Step, m_trained});
    return found;
}

QRectF RingPicture::cellOf(int rank, int part) const {
    const int n = m_steps->ranks();
    const double wide = (width() - kRankNames - kArrows) / n;
    const double high = std::min<double>(kMaxRow, (height() - kPartTitles) / n);
    return QRectF(kRankNames + part * wide, kPartTitles + rank * high, wide, high).adjusted(3, 3, -3, -3);
}

// Draws one part of a rank's bucket. The more ranks its sum contains, the stronger is the colour.
void RingPicture::paintPart(QPainter& painter, int rank, int part) const {
    const ThemeColors& c = theme().colors();
    const RingSteps::Part& shown = m_steps->part(m_step, rank, part);
    const bool whole = shown.ranks == m_steps->ranks();
    const QRectF cell = cellOf(rank, part);
    QColor fill = whole ? c.good : c.accent;
    fill.setAlphaF(whole ? 0.22F
                         : 0.06F + 0.16F * static_cast<float>(shown.ranks - 1) / static_cast<float>(m_steps->ranks()));
    painter.setBrush(fill);
    painter.setPen(QPen(shown.leaves    ? c.accent
                        : shown.arrived ? c.warning
                                        : c.border,
                        shown.leaves || shown.arrived ? 2 : 1));
    painter.drawRoundedRect(cell, Theme::kCorner, Theme::kCorner);
    painter.setPen(c.text);
    painter.setFont(theme().smallFont());
    QStringList lines;
    for (const double value : shown.values) lines << valueText(value);
    if (cell.height() < kTwoLines) lines = lines.mid(0, 1);
    QString text = lines.join(QLatin1Char('\n'));
    if (cell.height() >= kTwoLines + 16)
        text += QLatin1Char('\n') + (whole              ? tr("all ranks")
                                     : shown.ranks == 1 ? tr("1 rank")
                                                        : tr("%1 ranks").arg(shown.ranks));
    painter.drawText(cell, Qt::AlignCenter, text);
}

// Draws the label of the rank's next transfer beside its row, such as "part 2 → rank 1".
void RingPicture::paintArrow(QPainter& painter, int rank) const {
    const int part = m_steps->sentPart(m_step, rank);
    if (part < 0) return;
    const QRectF cell = cellOf(rank, m_steps->ranks() - 1);
    const QRectF place(cell.right() + 8, cell.top(), kArrows - 8, cell.height());
    painter.setPen(theme().colors().muted);
    const bool fits = cell.height() >= 2 * painter.fontMetrics().lineSpacing();
    const QString text = fits ? tr("part %1\n\u2192 rank %2").arg(part) : tr("\u2192 rank %1");
    painter.drawText(place, Qt::AlignVCenter | Qt::AlignLeft, text.arg((rank + 1) % m_steps->ranks()));
}

void RingPicture::paintEvent(QPaintEvent*) {
    if (!m_steps) return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(theme().smallFont());
    for (int part = 0; part < m_steps->ranks(); ++part) {
        painter.setPen(theme().colors().muted);
        const QRectF cell = cellOf(0, part);
        painter.drawText(QRectF(cell.left(), 0, cell.width(), kPartTitles), Qt::AlignCenter, tr("part %1").arg(part));
    }
    for (int rank = 0; rank < m_steps->ranks(); ++rank) {
        const QRectF row = cellOf(rank, 0);
        painter.fillRect(QRectF(0, row.top(), 4, row.height()), theme().rankColor(rank));
        painter.setPen(theme().colors().text);
        painter.setFont(theme().smallFont());
        painter.drawText(QRectF(10, row.top(), kRankNames - 10, row.height()), Qt::AlignVCenter,
                         tr("rank %1").arg(rank));
        for (int part = 0; part < m_steps->ranks(); ++part) paintPart(painter, rank, part);
        paintArrow(painter, rank);
    }
}

}  // namespace ringside
