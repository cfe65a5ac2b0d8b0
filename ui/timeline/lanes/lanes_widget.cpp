// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/lanes/lanes_widget.h"

#include <QKeyEvent>
#include <QLocale>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "models/rank_hosts.h"
#include "theme/theme.h"
#include "timeline/lanes/lane_frame.h"
#include "timeline/lanes/lane_painter.h"
#include "words/field_text.h"
#include "words/phase_text.h"

namespace ringside {
namespace {

constexpr double kZoomPerKey = 1.5;
constexpr double kPanPerKey = 0.2;

}  // namespace

LanesWidget::LanesWidget(TimelineModel& model, const Theme& theme, QWidget* parent)
    : Picture(theme, parent), m_model(model) {
    setObjectName(QStringLiteral("timelineLanesArea"));
    setAccessibleName(tr("Activity of each rank on a common clock"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    for (const auto signal : {&TimelineModel::dataChanged, &TimelineModel::viewChanged, &TimelineModel::choiceChanged})
        connect(&model, signal, this, qOverload<>(&QWidget::update));
}

std::vector<int> LanesWidget::shownRanks() const {
    std::vector<int> ranks;
    const int count = m_model.ranks();
    if (count <= kMaxLanes) {
        for (const HostGroup& group : hostGroups(m_model.run()))
            ranks.insert(ranks.end(), group.ranks.begin(), group.ranks.end());
        if (std::ssize(ranks) == count) return ranks;
        ranks.clear();
        for (int rank = 0; rank < count; ++rank) ranks.push_back(rank);
        return ranks;
    }
    ranks.push_back(m_model.chosenRank());
    const int worst = m_model.latestRank();
    if (worst >= 0 && worst != ranks.front()) ranks.push_back(worst);
    return ranks;
}

LanesGeometry LanesWidget::geometryOfLanes() const {
    return {QSizeF(size()), shownRanks(), m_model.left(), m_model.span()};
}

void LanesWidget::paintEvent(QPaintEvent*) {
    if (m_model.trace() == nullptr) return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const LanesGeometry geometry = geometryOfLanes();
    LaneFrame frame(painter, m_model, geometry, theme());
    frame.paintBehind();
    LanePainter(painter, m_model, geometry, theme()).paint();
    frame.paintBefore();
    if (!hasFocus()) return;
    painter.setPen(theme().colors().accent);
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), Theme::kCorner, Theme::kCorner);
}

const TracedStep* LanesWidget::stepAt(QPointF at) const {
    if (m_model.trace() == nullptr) return nullptr;
    const std::int64_t ns = m_model.clock().timeAt(geometryOfLanes().shownAt(at.x()));
    const TracedStep* step = m_model.trace()->at(ns);
    return step != nullptr && ns >= step->beginNs && ns <= step->endNs ? step : nullptr;
}

std::vector<Identity> LanesWidget::identitiesAt(const QPoint& point) const {
    std::vector<Identity> found;
    const TracedStep* step = stepAt(point);
    const LanesGeometry geometry = geometryOfLanes();
    const auto row = static_cast<std::size_t>(std::max(0.0, point.y() / geometry.pitch()));
    const int rank = row < geometry.ranks.size() ? geometry.ranks[row] : -1;
    if (step != nullptr && rank >= 0) {
        const std::int64_t ns = m_model.clock().timeAt(geometry.shownAt(point.x()));
        for (const CollectiveSpan& one : step->ranks[static_cast<std::size_t>(rank)].collectives) {
            if (ns >= one.readyNs && ns <= one.endedNs)
                found.push_back({IdentityKind::Collective, one.number, step->step});
        }
    }
    if (step != nullptr) found.push_back({IdentityKind::Step, step->step});
    if (rank >= 0) found.push_back({IdentityKind::Rank, rank});
    if (step != nullptr) found.push_back({IdentityKind::Epoch, step->epoch});
    return found;
}

void LanesWidget::chooseStepAt(QPointF at) {
    const LanesGeometry geometry = geometryOfLanes();
    const auto row = static_cast<int>(at.y() / geometry.pitch());
    if (row >= 0 && row < static_cast<int>(geometry.ranks.size()))
        m_model.chooseRank(geometry.ranks[static_cast<std::size_t>(row)]);
    const TracedStep* step = stepAt(at);
    m_model.choose(step == nullptr ? std::nullopt : std::optional(step->step));
}

QString LanesWidget::textAt(QPointF at) const {
    const LanesGeometry geometry = geometryOfLanes();
    const auto row = static_cast<int>(at.y() / geometry.pitch());
    const TracedStep* step = stepAt(at);
    if (step == nullptr || row < 0 || row >= static_cast<int>(geometry.ranks.size())) return {};
    const int rank = geometry.ranks[static_cast<std::size_t>(row)];
    const RankTrace& trace = step->ranks[static_cast<std::size_t>(rank)];
    if (!trace.known) return {};
    QString text = tr("Rank %1, step %2, epoch %3").arg(rank).arg(step->step).arg(epochNumber(step->epoch));
    const std::int64_t ns = m_model.clock().timeAt(geometry.shownAt(at.x()));
    for (const LaneSpan& span : laneSpans(*step, static_cast<std::size_t>(rank))) {
        if (ns < span.beginNs || ns > span.endNs) continue;
        text += tr("\n%1: lasts %2, begins %3 after the begin of the step")
                    .arg(phaseText(span.phase), millisecondsText(static_cast<double>(span.endNs - span.beginNs) / 1e6),
                         millisecondsText(static_cast<double>(span.beginNs - step->beginNs) / 1e6));
        if (span.waitsFor >= 0) text += tr("\nwaits for rank %1, which arrived last").arg(span.waitsFor);
    }
    for (const CollectiveSpan& one : trace.collectives) {
        const double pixel = geometry.xOf(m_model.clock().shownAt(one.readyNs));
        if (std::abs(pixel - at.x()) > 5) continue;
        text += tr("\ncollective %1: %2 bytes, ready %3 after the begin of the step, transfer time %4")
                    .arg(one.number)
                    .arg(QLocale().toString(static_cast<qlonglong>(one.bytes)))
                    .arg(millisecondsText(static_cast<double>(one.readyNs - step->beginNs) / 1e6),
                         one.lastNs < 0 ? tr("unknown")
                                        : millisecondsText(static_cast<double>(one.endedNs - one.lastNs) / 1e6));
    }
    return text;
}

void LanesWidget::wheelEvent(QWheelEvent* event) {
    const LanesGeometry geometry = geometryOfLanes();
    const double along = event->angleDelta().x() / 120.0;
    const double notches = event->angleDelta().y() / 120.0;
    if (along != 0) m_model.pan(-along * kPanPerKey / 2 * m_model.span());
    if (notches != 0) m_model.zoom(std::pow(kZoomPerNotch, notches), geometry.shownAt(event->position().x()));
    event->accept();
}

void LanesWidget::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    m_dragFrom = event->position();
    m_dragged = false;
}

