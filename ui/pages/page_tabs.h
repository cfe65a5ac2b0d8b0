// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTabWidget>

namespace ringside {

// The window's pages. A QTabWidget draws the whole page again whenever any label in it changes its text, as that asks
// for a new layout; here only tabs of another size do.
class PageTabs final : public QTabWidget {
  public:
    using QTabWidget::QTabWidget;

  protected:
    bool event(QEvent* event) override;

  private:
    QSize m_tabs;
};

}  // namespace ringside
