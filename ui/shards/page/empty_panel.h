// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>

namespace ringside {

// Text that the page shows instead of its views if there is nothing to show.
class EmptyPanel : public QFrame {
    Q_OBJECT
  public:
    explicit EmptyPanel(QWidget* parent = nullptr);
    // action: text of a button below; empty: no button.
    void say(const QString& title, const QString& text, const QString& action = {});

  Q_SIGNALS:
    void actionWanted();

  private:
    QPushButton* m_action = nullptr;
    QLabel* m_title = nullptr;
    QLabel* m_text = nullptr;
};

}  // namespace ringside
