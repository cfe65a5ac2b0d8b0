// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/page_area.h"

#include <QEvent>
#include <QKeyEvent>
#include <QScrollBar>
#include <utility>

#include "pages/page.h"

namespace ringside {

PageArea::PageArea(Page& page, QWidget* parent) : QScrollArea(parent) {
    setObjectName(page.name() + QStringLiteral("PageArea"));
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setFocusPolicy(Qt::NoFocus);
    setWidget(&page);
    viewport()->setAutoFillBackground(false);
    page.setAutoFillBackground(false);
}

bool PageArea::eventFilter(QObject* watched, QEvent* event) {
    if (watched == widget() && event->type() == QEvent::LayoutRequest) chooseBars();
    // Ignores a resize of the page during the handling of another one. QScrollArea resizes the page when it handles a
    // resize, and the recursion might not end if the page's minimum height depends on its width.
    if (event->type() == QEvent::Resize && m_isResizing) return false;
    const bool before = std::exchange(m_isResizing, m_isResizing || event->type() == QEvent::Resize);
    const bool stops = QScrollArea::eventFilter(watched, event);
    m_isResizing = before;
    return stops;
}

void PageArea::resizeEvent(QResizeEvent* event) {
    chooseBars();
    QScrollArea::resizeEvent(event);
}

// Leaves the keys Left and Right to the window, where they control the run.
void PageArea::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) return event->ignore();
    QScrollArea::keyPressEvent(event);
}

// Shows a scroll bar if the page needs it, and hides the bar only when the page has clearly more room than it needs.
// Without this margin, a page whose height depends on its width could show and hide the bar endlessly.
void PageArea::chooseBars() {
    constexpr int kClearly = 32;
    const QSize least = widget()->minimumSizeHint();
    const auto choose = [](Qt::ScrollBarPolicy before, int needed, int room) {
        const bool shown = before == Qt::ScrollBarAlwaysOn;
        return needed > room - (shown ? kClearly : 0) ? Qt::ScrollBarAlwaysOn : Qt::ScrollBarAlwaysOff;
    };
    setVerticalScrollBarPolicy(choose(verticalScrollBarPolicy(), least.height(), height()));
    const int room = width() - (verticalScrollBarPolicy() == Qt::ScrollBarAlwaysOn ? verticalScrollBar()->width() : 0);
    setHorizontalScrollBarPolicy(choose(horizontalScrollBarPolicy(), least.width(), room));
}

}  // namespace ringside
