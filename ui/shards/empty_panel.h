// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>

namespace ringside {

// What the page says in place of its views when there is nothing to see.
class EmptyPanel : public QFrame {
    Q_OBJECT
  public:
    explicit EmptyPanel(QWidget* parent = nullptr);
    void say(const QString& title, const QString& text);

  private:
    QLabel* m_title = nullptr;
    QLabel* m_text = nullptr;
};

}  // namespace ringside
