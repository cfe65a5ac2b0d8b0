// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/grid/grid_navigation.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <QWidget>
#include <cmath>
#include <utility>

#include "controls/picture.h"
#include "shards/grid/picture/grid_geometry.h"

namespace ringside {

GridNavigation::GridNavigation(QWidget& grid, GridGeometry& geometry, std::function<QPointF()> cellsOrigin)
    : QObject(&grid), m_grid(grid), m_geometry(geometry), m_cellsOrigin(std::move(cellsOrigin)) {
    grid.setMouseTracking(true);
    grid.setFocusPolicy(Qt::StrongFocus);
    grid.installEventFilter(this);
}

bool GridNavigation::eventFilter(QObject*, QEvent* event) {
    switch (event->type()) {
        case QEvent::Wheel:
            handleWheel(*static_cast<QWheelEvent*>(event));
            return true;
        case QEvent::MouseButtonPress:
            handlePress(*static_cast<QMouseEvent*>(event));
            return true;
        case QEvent::MouseMove:
            handleMove(*static_cast<QMouseEvent*>(event));
            return true;
        case QEvent::MouseButtonRelease:
            handleRelease(*static_cast<QMouseEvent*>(event));
            return true;
        case QEvent::Leave:
            Q_EMIT hovered({});
            return false;
        case QEvent::KeyPress:
            return handleKey(*static_cast<QKeyEvent*>(event));
        default:
            return false;
    }
}

void GridNavigation::handleWheel(QWheelEvent& event) {
    const QPointF at = event.position() - m_cellsOrigin();
    const QPointF turn = event.pixelDelta().isNull() ? QPointF(event.angleDelta()) / 2 : QPointF(event.pixelDelta());
    if (event.modifiers() & Qt::ShiftModifier) {
        m_geometry.panBy({-(turn.x() + turn.y()), 0});
    } else if (event.modifiers() & Qt::ControlModifier || at.x() < 0) {
        m_geometry.panBy({0, -turn.y()});
    } else if (std::abs(turn.x()) > std::abs(turn.y())) {
        m_geometry.panBy({-turn.x(), 0});
    } else {
        m_geometry.zoomAt(at, std::pow(kZoomPerNotch, turn.y() / 60));
    }
    event.accept();
    Q_EMIT viewMoved();
}

void GridNavigation::handlePress(const QMouseEvent& event) {
    if (event.button() != Qt::LeftButton) return;
    m_dragFrom = event.position();
    m_isDragged = false;
}

void GridNavigation::handleMove(const QMouseEvent& event) {
    if (!m_dragFrom) {
        Q_EMIT hovered(event.position() - m_cellsOrigin());
        return;
    }
    const QPointF moved = event.position() - *m_dragFrom;
    if (!m_isDragged && moved.manhattanLength() < kDragThreshold) return;
    m_isDragged = true;
    m_dragFrom = event.position();
    m_grid.setCursor(Qt::ClosedHandCursor);
    m_geometry.panBy(-moved);
    Q_EMIT viewMoved();
}

void GridNavigation::handleRelease(const QMouseEvent& event) {
    m_grid.unsetCursor();
    const bool isClick = m_dragFrom && !m_isDragged;
    m_dragFrom.reset();
    if (isClick) Q_EMIT clicked(event.position() - m_cellsOrigin());
}

bool GridNavigation::handleKey(const QKeyEvent& event) {
    const QPointF middle(m_geometry.area().width() / 2, m_geometry.area().height() / 2);
    const double stride = m_geometry.area().width() / 4;
    switch (event.key()) {
        case Qt::Key_W:
            m_geometry.zoomAt(middle, kZoomPerNotch);
            break;
        case Qt::Key_S:
            m_geometry.zoomAt(middle, 1 / kZoomPerNotch);
            break;
        case Qt::Key_A:
            m_geometry.panBy({-stride, 0});
            break;
        case Qt::Key_D:
            m_geometry.panBy({stride, 0});
            break;
        case Qt::Key_F:
            m_geometry.fit();
            break;
        case Qt::Key_Home:
            m_geometry.showStart();
            break;
        case Qt::Key_End:
            m_geometry.setFirstSlot(static_cast<double>(m_geometry.slotCount()));
            break;
        case Qt::Key_Left:
            Q_EMIT selectionMoved(0, -1);
            return true;
        case Qt::Key_Right:
            Q_EMIT selectionMoved(0, 1);
            return true;
        case Qt::Key_Up:
            Q_EMIT selectionMoved(-1, 0);
            return true;
        case Qt::Key_Down:
            Q_EMIT selectionMoved(1, 0);
            return true;
        default:
            return false;
    }
    Q_EMIT viewMoved();
    return true;
}

}  // namespace ringside
