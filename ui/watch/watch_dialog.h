// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QDialog>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>

#include "models/watch_request.h"
#include "watch/watch_choice.h"

namespace ringside {

class Dialogs;
class RunController;
class Settings;

// Dialog of the command Run > Watch a script, in which the user chooses a script, its launcher and its interpreter.
// Shows the command that will be started. Not modal.
class WatchDialog final : public QDialog {
    Q_OBJECT
  public:
    // All arguments must outlive the dialog. If `script` is empty, the dialog selects the script that was watched last.
    WatchDialog(const RunController& controller, Settings& settings, Dialogs& dialogs, const QString& script,
                QWidget* parent);

    void setScript(const QString& script);

  Q_SIGNALS:
    void watchWanted(const ringside::WatchRequest& request);

  private:
    void addFields(QFormLayout& form);
    QWidget* makeScriptRow();
    QWidget* makeLauncherRow();
    QWidget* makeButtons();
    void connectFields();
    WatchChoice choice() const;
    void showChoice(const WatchChoice& choice);
    void findInterpreters();
    void refresh();
    void startScript(bool isCheck);

    const RunController& m_controller;
    Settings& m_settings;
    Dialogs& m_dialogs;
    QFormLayout* m_form;
    QComboBox* m_script;
    QPushButton* m_browse;
    QLineEdit* m_arguments;
    QComboBox* m_launcher;
    QSpinBox* m_ranks;
    QComboBox* m_interpreter;
    QLineEdit* m_command;
    QLabel* m_shown;
    QLabel* m_problem;
    QPushButton* m_watch;
    QPushButton* m_check;
};

}  // namespace ringside
