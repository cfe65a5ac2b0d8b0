// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>

namespace ringside {

// Banner above the views while set_epoch is not called, a mistake that is otherwise hard to see.
class OrderBanner : public QFrame {
    Q_OBJECT
  public:
    explicit OrderBanner(QWidget* parent = nullptr);
    void setEpochs(qint64 epochs);  // shows the number of epochs with the same order; 0 hides the banner
    // False, because a scroll area gives a page its preferred height, without a scroll bar, if the page's height
    // depends on its width. The text keeps its height as its minimum instead.
    bool hasHeightForWidth() const override { return false; }

  Q_SIGNALS:
    void showWanted();

  private:
    QLabel* m_text = nullptr;
};

}  // namespace ringside
