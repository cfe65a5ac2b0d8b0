// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStackedLayout>
#include <QWidget>

namespace ringside {

// Stack that gives all available room to the current page. A QStackedLayout would recompute heightForWidth() of every
// page, including hidden pages, after each change of a text, for example of a text that follows the pointer.
class PageStack : public QStackedLayout {
  public:
    using QStackedLayout::QStackedLayout;
    bool hasHeightForWidth() const override { return false; }
    // Returns the minimum size of the current page. Hidden pages need no room.
    QSize minimumSize() const override {
        return currentWidget() ? currentWidget()->minimumSizeHint().expandedTo(currentWidget()->minimumSize())
                               : QStackedLayout::minimumSize();
    }
};

}  // namespace ringside
