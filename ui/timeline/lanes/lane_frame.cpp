// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/lanes/lane_frame.h"

#include <QLocale>
#include <QObject>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "telemetry/data/missing_ranks.h"
#include "theme/phase_colors.h"
#include "theme/theme.h"
#include "theme/type_length.h"
#include "words/phase_text.h"

namespace ringside {
namespace {

constexpr TypeLength kTickRoom{90};  // minimum distance between two labels of the axis, in pixels
constexpr double kMinArrow = 10;     // minimum length of a wait for which an arrow is drawn, in pixels
constexpr std::size_t kMaxArrows = 400;

double niceStep(double least) {
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (const double times : {1.0, 2.0, 5.0})
        if (power * times >= least) return power * times;
    return power * 10;
}

QString axisText(double ns, double every) {
    if (every < 1e4) return QObject::tr("%1 \u00b5s").arg(ns / 1e3, 0, 'f', every < 1e3 ? 1 : 0);
    return QObject::tr("%1 ms").arg(ns / 1e6, 0, 'f', every < 1e5 ? 2 : every < 1e6 ? 1 : 0);
}

QString stepLabel(std::int64_t step) {
    return QObject::tr("step %1").arg(QLocale().toString(static_cast<qlonglong>(step)));
}

QString gapText(const LaneClock::Stretch& stretch) {
    if (stretch.untraced == 1) return QObject::tr("1 step not traced");
    if (stretch.untraced > 1)
        return QObject::tr("%1 steps not traced").arg(QLocale().toString(static_cast<qlonglong>(stretch.untraced)));
    const double ms = static_cast<double>(stretch.cutNs) / 1e6;
    if (stretch.afterPause)
        return ms >= 1000 ? QObject::tr("paused for %1 s").arg(ms / 1000, 0, 'f', 1)
                          : QObject::tr("paused for %1").arg(millisecondsText(ms));
    return ms >= 1000 ? QObject::tr("%1 s between steps").arg(ms / 1000, 0, 'f', 1)
                      : QObject::tr("%1 between steps").arg(millisecondsText(ms));
}

}  // namespace

double busyMs(const RankTrace& rank) {
    std::int64_t sum = 0;
    for (int phase = 0; phase < kPhaseCount; ++phase) {
        const auto which = static_cast<Phase>(phase);
        if (!isCommunication(which) && which != Phase::kIdle && which != Phase::kPaused)
            sum += timeOf(rank.times, which);
    }
    return static_cast<double>(sum) / 1e6;
}

void LaneFrame::paintBehind() {
    paintNames();
    m_painter.save();
    m_painter.setClipRect(QRectF(m_geometry.area.left(), 0, m_geometry.area.width(), m_geometry.area.height() + 40));
    paintChosen();
    paintAxis();
    paintCuts();
    m_painter.restore();
}

void LaneFrame::paintBefore() {
    m_painter.save();
    m_painter.setClipRect(QRectF(m_geometry.area.left(), 0, m_geometry.area.width(), m_geometry.lowest()));
    paintCutTexts(true);
    paintArrows();
    m_painter.restore();
}

void LaneFrame::paintNames() {
    std::vector<double> busy;
    if (const TracedStep* step = m_model.shownStep())
        for (const RankTrace& rank : step->ranks) busy.push_back(busyMs(rank));
    // longest working time of a rank, drawn in another colour if it exceeds 1.3 times the median; -1: none
    double busiest = -1;
    if (busy.size() > 1) {
        const double most = *std::ranges::max_element(busy);
        const auto middle = busy.begin() + static_cast<std::ptrdiff_t>(busy.size() / 2);
        std::ranges::nth_element(busy, middle);
        if (most > 1.3 * *middle) busiest = most;
    }
    for (std::size_t index = 0; index < m_geometry.ranks.size(); ++index) paintName(index, busiest);
    paintHosts();
}

// Draws the name of each host, with a line, above the lanes of its ranks.
void LaneFrame::paintHosts() {
    for (const HostGroup& group : hostGroups(m_model.run())) {
        const int index = m_geometry.indexOf(group.ranks.front());
        if (index < 0) continue;
        const QRectF row = m_geometry.row(static_cast<std::size_t>(index));
        if (index > 0) {
            m_painter.setPen(QPen(m_theme.colors().border, 1));
            m_painter.drawLine(QPointF(0, row.top()), QPointF(m_geometry.area.right(), row.top()));
        }
        if (m_geometry.bar(static_cast<std::size_t>(index)).top() - row.top() < 9) continue;
        m_painter.setFont(m_theme.smallFont());
        m_painter.setPen(m_theme.colors().muted);
        paintLink(group, row);
        const QString name = group.name();
        const double kRoom = LanesGeometry::kNames - 8;
        m_painter.drawText(QRectF(4, row.top() + 1, kRoom, 13), Qt::AlignLeft | Qt::AlignVCenter,
                           m_painter.fontMetrics().elidedText(name, Qt::ElideRight, static_cast<int>(kRoom)));
    }
}

// Draws the state of a host's network link at the top of the lanes, beside the name of the host, because there is no
// room below it.
void LaneFrame::paintLink(const HostGroup& group, const QRectF& row) {
    if (group.link.isEmpty()) return;
    m_painter.setFont(m_theme.smallFont());
    m_painter.setPen(group.slow ? m_theme.colors().warningText : m_theme.colors().muted);
    const QRectF room(m_geometry.area.left() + 4, row.top() - 1, m_geometry.area.width() - 8, 12);
    m_painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                       m_painter.fontMetrics().elidedText(group.link, Qt::ElideRight, static_cast<int>(room.width())));
}

