// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointF>
#include <functional>
#include <optional>

QT_BEGIN_NAMESPACE
class QKeyEvent;
class QMouseEvent;
class QWheelEvent;
class QWidget;
QT_END_NAMESPACE

namespace ringside {

class GridGeometry;

// Moves the view of the grid by wheel, mouse and keys. The wheel, W and S zoom. A, D and dragging move the view. F
// shows the whole epoch; Home and End show the first and the last slots. Also reports clicks and arrow keys with
// signals.
class GridNavigation : public QObject {
    Q_OBJECT
  public:
    // Watches the events of `grid`, which becomes the parent. cellsOrigin returns the position of the cells' area in
    // the widget. The geometry must outlive this object.
    GridNavigation(QWidget& grid, GridGeometry& geometry, std::function<QPointF()> cellsOrigin);

  Q_SIGNALS:
    void viewMoved();                               // emitted when the user has changed the zoom or the position of the
                                                    // view
    void hovered(std::optional<QPointF> position);  // emitted when the pointer moves in the cells' area without a
                                                    // pressed button (its position), or leaves the area (empty)
    void clicked(QPointF position);                 // emitted at a click; position: in coordinates of the cells' area
    void selectionMoved(int ranks, qint64 slotCount);  // emitted when an arrow key moves the selection by this number
                                                       // of ranks or slots

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void handleWheel(QWheelEvent& event);
    void handlePress(const QMouseEvent& event);
    void handleMove(const QMouseEvent& event);
    void handleRelease(const QMouseEvent& event);
    bool handleKey(const QKeyEvent& event);  // returns false if the key has no effect here

    QWidget& m_grid;
    GridGeometry& m_geometry;
    std::function<QPointF()> m_cellsOrigin;
    std::optional<QPointF> m_dragFrom;
    bool m_isDragged = false;
};

}  // namespace ringside
