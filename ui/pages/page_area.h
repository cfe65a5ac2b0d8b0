// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

namespace ringside {

class Page;

// Scroll area around a page of the window. A page that is larger than the available area can be scrolled.
class PageArea final : public QScrollArea {
    Q_OBJECT
  public:
    explicit PageArea(Page& page, QWidget* parent = nullptr);
    QSize minimumSizeHint() const override { return {0, 0}; }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void chooseBars();

    bool m_isResizing = false;  // true while a resize of the page is handled
};

}  // namespace ringside
