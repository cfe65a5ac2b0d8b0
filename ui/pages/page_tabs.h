// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTabWidget>

namespace ringside {

// Tab widget of the window's pages. QTabWidget repaints the whole page when any label in it changes its text, because
// the label requests a new layout. This class handles such a request only if the size of the tab bar changed.
class PageTabs final : public QTabWidget {
  public:
    using QTabWidget::QTabWidget;

  protected:
    bool event(QEvent* event) override;

  private:
    QSize m_tabs;
};

}  // namespace ringside
