// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSlider>

namespace ringside {

// Slider whose handle moves to a clicked position and can then be dragged. A click on a plain QSlider moves the handle
// by one page step.
class SeekSlider : public QSlider {
    Q_OBJECT
  public:
    using QSlider::QSlider;

  protected:
    void mousePressEvent(QMouseEvent* event) override;

    // Returns the value for which the centre of the handle is nearest to this x position.
    int valueAt(int x) const;

  private:
    QRect handle() const;
};

}  // namespace ringside
