// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

#include "shards/cells/cell_painter.h"
#include "shards/grid/motion/assignment_animation.h"
#include "shards/scene/explanation.h"

namespace ringside {

// Overlay above the grid with an animation: the cards of samples move from a strip at the top, which shows the order,
// to their ranks. The grid below already shows the destinations. A click or any key except Space ends the animation;
// Space continues with the next group of cards.
class AssignmentOverlay : public QWidget {
    Q_OBJECT
  public:
    // References to the objects with which the overlay draws. All must outlive the overlay.
    struct Table {
        const Theme& theme;
        Thumbnails& thumbnails;
        const GridGeometry& geometry;
    };
    AssignmentOverlay(const Table& table, QWidget* grid);

    // area: area of the cells, in the coordinates of the grid.
    void start(const ShardScene& scene, const CellColors& colors, AssignmentAnimation::Speed speed, QRectF area);
    void stop();
    bool isRunning() const { return isVisible(); }
    void showAt(double ms);  // shows the animation at this time after its start; called by the timer and by tests
    const AssignmentAnimation& animation() const { return m_animation; }
    // Returns an explanation of the group of cards that is moving; empty unless the animation is slow.
    std::optional<Explanation> explanation() const;

  Q_SIGNALS:
    void ended();
    void groupChanged();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void drawImageRow(QPainter& painter, const CellPainter& cells) const;
    QString sentence(const AssignmentAnimation::Card& card) const;
    void drawCard(QPainter& painter, const CellPainter& cells, std::size_t card) const;
    QRectF stripPlace(std::size_t card) const;
    QRectF target(const AssignmentAnimation::Card& card) const;

    Table m_table;
    std::optional<ShardScene> m_scene;
    std::optional<CellColors> m_colors;
    AssignmentAnimation m_animation;
    AssignmentAnimation::Speed m_speed = AssignmentAnimation::Speed::Quick;
    QRectF m_area;
    double m_ms = 0;
    double m_ahead = 0;  // time in milliseconds that the user has skipped with Space
    QElapsedTimer m_clock;
    QTimer m_timer;
};

}  // namespace ringside
