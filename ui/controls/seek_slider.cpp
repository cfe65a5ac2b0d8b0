// SPDX-License-Identifier: GPL-3.0-or-later
#include "controls/seek_slider.h"

#include <QMouseEvent>
#include <QStyleOptionSlider>

namespace ringside {

QRect SeekSlider::handle() const {
    QStyleOptionSlider option;
    initStyleOption(&option);
    return style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderHandle, this);
}

int SeekSlider::valueAt(int x) const {
    QStyleOptionSlider option;
    initStyleOption(&option);
    const QRect groove = style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderGroove, this);
    const int width = handle().width();
    return QStyle::sliderValueFromPosition(minimum(), maximum(), x - groove.left() - width / 2, groove.width() - width,
                                           option.upsideDown);
}

// Moves the handle to the clicked value, and then lets QSlider handle a press at the centre of the handle, so that the
// user can drag the handle at once. This press is not at the position of the pointer, because on a slider with few
// values the handle can be away from the pointer.
void SeekSlider::mousePressEvent(QMouseEvent* event) {
    const QPoint at = event->position().toPoint();
    if (event->button() != Qt::LeftButton || handle().contains(at)) return QSlider::mousePressEvent(event);
    setValue(valueAt(at.x()));
    const QPointF middle = QRectF(handle()).center();
    QMouseEvent onHandle(event->type(), middle, mapToGlobal(middle), event->button(), event->buttons(),
                         event->modifiers());
    QSlider::mousePressEvent(&onHandle);
    event->accept();
}

}  // namespace ringside
