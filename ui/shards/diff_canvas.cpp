// SPDX-License-Identifier: GPL-3.0-or-later
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "shards/diff_view.h"
#include "theme/theme.h"

namespace ringside {
namespace {

constexpr int kNamesWidth = 60;
constexpr int kLegendHeight = 22;

}  // namespace

DiffCanvas::DiffCanvas(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    setObjectName(QStringLiteral("diffCanvas"));
    setAccessibleName(tr("Epoch diff: where each sample was in the other epoch"));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumHeight(80);
}

QRectF DiffCanvas::cellsArea() const {
    return QRectF(rect()).adjusted(kNamesWidth, 0, 0, -kLegendHeight);
}

void DiffCanvas::setImage(const QImage& image) {
    m_image = image;
    update();
}

void DiffCanvas::setSelected(std::optional<LoomCell> cell) {
    m_selected = cell;
    update();
}

void DiffCanvas::paintEvent(QPaintEvent*) {
    if (!m_scene || m_image.isNull()) return;
    QPainter painter(this);
    const QRectF area = cellsArea();
    const double row = area.height() / m_scene->ranks();
    const double gap = row >= 8 ? 2 : 0;
    const int every = std::max(1, static_cast<int>(std::ceil(14 / row)));
    painter.setFont(m_theme.noteFont());
    for (int rank = 0; rank < std::min(m_scene->ranks(), m_image.height()); ++rank) {
        const double top = area.top() + rank * row;
        painter.drawImage(QRectF(area.left(), top, area.width(), row - gap), m_image,
                          QRectF(0, rank, m_image.width(), 1));
        painter.fillRect(QRectF(area.left() - 7, top, 3, row - gap), m_theme.rankColor(rank));
        if (rank % every == 0) {
            painter.setPen(m_theme.colors().text);
            painter.drawText(QRectF(0, top + (row - gap) / 2 - 8, kNamesWidth - 12, 16),
                             Qt::AlignLeft | Qt::AlignVCenter, tr("Rank %1").arg(rank));
        }
    }
    painter.setPen(m_theme.colors().muted);
    painter.drawText(QRectF(area.left(), area.bottom() + 4, area.width(), kLegendHeight - 4),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     m_theme.mode() == Theme::Mode::Light
                         ? tr("black: same rank and step as there; else the colour of the rank that had it there")
                         : tr("white: same rank and step as there; else the colour of the rank that had it there"));
    const auto columns = static_cast<double>(std::max<qint64>(1, m_scene->plan.samplesPerRank()));
    if (m_selected && static_cast<double>(m_selected->slot) < columns) {
        const double pitch = area.width() / columns;
        const QRectF cell(area.left() + static_cast<double>(m_selected->slot) * pitch,
                          area.top() + m_selected->rank * row, std::max(4.0, pitch), row - gap);
        painter.setPen(QPen(m_theme.colors().panel, 4));
        painter.drawRect(cell);
        painter.setPen(QPen(m_theme.colors().text, 2));
        painter.drawRect(cell);
    }
}

std::optional<LoomCell> DiffCanvas::cellAt(QPointF point) const {
    const QRectF area = cellsArea();
    if (!m_scene || m_scene->plan.samplesPerRank() == 0 || !area.contains(point)) return {};
    const auto rank = static_cast<int>((point.y() - area.top()) / area.height() * m_scene->ranks());
    const auto count = static_cast<double>(m_scene->plan.samplesPerRank());
    const auto slot = static_cast<qint64>((point.x() - area.left()) / area.width() * count);
    return LoomCell{std::min(rank, m_scene->ranks() - 1), std::min(slot, static_cast<qint64>(count) - 1)};
}

void DiffCanvas::resizeEvent(QResizeEvent*) {
    Q_EMIT resized();
}

void DiffCanvas::mouseMoveEvent(QMouseEvent* event) {
    Q_EMIT cellHovered(cellAt(event->position()));
}

void DiffCanvas::mousePressEvent(QMouseEvent* event) {
    if (const auto cell = cellAt(event->position()); cell && event->button() == Qt::LeftButton) {
        Q_EMIT cellClicked(*cell);
    }
}

// Arrows move the selection.
void DiffCanvas::keyPressEvent(QKeyEvent* event) {
    const int key = event->key();
    const int ranks = (key == Qt::Key_Down ? 1 : 0) - (key == Qt::Key_Up ? 1 : 0);
    const int along = (key == Qt::Key_Right ? 1 : 0) - (key == Qt::Key_Left ? 1 : 0);
    if ((ranks == 0 && along == 0) || !m_scene || m_scene->plan.samplesPerRank() == 0) {
        return QWidget::keyPressEvent(event);
    }
    LoomCell next;
    if (m_selected) {
        next = {std::clamp(m_selected->rank + ranks, 0, m_scene->ranks() - 1),
                std::clamp<qint64>(m_selected->slot + along, 0, m_scene->plan.samplesPerRank() - 1)};
    }
    const bool full = cellContent(m_scene->plan, next.rank, next.slot).kind != CellKind::None;
    if (full && next != m_selected) Q_EMIT cellClicked(next);
}

void DiffCanvas::leaveEvent(QEvent*) {
    Q_EMIT cellHovered({});
}

}  // namespace ringside
