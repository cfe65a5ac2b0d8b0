// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/page_tabs.h"

#include <QEvent>
#include <QTabBar>
#include <utility>

namespace ringside {

bool PageTabs::event(QEvent* event) {
    const bool isLayoutRequest = event->type() == QEvent::LayoutRequest && isVisible();
    const bool placed = event->type() == QEvent::Show || event->type() == QEvent::Resize;
    const bool same = (isLayoutRequest || placed) && std::exchange(m_tabs, tabBar()->sizeHint()) == m_tabs;
    return (isLayoutRequest && same) || QTabWidget::event(event);
}

}  // namespace ringside
