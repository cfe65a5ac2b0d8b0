// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSlider>

namespace ringside {

// Slider whose handle moves to a clicked position and then follows the pointer. QSlider itself moves by one page.
class SeekSlider : public QSlider {
    Q_OBJECT
  public:
    using QSlider::QSlider;

  protected:
    void mousePressEvent(QMouseEvent* event) override;

    // Returns the value whose handle would be at this x position.
    int valueAt(int x) const;

  private:
    QRect handle() const;
};

}  // namespace ringside
