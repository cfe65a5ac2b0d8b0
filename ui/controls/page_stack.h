// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStackedLayout>
#include <QWidget>

namespace ringside {

// Stack whose pages take the available room. A QStackedLayout queries the height of the texts of all pages, also hidden
// ones, each time one of them changes, which is most of the cost of a hover.
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
