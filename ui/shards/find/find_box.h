// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QWidget>

namespace ringside {

// Search box for "#4242", "class:7", "dup": Enter goes to the next match, Shift+Enter to the previous one, Escape
// clears.
class FindBox : public QWidget {
    Q_OBJECT
  public:
    explicit FindBox(QWidget* parent = nullptr);

    QString text() const { return m_edit->text(); }
    void setText(const QString& text) { m_edit->setText(text); }
    void setCount(const QString& count);      // shows the position among the matches, such as "3 of 49"
    void setProblem(const QString& problem);  // shows the problem of the text; empty: no problem

  Q_SIGNALS:
    void textChanged(const QString& text);
    void stepWanted(int direction);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void fitHint();

    QLineEdit* m_edit;
    QLabel* m_count;
};

}  // namespace ringside
