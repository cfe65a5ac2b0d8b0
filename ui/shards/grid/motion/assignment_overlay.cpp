// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/grid/motion/assignment_overlay.h"

#include <QEasingCurve>
#include <QKeyEvent>
#include <algorithm>

#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr int kFrameMs = 16;
constexpr TypeLength kStripHeight{20};
constexpr TypeLength kStripPitch{46};
constexpr qint64 kExplainedCards = 4;
constexpr double kHoldMs = 500;  // time in milliseconds for which the last group of a slow animation stays visible

QRectF between(const QRectF& from, const QRectF& to, double share) {
    const auto mix = [share](double a, double b) { return a + (b - a) * share; };
    return {mix(from.x(), to.x()), mix(from.y(), to.y()), mix(from.width(), to.width()),
            mix(from.height(), to.height())};
}

}  // namespace

AssignmentOverlay::AssignmentOverlay(const Table& table, QWidget* grid) : QWidget(grid), m_table(table) {
    setObjectName(QStringLiteral("assignmentOverlay"));
    setAccessibleName(tr("Animation of the assignment to ranks"));
    setFocusPolicy(Qt::StrongFocus);
    m_timer.setTimerType(Qt::PreciseTimer);
    m_timer.setInterval(kFrameMs);
    connect(&m_timer, &QTimer::timeout, this,
            [this] { showAt(m_ahead + static_cast<double>(m_clock.nsecsElapsed()) / 1e6); });
    hide();
}

void AssignmentOverlay::start(const ShardScene& scene, const CellColors& colors, AssignmentAnimation::Speed speed,
                              QRectF area) {
    m_scene.emplace(scene);
    m_colors.emplace(colors);
    m_speed = speed;
    m_area = area;
    m_animation = AssignmentAnimation(scene, m_table.geometry.visibleRanks(), m_table.geometry.visibleSlots(), speed);
    if (m_animation.cards().empty()) return stop();
    setGeometry(parentWidget()->rect());
    m_ms = m_ahead = 0;
    m_clock.start();
    m_timer.start();
    show();
    raise();
    if (speed == AssignmentAnimation::Speed::Slow) setFocus();
}

void AssignmentOverlay::stop() {
    if (!isRunning()) return;
    const bool focused = hasFocus();
    m_timer.stop();
    hide();
    m_scene.reset();
    if (focused) parentWidget()->setFocus();
    Q_EMIT ended();
}

void AssignmentOverlay::showAt(double ms) {
    // With the system's setting for reduced motion, the cards of a group appear at their ranks without moving.
    const qint64 before = m_animation.groupAt(m_ms);
    m_ms = m_table.theme.allowsMotion() || m_animation.groupAt(ms) < 0
               ? ms
               : m_animation.groupStart(m_animation.groupAt(ms)) + AssignmentAnimation::kTravelMs;
    if (ms >= m_animation.endMs() + (m_speed == AssignmentAnimation::Speed::Slow ? kHoldMs : 0)) {
        stop();
    } else {
        update();
        if (m_animation.groupAt(m_ms) != before) Q_EMIT groupChanged();
    }
}

std::optional<Explanation> AssignmentOverlay::explanation() const {
    if (!m_scene || m_speed != AssignmentAnimation::Speed::Slow) return {};
    const qint64 group = std::max<qint64>(0, m_animation.groupAt(m_ms));
    const qint64 first = group * m_animation.groupSize();
    const qint64 last =
        std::min<qint64>(first + m_animation.groupSize(), static_cast<qint64>(m_animation.cards().size()));
    Explanation explanation{
        tr("How is the order assigned to ranks? Group %1 of %2").arg(group + 1).arg(m_animation.groupCount()),
        {},
        false};
    for (qint64 card = first; card < std::min(last, first + kExplainedCards); ++card) {
        explanation.lines << sentence(m_animation.cards()[static_cast<std::size_t>(card)]);
    }
    explanation.lines << tr("Space: next group. Any other key, or a click, shows the complete assignment.");
    return explanation;
}

