// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStackedLayout>

namespace ringside {

// Pages that take whatever room there is. A plain stack asks every page, hidden ones too, how high its texts would be
// at this width, each time one of them changes: most of a hover's cost.
class PageStack : public QStackedLayout {
  public:
    using QStackedLayout::QStackedLayout;
    bool hasHeightForWidth() const override { return false; }
};

}  // namespace ringside
