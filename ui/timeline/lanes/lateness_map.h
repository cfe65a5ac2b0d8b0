// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <map>
#include <vector>

#include "controls/picture.h"
#include "timeline/model/timeline_model.h"

namespace ringside {

class Theme;

// Picture for many ranks, with a row for each rank and a column for each traced step. A cell is darker if the rank
// arrived later at the collectives of the step.
class LatenessMap final : public Picture {
    Q_OBJECT
  public:
    LatenessMap(TimelineModel& model, const Theme& theme, QWidget* parent = nullptr);

    QSize minimumSizeHint() const override { return {200, 100}; }
    // Returns a description of the cell at `at`.
    QString textAt(QPointF at) const;
    std::vector<Identity> identitiesAt(const QPoint& point) const override;

  protected:
    void restyle() override { draw(); }
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    Tip tipAt(const QPoint& point) const override;

  private:
    struct Column {
        int known = 0;
        std::vector<float> late;  // delay of each rank behind the first rank, as a share of the step's length
    };
    void read();
    void draw();
    QRectF area() const;
    std::int64_t stepAt(double x) const;
    int rankAt(double y) const;

    TimelineModel& m_model;
    std::map<std::int64_t, Column> m_columns;
    QImage m_image;
};

}  // namespace ringside
