// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStackedLayout>
#include <QWidget>

namespace ringside {

// Stacked layout that depends only on the current page. QStackedLayout also recomputes heightForWidth() of all hidden
// pages after each change of a text, which is slow if a text changes with the position of the pointer.
class PageStack : public QStackedLayout {
  public:
    using QStackedLayout::QStackedLayout;
    bool hasHeightForWidth() const override { return false; }
    // Returns the minimum size of the current page and ignores the hidden pages.
    QSize minimumSize() const override {
        return currentWidget() ? currentWidget()->minimumSizeHint().expandedTo(currentWidget()->minimumSize())
                               : QStackedLayout::minimumSize();
    }
};

}  // namespace ringside
