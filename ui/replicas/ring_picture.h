// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>

#include "replicas/ring_steps.h"

namespace ringside {

class Theme;

// The ranks below one another, the bucket's parts side by side with real numbers; what leaves in the next step is
// framed, and an arrow says to whom.
class RingPicture : public QWidget {
    Q_OBJECT
  public:
    explicit RingPicture(const Theme& theme, QWidget* parent = nullptr);
    void setSteps(std::optional<RingSteps> steps);
    void setStep(int step);
    int step() const { return m_step; }
    const std::optional<RingSteps>& steps() const { return m_steps; }
    QSize minimumSizeHint() const override { return {420, 160}; }

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    QRectF cellOf(int rank, int part) const;
    void paintPart(QPainter& painter, int rank, int part) const;
    void paintArrow(QPainter& painter, int rank) const;

    const Theme& m_theme;
    std::optional<RingSteps> m_steps;
    int m_step = 0;
};

}  // namespace ringside
