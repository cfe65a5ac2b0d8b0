// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace ringside {

// Panel with a title and a text that a page shows in the place of its views while these have no contents.
class EmptyPanel : public QFrame {
    Q_OBJECT
  public:
    // page: start of the object names of the panel's widgets, such as "shards" for "shardsEmptyLabel". tip: tooltip of
    // the button; empty: the panel never has a button.
    explicit EmptyPanel(const QString& page, const QString& tip = {}, QWidget* parent = nullptr);
    // Shows a title and a text. action: text of the button below the text; empty: the button is hidden.
    void showMessage(const QString& title, const QString& text, const QString& action = {});

  Q_SIGNALS:
    void actionWanted();

  private:
    void addButton(QVBoxLayout& layout, const QString& page, const QString& tip);

    QPushButton* m_action = nullptr;
    QLabel* m_title = nullptr;
    QLabel* m_text = nullptr;
};

}  // namespace ringside
