// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace ringside {

// Text that the page shows instead of its views if there is nothing to show.
class EmptyPanel : public QFrame {
    Q_OBJECT
  public:
    // page: name of the page in the names of the parts: "shards" for "shardsEmptyLabel". tip: tooltip of the
    // button; empty: the panel has no button.
    explicit EmptyPanel(const QString& page, const QString& tip = {}, QWidget* parent = nullptr);
    // action: text of a button below; empty: no button.
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
