// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSlider>

namespace ringside {

// A slider whose handle goes where its groove is clicked, and on from there with the pointer; QSlider's own goes one
// page towards it.
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
