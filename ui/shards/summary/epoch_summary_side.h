// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBoxLayout>
#include <QScrollArea>

#include "theme/type_length.h"

namespace ringside {

// Area with the summary beside the views. On a narrow page it is a drawer over the right side of the page, which the
// user opens with a button.
class EpochSummarySide : public QScrollArea {
    Q_OBJECT
  public:
    static constexpr TypePixels kWidth{292};
    static constexpr TypePixels kNarrowPage{780};

    explicit EpochSummarySide(QWidget* epochSummary, QWidget* parent = nullptr);

    // beside: true puts the area into the row, at the right of the views; false removes it from the row and hides it.
    void setBeside(QBoxLayout& row, bool beside);
    bool isBeside() const { return m_beside; }

  private:
    bool m_beside = false;
};

}  // namespace ringside