// Returns the status of a rank as text. If the run is paused: the phase after which it is paused. In slow motion: the
// current phase. Otherwise: the working time of the rank in the step.
QString LaneFrame::statusOf(int rank) const {
    const RunData& run = m_model.run();
    const auto at = static_cast<std::size_t>(rank);
    if (m_model.isLive() && at < run.ranks().size()) {
        if (const std::optional<Phase> after = pausedPhase(run.pauses()))
            return QObject::tr("after %1").arg(phaseTelemetryName(*after));
        if (run.showsPhases() && run.ranks()[at].slowPhase)
            return QObject::tr("now %1").arg(phaseText(*run.ranks()[at].slowPhase));
        if (run.pauses().rate() > 0 && run.ranks()[at].phase)
            return QObject::tr("now %1").arg(phaseText(*run.ranks()[at].phase));
    }
    const TracedStep* step = m_model.shownStep();
    if (step == nullptr || !step->ranks[at].known) return {};
    return QObject::tr("%1 busy").arg(millisecondsText(busyMs(step->ranks[at])));
}

void LaneFrame::paintName(std::size_t index, double busiest) {
    const ThemeColors& c = m_theme.colors();
    const int rank = m_geometry.ranks[index];
    const QRectF row = m_geometry.row(index), bar = m_geometry.bar(index);
    m_painter.fillRect(QRectF(0, bar.top(), 3, bar.height()), m_theme.rankColor(rank));
    const RunData& run = m_model.run();
    const auto at = static_cast<std::size_t>(rank);
    const double markLeft = LanesGeometry::kNames - 4 - LanesGeometry::kPhaseMark;
    if (m_model.isLive() && run.showsPhases() && at < run.ranks().size() && run.ranks()[at].slowPhase)
        fillPhase(m_painter, QRectF(markLeft, bar.top(), LanesGeometry::kPhaseMark, bar.height()),
                  *run.ranks()[at].slowPhase, m_theme, 2);
    QFont bold = m_theme.bodyFont();
    bold.setWeight(QFont::DemiBold);
    if (row.height() < 18) bold.setPixelSize(std::max(8, static_cast<int>(row.height()) - 3));
    m_painter.setFont(bold);
    m_painter.setPen(c.text);
    const bool two = row.height() >= 36;
    const QRectF name(10, bar.top(), markLeft - 12, bar.height());
    m_painter.drawText(two ? name.adjusted(0, 0, 0, -bar.height() / 2) : name, Qt::AlignLeft | Qt::AlignVCenter,
                       QObject::tr("Rank %1").arg(rank));
    if (!two) return;
    const TracedStep* step = m_model.shownStep();
    const bool late = busiest > 0 && step != nullptr && busyMs(step->ranks[static_cast<std::size_t>(rank)]) >= busiest;
    m_painter.setFont(m_theme.smallFont());
    m_painter.setPen(late ? c.warningText : c.muted);
    m_painter.drawText(name.adjusted(0, bar.height() / 2, 0, 4), Qt::AlignLeft | Qt::AlignVCenter, statusOf(rank));
}

