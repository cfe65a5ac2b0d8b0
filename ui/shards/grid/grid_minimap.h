// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "controls/picture.h"
#include "shards/grid/picture/grid_raster.h"
#include "shards/watch/run_progress.h"

namespace ringside {

class Theme;

// Picture of the whole epoch with a strip for each rank, and a frame around the part that the grid shows. The user can
// drag the frame or click a position.
class GridMinimap : public Picture {
    Q_OBJECT
  public:
    static constexpr int kLargestHeight = 62;

    explicit GridMinimap(Theme& theme, QWidget* parent = nullptr);

    void setScene(std::optional<ShardScene> scene);
    void setColorBy(ColorBy by);
    void setProgress(const RunProgress& progress);
    void setLargestHeight(int height);
    void setWindow(double firstSlot, double slotCount);

    bool isSettled() const { return showsSteps() || m_raster.isSettled(); }

    // Returns the rank, the step and the epoch at the point. If all ranks are drawn together, returns no rank.
    std::vector<Identity> identitiesAt(const QPoint& point) const override;

    QSize sizeHint() const override { return {400, stripsHeight() + 6}; }

  Q_SIGNALS:
    void windowMoved(double firstSlot);

  protected:
    void restyle() override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

  private:
    int stripsHeight() const;
    double pixelsPerSlot() const;
    void drawStrips(QPainter& painter);
    bool showsSteps() const;  // returns true if steps are drawn instead of a strip for each rank
    bool isLow() const;       // returns true if there is no room for a strip per rank
    struct StepBand {
        QRectF rect;
        QString name;
    };
    std::vector<StepBand> stepBands() const;
    void drawSteps(QPainter& painter) const;
    void drawStepNames(QPainter& painter) const;
    void drawMarks(QPainter& painter) const;
    QRectF strip(int rank) const;

    std::optional<ShardScene> m_scene;
    ColorBy m_by = ColorBy::Rank;
    RunProgress m_progress;
    GridRaster m_raster;
    int m_largestHeight;
    double m_firstSlot = 0, m_slots = 1;
    double m_grabbed = 0;  // distance from the left edge of the frame to the pointer that drags the frame, in slots
};

}  // namespace ringside
