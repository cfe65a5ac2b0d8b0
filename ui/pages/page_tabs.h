// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTabWidget>

namespace ringside {

// Tab widget of the window's pages. When a label on a page changes its text, it requests a new layout, for which a
// plain QTabWidget repaints the whole page. This class handles such a request only if the size of the tab bar has
// changed.
class PageTabs final : public QTabWidget {
  public:
    using QTabWidget::QTabWidget;

  protected:
    bool event(QEvent* event) override;

  private:
    QSize m_tabs;
};

}  // namespace ringside
