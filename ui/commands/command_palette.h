// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QDialog>
#include <QLineEdit>
#include <QList>
#include <QListWidget>
#include <functional>

namespace ringside {

// Dialog "Find a command": searches all commands of the window by name or synonym, and runs the selected command.
class CommandPalette final : public QDialog {
    Q_OBJECT
  public:
    // Function that returns additional commands for the typed text. For "epochs 400", for example, it returns a command
    // that sets the number of epochs to 400.
    using CommandsFor = std::function<QList<QAction*>(const QString& typed)>;
    CommandPalette(const QList<QAction*>& actions, QWidget* parent, CommandsFor more = {});

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void filter(const QString& typed);
    void addNote(const QString& text);
    void runCurrent();

    QList<QAction*> m_actions;
    CommandsFor m_more;
    QList<QAction*> m_shown;
    QLineEdit* m_line;
    QListWidget* m_list;
};

}  // namespace ringside