QString AssignmentOverlay::sentence(const AssignmentAnimation::Card& card) const {
    const ShardSpec& spec = m_scene->plan.spec();
    const qint64 position = card.content.position;
    const QString head = tr("Position %1 is sample %2").arg(position).arg(card.content.sample);
    if (card.content.kind == CellKind::DroppedBySampler)
        return tr("%1, which is dropped: no rank gets the sample.").arg(head);
    const bool roundRobin = spec.kind == SamplerKind::kDistributed && !spec.pitfalls.any();
    return roundRobin ? tr("%1, assigned to rank %2 mod %3 = %4 and slot %2 div %3 = %5.")
                            .arg(head)
                            .arg(position)
                            .arg(spec.worldSize)
                            .arg(card.cell.rank)
                            .arg(card.cell.slot)
                      : tr("%1, assigned to rank %2, slot %3.").arg(head).arg(card.cell.rank).arg(card.cell.slot);
}

QRectF AssignmentOverlay::target(const AssignmentAnimation::Card& card) const {
    return m_table.geometry.cell(card.cell.rank, card.cell.slot).translated(m_area.topLeft());
}

// Returns the rectangle of a card in the strip of waiting cards. When a group starts to move to the ranks, the strip
// advances by one group, so that the next card to move is always at the left end.
QRectF AssignmentOverlay::stripPlace(std::size_t card) const {
    const auto gone = static_cast<double>((m_animation.groupAt(m_ms) + 1) * m_animation.groupSize());
    const auto at = static_cast<double>(card);
    const double behind = at < gone ? at - (gone - static_cast<double>(m_animation.groupSize())) : at - gone;
    return {m_area.left() + behind * kStripPitch, 2, kStripPitch - 4, kStripHeight};
}

void AssignmentOverlay::paintEvent(QPaintEvent*) {
    if (!m_scene) return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const ThemeColors& c = m_table.theme.colors();
    const CellPainter cells(*m_scene, *m_colors, m_table.theme, m_table.thumbnails);
    painter.fillRect(QRectF(m_area.left() - 2, 0, width() - m_area.left() + 2, height()), c.panel);
    painter.save();
    painter.setClipRect(m_area.adjusted(-2, -1, 2, 0));
    for (std::size_t card = 0; card < m_animation.cards().size(); ++card) {
        if (m_animation.travelled(card, m_ms) >= 1) {
            drawCard(painter, cells, card);
        } else {
            painter.setPen(QPen(c.border, 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(target(m_animation.cards()[card]).adjusted(1, 1, -1, -1), 4, 4);
        }
    }
    painter.restore();
    drawImageRow(painter, cells);
    for (std::size_t card = 0; card < m_animation.cards().size(); ++card) {
        const double share = m_animation.travelled(card, m_ms);
        if (share > 0 && share < 1) drawCard(painter, cells, card);
    }
}

void AssignmentOverlay::drawImageRow(QPainter& painter, const CellPainter& cells) const {
    for (std::size_t card = 0; card < m_animation.cards().size(); ++card) {
        const QRectF place = stripPlace(card);
        if (m_animation.travelled(card, m_ms) > 0) continue;
        if (place.right() > m_area.right()) break;
        cells.chip(painter, place, m_animation.cards()[card].cell);
    }
}

void AssignmentOverlay::drawCard(QPainter& painter, const CellPainter& cells, std::size_t card) const {
    const double share = QEasingCurve(QEasingCurve::OutCubic).valueForProgress(m_animation.travelled(card, m_ms));
    const QRectF rect = between(stripPlace(card), target(m_animation.cards()[card]), share);
    const bool large = m_table.geometry.detail() == CellDetail::Thumbnail && share >= 1;
    if (large) {
        cells.card(painter, rect, m_animation.cards()[card].cell, rect.height() >= 62);
    } else {
        cells.chip(painter, rect, m_animation.cards()[card].cell);
    }
}

void AssignmentOverlay::mousePressEvent(QMouseEvent*) {
    stop();
}

void AssignmentOverlay::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Space) return stop();
    const double next = m_animation.groupStart(m_animation.groupAt(m_ms) + 1);
    m_ahead += std::max(0.0, next - m_ms);
    showAt(next);
}

}  // namespace ringside
