// SPDX-License-Identifier: GPL-3.0-or-later
#include "controls/wrapped_text.h"

#include <QEvent>

namespace ringside {

WrappedText::WrappedText(QWidget* parent) : QLabel(parent) {
    setWordWrap(true);
}

bool WrappedText::event(QEvent* event) {
    const bool handled = QLabel::event(event);
    const QEvent::Type type = event->type();
    // A new text repaints the label in any case.
    if (type == QEvent::Resize || type == QEvent::StyleChange || type == QEvent::Paint) keepHeight();
    return handled;
}

void WrappedText::keepHeight() {
    const int height = text().isEmpty() ? 0 : heightForWidth(width());
    if (height != minimumHeight()) setMinimumHeight(height);
}

}  // namespace ringside
