// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/lanes/lane_painter.h"

#include <QObject>
#include <QPolygonF>
#include <algorithm>

#include "theme/phase_colors.h"
#include "theme/theme.h"
#include "timeline/model/phase_columns.h"
#include "words/phase_text.h"

namespace ringside {
namespace {

constexpr double kStepApart = 30;  // minimum width of a step, in pixels, at which its spans are drawn separately
constexpr double kSpanApart = 1;   // least distance of two spans at which they are drawn separately, in pixels
constexpr double kTick = 4;
constexpr double kCorner = 2;

// Draws a text only if it fits completely, because a truncated label could be read as another word.
bool drawIfFits(QPainter& painter, const QRectF& rect, const QString& text) {
    if (painter.fontMetrics().horizontalAdvance(text) + 2 * Theme::kSpace2 > rect.width()) return false;
    painter.drawText(rect, Qt::AlignCenter, text);
    return true;
}

QString waitText(const LaneSpan& span) {
    const QString length = millisecondsText(static_cast<double>(span.endNs - span.beginNs) / 1e6);
    return span.waitsFor < 0 ? QObject::tr("waits %1").arg(length)
                             : QObject::tr("waits %1 for rank %2").arg(length).arg(span.waitsFor);
}

}  // namespace

void LanePainter::paint() {
    const auto [first, last] = m_model.partlyVisibleSteps();
    m_painter.save();
    m_painter.setClipRect(QRectF(m_geometry.area.left(), 0, m_geometry.area.width(), m_geometry.lowest()));
    if (first > 0) {
        const auto& steps = m_model.trace()->steps();
        const auto count = static_cast<double>(std::distance(steps.find(first), steps.upper_bound(last)));
        const double pixels = m_model.clock().stepLength() * m_geometry.pixelsPerNs();
        if (pixels < kStepApart && count > 4) {
            paintStacks(first, last);
        } else {
            for (auto step = steps.find(first); step != steps.upper_bound(last); ++step) paintStep(step->second);
        }
    }
    paintOpen();
    m_painter.restore();
}

void LanePainter::paintStacks(std::int64_t first, std::int64_t last) {
    const auto& steps = m_model.trace()->steps();
    const auto from = steps.find(first), to = steps.upper_bound(last);
    for (std::size_t index = 0; index < m_geometry.ranks.size(); ++index) {
        const auto rank = static_cast<std::size_t>(m_geometry.ranks[index]);
        const QRectF bar = m_geometry.bar(index);
        PhaseColumns columns(static_cast<int>(bar.width()));
        for (auto step = from; step != to; ++step) {
            const RankTrace& trace = step->second.ranks[rank];
            if (!trace.known) continue;
            const double begin = x(trace.beginNs) - bar.left();
            const double scale = m_geometry.pixelsPerNs();
            if (static_cast<double>(trace.endNs - trace.beginNs) * scale < 1) {
                for (const Phase phase : kStackedPhases)
                    columns.add(static_cast<int>(begin), phase, static_cast<double>(timeOf(trace.times, phase)));
                continue;
            }
            for (const Span& span : trace.spans)
                columns.spread(begin + static_cast<double>(span.beginNs - trace.beginNs) * scale,
                               begin + static_cast<double>(span.endNs - trace.beginNs) * scale, span.phase,
                               static_cast<double>(span.endNs - span.beginNs));
        }
        m_painter.drawImage(bar.toAlignedRect().topLeft(), columns.draw(static_cast<int>(bar.height()), 0, m_theme));
    }
}

void LanePainter::paintStep(const TracedStep& step) {
    for (std::size_t index = 0; index < m_geometry.ranks.size(); ++index) {
        if (step.ranks[static_cast<std::size_t>(m_geometry.ranks[index])].spans.empty()) continue;
        paintLane(step, index);
        paintCollectives(step, index);
    }
}

void LanePainter::paintLane(const TracedStep& step, std::size_t index) {
    const QRectF bar = m_geometry.bar(index);
    for (const LaneSpan& span : laneSpans(step, static_cast<std::size_t>(m_geometry.ranks[index])))
        paintSpan(span, bar);
}

void LanePainter::paintSpan(const LaneSpan& span, const QRectF& bar) {
    const double from = std::max(x(span.beginNs), bar.left() - 4);
    const double to = std::min(x(span.endNs), bar.right() + 4);
    if (to <= from) return;
    const double apart = to - from > 3 ? kSpanApart : 0;
    const QRectF rect(from, bar.top(), std::max(to - from - apart, 0.6), bar.height());
    fillPhase(m_painter, rect, span.phase, m_theme, kCorner);
    paintLabel(span, rect.intersected(m_geometry.area));
}

void LanePainter::paintLabel(const LaneSpan& span, const QRectF& rect) {
    if (rect.height() < 14 || rect.width() < 24) return;
    const bool waits = span.phase == Phase::kWaiting;
    m_painter.setFont(m_theme.smallFont());
    const QString length = millisecondsText(static_cast<double>(span.endNs - span.beginNs) / 1e6);
    const QString name = span.layer >= 0 ? QObject::tr("%1, layer %2").arg(phaseText(span.phase)).arg(span.layer)
                                         : phaseText(span.phase);
    const QStringList texts =
        waits ? QStringList{waitText(span), length} : QStringList{QStringLiteral("%1  %2").arg(name, length), name};
    for (const QString& text : texts) {
        const double width = m_painter.fontMetrics().horizontalAdvance(text) + 2.0 * Theme::kSpace2;
        if (width > rect.width()) continue;
        if (waits) {  // plain background, because the hatching would make the text hard to read
            QRectF plate(0, 0, width, std::min(18.0, rect.height()));
            plate.moveCenter(rect.center());
            m_painter.setPen(Qt::NoPen);
            m_painter.setBrush(phaseColor(Phase::kWaiting, m_theme));
            m_painter.drawRoundedRect(plate, kCorner, kCorner);
        }
        m_painter.setPen(onPhaseColor(span.phase, m_theme));
        drawIfFits(m_painter, rect, text);
        return;
    }
}

// Draws a mark below the bar where a bucket was ready, and a line for the transfer of the bucket.
void LanePainter::paintCollectives(const TracedStep& step, std::size_t index) {
    const int rank = m_geometry.ranks[index];
    const QRectF bar = m_geometry.bar(index);
    const double room = m_geometry.row(index).bottom() - bar.bottom();
    if (room < 2 * kTick + 2) return;
    double free = 0;  // right edge of the previous label, in pixels
    for (const CollectiveSpan& one : step.ranks[static_cast<std::size_t>(rank)].collectives) {
        if (one.lastNs >= 0) {
            const double from = x(std::max(one.lastNs, one.arrivedNs)), to = x(one.endedNs);
            m_painter.fillRect(QRectF(from, bar.bottom() + 1.5, std::max(to - from, 1.0), 2.5),
                               phaseColor(Phase::kMoving, m_theme));
        }
        const QPointF tip(x(one.readyNs), bar.bottom() + 4);
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(m_theme.rankColor(rank));
        m_painter.drawPolygon(QPolygonF({tip, tip + QPointF(-kTick, 1.6 * kTick), tip + QPointF(kTick, 1.6 * kTick)}));
        const int bucket = bucketOf(step, one);
        if (bucket < 0 || room < 16 || tip.x() < bar.left()) continue;
        m_painter.setFont(m_theme.smallFont());
        const QString text = QObject::tr("bucket %1 ready").arg(bucket);
        const double width = m_painter.fontMetrics().horizontalAdvance(text);
        const double stepEnd = x(step.ranks[static_cast<std::size_t>(rank)].endNs);
        const double end = tip.x() + kTick + 4 + width;
        const auto& all = step.ranks[static_cast<std::size_t>(rank)].collectives;
        const bool crossed = std::ranges::any_of(all, [&](const CollectiveSpan& other) {
            return x(other.readyNs) > tip.x() && x(other.readyNs) - kTick < end;
        });
        if (crossed || tip.x() < free || end > std::max(stepEnd, tip.x())) continue;
        m_painter.setPen(m_theme.colors().muted);
        m_painter.drawText(QPointF(tip.x() + kTick + 4, bar.bottom() + 4 + 2 * kTick), text);
        free = end + 4;
    }
}

// Draws the last known phase of each rank after the last step of a stalled or failed run.
void LanePainter::paintOpen() {
    for (const OpenSpan& span : m_model.openSpans()) {
        const int index = m_geometry.indexOf(span.rank);
        if (index < 0) continue;
        const QRectF bar = m_geometry.bar(static_cast<std::size_t>(index));
        const double from = x(span.beginNs), to = x(span.endNs);
        const QRectF rect(from + 1, bar.top(), std::max(to - from - 1, 2.0), bar.height());
        fillPhase(m_painter, rect, span.phase, m_theme, kCorner);
        m_painter.setPen(QPen(m_theme.colors().danger, 1.5, Qt::DashLine));
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawRoundedRect(rect, kCorner, kCorner);
        const QString seconds = QString::number(static_cast<double>(span.endNs - span.beginNs) / 1e9, 'f', 1);
        QStringList ranks;
        for (const int rank : span.waitsFor) ranks << QString::number(rank);
        QString text = span.phase == Phase::kIdle ? QObject::tr("no report for %1 s").arg(seconds)
                       : ranks.isEmpty()
                           ? QObject::tr("last known phase: %1, for %2 s").arg(phaseText(span.phase), seconds)
                           : QObject::tr("waits for rank %1, for %2 s").arg(ranks.join(QStringLiteral(", ")), seconds);
        m_painter.setFont(m_theme.smallFont());
        const auto widthOf = [&] { return m_painter.fontMetrics().horizontalAdvance(text) + 2.0 * Theme::kSpace2; };
        if (widthOf() > rect.width()) text = QObject::tr("%1 s").arg(seconds);
        const double width = widthOf();
        if (rect.height() < 12 || width > rect.width()) continue;
        QRectF plate(0, 0, width, std::min(18.0, rect.height()));
        plate.moveCenter(rect.center());
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(phaseColor(span.phase, m_theme));
        m_painter.drawRoundedRect(plate, kCorner, kCorner);
        m_painter.setPen(onPhaseColor(span.phase, m_theme));
        m_painter.drawText(rect, Qt::AlignCenter, text);
    }
}

}  // namespace ringside
