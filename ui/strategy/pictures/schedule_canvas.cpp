// SPDX-License-Identifier: GPL-3.0-or-later
#include "strategy/pictures/schedule_canvas.h"

#include <QPainter>
#include <algorithm>

#include "strategy/pictures/ink.h"
#include "strategy/pictures/schedule_motion.h"
#include "strategy/scene/strategy_sentences.h"
#include "theme/theme.h"
#include "theme/type_length.h"
#include "theme/work_colors.h"

namespace ringside {
namespace {

constexpr TypeLength kTitles{64}, kLabels{76}, kLegendHeight{18}, kLegendText{15};
constexpr TypePixels kMinSentence{90};
constexpr double kBetween = 10;
constexpr TypeLength kMinLane{10.5};
constexpr double kMaxLane = 36;
constexpr TypeLength kMinText{9};  // minimum height of a row in which the numbers of micro-batches are drawn

bool isForward(const LaneBlock& block) {
    return block.kind == LaneBlock::Kind::Forward;
}

}  // namespace

ScheduleCanvas::ScheduleCanvas(Theme& theme, QWidget* parent)
    : StrategyCanvas(QStringLiteral("scheduleCanvas"), theme, parent) {
    setAccessibleName(tr("The schedule as planned, and as the ranks ran it"));
}

int ScheduleCanvas::laneCount() const {
    int count = 0;
    for (const LaneGroup& group : m_groups) count += static_cast<int>(group.lanes.size());
    return count;
}

void ScheduleCanvas::sceneChanged() {
    m_groups = scheduleLanes(scene());
    setMinimumHeight(static_cast<int>(std::max(1, laneCount()) * kMinLane + kBetween + kLegendHeight));
}

void ScheduleCanvas::motionChanged() {
    m_moments = m_groups.empty() ? std::vector<std::optional<double>>() : laneMoments(scene(), m_groups.front());
}

void ScheduleCanvas::draw(QPainter& painter) {
    if (laneCount() == 0) return;
    const double room = height() - kLegendHeight - kBetween * static_cast<double>(m_groups.size() - 1);
    const double lane = std::clamp<double>(room / laneCount(), kMinLane, kMaxLane);
    double top = 0;
    for (const LaneGroup& group : m_groups) {
        drawGroup(painter, group, top, lane);
        top += lane * static_cast<double>(group.lanes.size()) + kBetween;
    }
    drawLegend(painter);
}

void ScheduleCanvas::drawGroup(QPainter& painter, const LaneGroup& group, double top, double laneHeight) {
    const ThemeColors& c = theme().colors();
    const double left = kTitles + kLabels - (scene().isSharded() && !scene().isPipeline() ? 0 : 48);
    const double wide = width() - left - 2;
    painter.setFont(theme().bodyFont());
    painter.setPen(c.muted);
    const double all = laneHeight * static_cast<double>(group.lanes.size());
    painter.drawText(QRectF(0, top, kTitles, all), Qt::AlignLeft | Qt::AlignVCenter, group.title);
    for (std::size_t i = 0; i < group.lanes.size(); ++i) {
        const QRectF row(left, top + static_cast<double>(i) * laneHeight, wide, laneHeight - (laneHeight > 14 ? 3 : 1));
        painter.setFont(theme().smallFont());
        painter.setPen(c.muted);
        const QRectF label(kTitles, row.top(), left - kTitles - 6, row.height());
        painter.drawText(
            label, Qt::AlignRight | Qt::AlignVCenter,
            painter.fontMetrics().elidedText(group.lanes[i].label, Qt::ElideMiddle, static_cast<int>(label.width())));
        std::vector<Identity> things;
        if (group.lanes[i].rank >= 0) things.push_back({IdentityKind::Rank, group.lanes[i].rank});
        if (group.step > 0) things.push_back({IdentityKind::Step, group.step});
        identify(QRectF(0, row.top(), width(), laneHeight), std::move(things));
        painter.fillRect(row, idleBrush(c));
        const double scale = group.end > 0 ? wide / group.end : 0;
        for (const LaneBlock& block : group.lanes[i].blocks)
            drawBlock(painter, block,
                      {left + block.begin * scale, row.top(), (block.end - block.begin) * scale, row.height()});
        if (&group == &m_groups.front()) drawNow(painter, group, i, row);
    }
}

// Draws the progress of a lane (row of blocks): future blocks are pale, the current block has a frame, and a line marks
// the present position.
void ScheduleCanvas::drawNow(QPainter& painter, const LaneGroup& group, std::size_t lane, const QRectF& row) const {
    if (lane >= m_moments.size() || !m_moments[lane] || group.end <= 0) return;
    const ThemeColors& c = theme().colors();
    const double now = *m_moments[lane], scale = row.width() / group.end;
    QColor veil = c.panel;
    veil.setAlphaF(0.72F);
    painter.setBrush(Qt::NoBrush);
    for (const LaneBlock& block : group.lanes[lane].blocks) {
        const QRectF box(row.left() + block.begin * scale, row.top(), (block.end - block.begin) * scale - 1,
                         row.height());
        if (block.begin > now) painter.fillRect(box, veil);
        if (block.begin > now || block.end <= now || block.kind == LaneBlock::Kind::Resident) continue;
        painter.setPen(QPen(c.text, 2));
        painter.drawRect(box.adjusted(1, 1, -1, -1));
    }
    const double x = row.left() + std::clamp(now, 0.0, group.end) * scale;
    painter.fillRect(QRectF(x - 1, row.top() - 1, 2, row.height() + 2), c.accent);
}

QColor ScheduleCanvas::colorOf(const LaneBlock& block) const {
    const ThemeColors& c = theme().colors();
    if (block.kind == LaneBlock::Kind::Moving) return movingColor();
    if (block.kind == LaneBlock::Kind::Resident) return mixedInk(c.panel, movingColor(), 0.28);
    const QColor color = block.microBatch >= 0 ? microBatchColor(block.microBatch) : memoryColor(0);
    if (isForward(block)) return paler(color, c);
    return block.kind == LaneBlock::Kind::Weights ? mixedInk(color, c.text, 0.25) : color;
}

void ScheduleCanvas::drawBlock(QPainter& painter, const LaneBlock& block, const QRectF& box) {
    const QRectF inside = box.adjusted(0, 0, box.width() > 4 ? -1 : 0, 0);
    const QColor color = colorOf(block);
    painter.fillRect(inside, color);
    explain(inside, block.what);
    if (block.text.isEmpty() || inside.width() < kMinText || inside.height() < 11) return;
    painter.setFont(theme().smallFont());
    if (painter.fontMetrics().horizontalAdvance(block.text) + 2 > inside.width()) return;
    painter.setPen(textColorOn(color));
    painter.drawText(inside, Qt::AlignCenter, block.text);
}

QString ScheduleCanvas::legendText() const {
    const bool ran = m_groups.size() > 1;
    const bool units = scene().isSharded() && !scene().isPipeline();
    QStringList words;
    if (scene().isPipeline())
        words << tr("Numbers and colours identify micro-batches") << tr("pale: forward") << tr("strong: backward");
    else if (units)
        words << (ran ? tr("Planned: one row per unit") : tr("One row per unit"))
              << tr("green: parameters gathered or gradients scattered") << tr("pale green: whole unit on each rank")
              << tr("hatched: unit not gathered, or idle");
    else
        words << tr("One row per rank");
    if (units && ran) words << tr("Ran: one row per rank");
    // The measured lanes contain only passes, so a rank also sends and updates weights in their hatched parts.
    if (ran)
        words << tr("hatched: neither forward nor backward");
    else if (!units)
        words << tr("hatched: idle");
    if (!m_groups.empty() && !m_groups.back().length.isEmpty()) words << m_groups.back().length;
    return words.join(QStringLiteral(" · "));
}

void ScheduleCanvas::drawLegend(QPainter& painter) {
    painter.setFont(theme().smallFont());
    painter.setPen(theme().colors().muted);
    const QString whole = legendText();
    const QString legend = painter.fontMetrics().elidedText(whole, Qt::ElideRight, width());
    const QRectF line(0, height() - kLegendText, width(), kLegendText);
    explain(line, whole + QLatin1Char('\n') + linksSentence(scene()));
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, legend);
    const int room = width() - painter.fontMetrics().horizontalAdvance(legend) - Theme::kSpace4;
    if (room < kMinSentence) return;
    painter.drawText(QRectF(0, line.top(), room, kLegendText), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(linksSentence(scene()), Qt::ElideRight, room));
}

}  // namespace ringside