void LanesWidget::mouseMoveEvent(QMouseEvent* event) {
    if (!m_dragFrom) return;
    const double by = m_dragFrom->x() - event->position().x();
    if (!m_dragged && std::abs(by) < kDragThreshold) return;
    m_dragged = true;
    m_dragFrom = event->position();
    m_model.pan(by / geometryOfLanes().pixelsPerNs());
    setCursor(Qt::ClosedHandCursor);
}

void LanesWidget::mouseReleaseEvent(QMouseEvent* event) {
    unsetCursor();
    if (m_dragFrom && !m_dragged) chooseStepAt(event->position());
    m_dragFrom.reset();
}

void LanesWidget::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const TracedStep* step = stepAt(event->position())) m_model.showSteps(step->step, step->step);
}

void LanesWidget::keyPressEvent(QKeyEvent* event) {
    if (!handleKey(*event)) QWidget::keyPressEvent(event);
}

bool LanesWidget::handleKey(const QKeyEvent& event) {
    if (event.modifiers() != Qt::NoModifier) return false;
    const double middle = m_model.left() + m_model.span() / 2;
    switch (event.key()) {
        case Qt::Key_W:
            m_model.zoom(kZoomPerKey, middle);
            return true;
        case Qt::Key_S:
            m_model.zoom(1 / kZoomPerKey, middle);
            return true;
        case Qt::Key_A:
            m_model.pan(-kPanPerKey * m_model.span());
            return true;
        case Qt::Key_D:
            m_model.pan(kPanPerKey * m_model.span());
            return true;
        case Qt::Key_F:
            m_model.fit();
            return true;
        case Qt::Key_Period:
            m_model.selectNeighbour(1);
            return true;
        case Qt::Key_Comma:
            m_model.selectNeighbour(-1);
            return true;
        case Qt::Key_Escape:
            m_model.choose({});
            return true;
        default:
            return false;
    }
}

Picture::Tip LanesWidget::tipAt(const QPoint& point) const {
    return {textAt(point)};
}

}  // namespace ringside
