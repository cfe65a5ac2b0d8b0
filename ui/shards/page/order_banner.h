// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>

namespace ringside {

// What stands over the views while set_epoch is forgotten: nothing else looks wrong then.
class OrderBanner : public QFrame {
    Q_OBJECT
  public:
    explicit OrderBanner(QWidget* parent = nullptr);
    void say(qint64 epochs);  // that get the same order; 0 hides the banner

  Q_SIGNALS:
    void showWanted();

  private:
    QLabel* m_text = nullptr;
};

}  // namespace ringside
