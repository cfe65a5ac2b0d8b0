// SPDX-License-Identifier: GPL-3.0-or-later
#include "controls/wrapped_text.h"

#include <QEvent>
#include <utility>

namespace ringside {

WrappedText::WrappedText(QWidget* parent) : QLabel(parent) {
    setWordWrap(true);
}

bool WrappedText::event(QEvent* event) {
    const bool handled = QLabel::event(event);
    const QEvent::Type type = event->type();
    // Discards the cached height when the style or the font changes. A new text causes a paint event, in which
    // keepHeight() detects the change.
    if (type == QEvent::StyleChange || type == QEvent::FontChange) m_keptWidth = -1;
    if (type == QEvent::Resize || type == QEvent::StyleChange || type == QEvent::Paint) keepHeight();
    return handled;
}

void WrappedText::keepHeight() {
    if (std::exchange(m_keptWidth, width()) == width() && m_keptText == text()) return;
    m_keptText = text();
    setMinimumHeight(0);  // removes the previous minimum, because heightForWidth() never returns less than it
    if (!text().isEmpty()) setMinimumHeight(heightForWidth(width()));
}

}  // namespace ringside
