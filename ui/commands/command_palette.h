// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QDialog>
#include <QLineEdit>
#include <QList>
#include <QListWidget>

namespace ringside {

// Type a few letters or another word for it, press Enter: runs any command of the window.
class CommandPalette final : public QDialog {
    Q_OBJECT
  public:
    CommandPalette(const QList<QAction*>& actions, QWidget* parent);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void filter(const QString& typed);
    void addNote(const QString& text);
    void runCurrent();

    QList<QAction*> m_actions;
    QList<QAction*> m_shown;
    QLineEdit* m_line;
    QListWidget* m_list;
};

}  // namespace ringside