void LaneFrame::paintChosen() {
    if (!m_model.chosenStep() || m_model.trace() == nullptr) return;
    const TracedStep* step = m_model.trace()->find(*m_model.chosenStep());
    if (step == nullptr) return;
    const double from = x(step->beginNs), to = x(step->endNs);
    m_painter.fillRect(QRectF(from, 0, std::max(to - from, 2.0), m_geometry.lowest()), m_theme.colors().accentSoft);
    m_painter.fillRect(QRectF(from, 0, std::max(to - from, 2.0), 2), m_theme.colors().accent);
}

// Draws the time axis. In each stretch (part of the axis without a shortened gap), time is counted from the start of
// its first visible step.
void LaneFrame::paintAxis() {
    const ThemeColors& c = m_theme.colors();
    m_painter.setFont(m_theme.smallFont());
    const double every = niceStep(kTickRoom / m_geometry.pixelsPerNs());
    const double top = m_geometry.lowest();
    double free = 0;
    const auto insight = m_model.visibleSteps();
    for (const LaneClock::Stretch& stretch : m_model.clock().stretches()) {
        if (m_geometry.xOf(stretch.shownEnd()) < m_geometry.area.left()) continue;
        if (m_geometry.xOf(stretch.shown) > m_geometry.area.right()) break;
        const TracedStep* first = m_model.trace()->find(std::max(stretch.firstStep, insight.first));
        const double origin = first == nullptr ? stretch.shown : m_model.clock().shownAt(first->beginNs);
        const double last = std::min(stretch.shownEnd(), m_geometry.left + m_geometry.span);
        // A stretch shorter than the distance between two labels gets only one label, the number of its step.
        const bool isShort = first != nullptr && stretch.shownEnd() - origin < every;
        const double skipped = std::max(0.0, std::floor((m_geometry.left - origin) / every));
        for (double at = skipped * every; origin + at <= last; at += every) {
            const double pixel = m_geometry.xOf(origin + at);
            if (pixel < m_geometry.area.left() - 1) continue;
            m_painter.fillRect(QRectF(pixel, 0, 1, top), c.grid);
            const QString text = isShort ? stepLabel(first->step) : axisText(at, every);
            const double width = m_painter.fontMetrics().horizontalAdvance(text);
            const double left = std::max(pixel - width / 2, m_geometry.area.left());
            if (left < free || left + width > m_geometry.area.right()) continue;
            m_painter.setPen(c.muted);
            m_painter.drawText(QPointF(left, top + 17), text);
            free = left + width + Theme::kSpace2;
        }
    }
}

// Returns the left and right end of the gap before a stretch; empty if it is not visible or too narrow to be marked.
std::optional<std::pair<double, double>> LaneFrame::cutBefore(std::size_t stretch) const {
    const auto& stretches = m_model.clock().stretches();
    const double from = m_geometry.xOf(stretches[stretch - 1].shownEnd()),
                 to = m_geometry.xOf(stretches[stretch].shown);
    if (to < m_geometry.area.left() || from > m_geometry.area.right() || to - from < 8) return {};
    return std::pair(from, to);
}

