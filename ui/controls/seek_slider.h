// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSlider>

namespace ringside {

// Slider whose handle moves to a clicked position and then follows the pointer. QSlider itself moves by one page.
class SeekSlider final : public QSlider {
    Q_OBJECT
  public:
    using QSlider::QSlider;

  protected:
    void mousePressEvent(QMouseEvent* event) override;

  private:
    QRect handle() const;
    int valueAt(int x) const;
};

}  // namespace ringside
