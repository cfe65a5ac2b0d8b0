// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>

namespace ringside {

// What the page says in place of its views when there is nothing to see.
class EmptyPanel : public QFrame {
    Q_OBJECT
  public:
    explicit EmptyPanel(QWidget* parent = nullptr);
    // action: what a button under the text does about it; none when empty.
    void say(const QString& title, const QString& text, const QString& action = {});

  Q_SIGNALS:
    void actionWanted();

  private:
    QPushButton* m_action = nullptr;
    QLabel* m_title = nullptr;
    QLabel* m_text = nullptr;
};

}  // namespace ringside
