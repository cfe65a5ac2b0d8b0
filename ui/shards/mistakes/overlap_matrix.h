// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "controls/picture.h"
#include "sampling/findings/assignment_effects.h"

namespace ringside {

class Theme;

// Heat map of the number of samples that each two ranks share, with numbers if they fit. The diagonal shows the number
// of samples of each rank.
class OverlapMatrix : public Picture {
    Q_OBJECT
  public:
    explicit OverlapMatrix(Theme& theme, QWidget* parent = nullptr);

    void setMistakeEffect(const AssignmentEffects& effects);

    std::vector<Identity> identitiesAt(const QPoint& point) const override;

    QSize sizeHint() const override { return {320, 320}; }
    QSize minimumSizeHint() const override { return {180, 180}; }

  protected:
    void paintEvent(QPaintEvent* event) override;
    Tip tipAt(const QPoint& point) const override;

  private:
    QRectF grid() const;
    double pitch() const;
    std::int64_t shared(std::int64_t a, std::int64_t b) const;
    void drawCell(QPainter& painter, std::int64_t a, std::int64_t b) const;
    void drawNames(QPainter& painter) const;
    // Returns the ranks of the row and of the column at the point; empty if no cell is there.
    std::optional<std::pair<std::int64_t, std::int64_t>> ranksAt(QPointF point) const;

    AssignmentEffects m_effects;
};

}  // namespace ringside