void LaneFrame::paintCuts() {
    const ThemeColors& c = m_theme.colors();
    for (std::size_t i = 1; i < m_model.clock().stretches().size(); ++i) {
        const auto cut = cutBefore(i);
        if (!cut) continue;
        const double middle = (cut->first + cut->second) / 2;
        m_painter.setPen(QPen(c.muted, 1, Qt::DotLine));
        m_painter.drawLine(QPointF(middle, 4), QPointF(middle, m_geometry.lowest() - 4));
    }
    paintCutTexts(false);
}

// Writes the length of each gap into the gap. ofPauses: true for pauses within a step, which the bars of all ranks
// cover, so that their texts are painted after the bars; false for all other gaps.
void LaneFrame::paintCutTexts(bool ofPauses) {
    const ThemeColors& c = m_theme.colors();
    m_painter.setFont(m_theme.smallFont());
    const auto& stretches = m_model.clock().stretches();
    for (std::size_t i = 1; i < stretches.size(); ++i) {
        const auto cut = cutBefore(i);
        if (!cut || stretches[i].afterPause != ofPauses) continue;
        const QString text = gapText(stretches[i]);
        const double width = m_painter.fontMetrics().horizontalAdvance(text) + 8.0;
        const double middle = (cut->first + cut->second) / 2;
        if (m_geometry.lowest() < width + 16 || cut->second - cut->first < 14) continue;
        if (middle - 8 < m_geometry.area.left()) continue;
        m_painter.save();
        m_painter.translate(middle, m_geometry.lowest() / 2);
        m_painter.rotate(-90);
        if (ofPauses) {
            m_painter.fillRect(QRectF(-width / 2, -6, width, 12), phaseColor(Phase::kPaused, m_theme));
        } else {
            m_painter.fillRect(QRectF(-width / 2, -8, width, 16), c.panel);
        }
        m_painter.setPen(c.muted);
        m_painter.drawText(QRectF(-width / 2, -8, width, 16), Qt::AlignCenter, text);
        m_painter.restore();
    }
}

// Draws arrows from the rank that arrived last at a collective to the ranks that waited for this rank: at most
// kMaxArrows (400) arrows, for waits of at least kMinArrow (10) pixels.
void LaneFrame::paintArrows() {
    const auto [first, last] = m_model.partlyVisibleSteps();
    if (first == 0) return;
    const double least = kMinArrow / m_geometry.pixelsPerNs();
    if (m_model.clock().stepLength() < 4 * least) return;
    const QColor color = m_theme.colors().warning;
    std::size_t drawn = 0;
    const auto& steps = m_model.trace()->steps();
    for (auto step = steps.find(first); step != steps.upper_bound(last); ++step) {
        for (const LaneArrow& arrow : laneArrows(step->second)) {
            const int from = m_geometry.indexOf(arrow.from), to = m_geometry.indexOf(arrow.to);
            if (from < 0 || to < 0 || static_cast<double>(arrow.ns - arrow.sinceNs) < least) continue;
            if (++drawn > kMaxArrows) return;
            const bool down = to > from;
            const QRectF source = m_geometry.bar(static_cast<std::size_t>(from));
            const QRectF target = m_geometry.bar(static_cast<std::size_t>(to));
            const QPointF begin(x(arrow.ns), down ? source.bottom() : source.top());
            const QPointF end(x(arrow.ns) + 1, down ? target.top() : target.bottom());
            const double bend = 9;
            QPainterPath path(begin);
            path.cubicTo(begin + QPointF(bend, (end.y() - begin.y()) / 3),
                         end + QPointF(bend, (begin.y() - end.y()) / 3), end);
            m_painter.setPen(QPen(color, 1.4));
            m_painter.setBrush(Qt::NoBrush);
            m_painter.drawPath(path);
            const double tip = down ? -7 : 7;
            m_painter.setPen(Qt::NoPen);
            m_painter.setBrush(color);
            m_painter.drawPolygon(QPolygonF({end, end + QPointF(-2, tip), end + QPointF(5, tip)}));
        }
    }
}

}  // namespace ringside
