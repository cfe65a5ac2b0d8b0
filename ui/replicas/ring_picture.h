// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "controls/picture.h"
#include "replicas/ring_steps.h"

namespace ringside {

class Theme;

// Picture of the ring all-reduce: one row per rank with the parts of its gradient bucket and their first values. Parts
// that are sent in the next step of the ring are framed, and an arrow shows the receiving rank.
class RingPicture : public Picture {
    Q_OBJECT
  public:
    explicit RingPicture(const Theme& theme, QWidget* parent = nullptr);
    // Sets the ring to show; empty clears the picture. step: training step whose gradients the ring reduces.
    void setSteps(std::optional<RingSteps> steps, std::int64_t step);
    void setStep(int step);
    int ringStep() const { return m_step; }
    const std::optional<RingSteps>& steps() const { return m_steps; }
    QSize minimumSizeHint() const override { return {420, 160}; }
    std::vector<Identity> identitiesAt(const QPoint& point) const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    QRectF cellOf(int rank, int part) const;
    void paintPart(QPainter& painter, int rank, int part) const;
    void paintArrow(QPainter& painter, int rank) const;

    std::optional<RingSteps> m_steps;
    int m_step = 0;
    std::int64_t m_trained = 0;  // training step whose values are shown
};

}  // namespace ringside
