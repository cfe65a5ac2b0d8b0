// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <optional>

#include "cluster/job_follower.h"
#include "export/job_script.h"

namespace ringside {

class Dialogs;
class ExperimentModel;

// Dialog of the command Run > Launch: shows a commented script that runs the experiment with the chosen launcher. The
// user can save the script, submit it to a queue, or start it on this computer. The dialog then reports the state of
// the job until its run begins. Not modal.
class LaunchDialog final : public QDialog {
    Q_OBJECT
  public:
    // `experiment` and `dialogs` must outlive the dialog.
    LaunchDialog(ExperimentModel& experiment, Dialogs& dialogs, const QString& controlProgram,
                 QWidget* parent = nullptr);

    QString script() const { return m_script->toPlainText(); }

  Q_SIGNALS:
    void localRunWanted();  // emitted when the user wants to start the run on this computer, without a script
    void runBegan(const QString& directory);

  private:
    void buildLayout();
    QWidget* buildSide();
    QFormLayout* buildFields();
    void refresh();
    std::optional<JobLauncher> launcher() const;
    JobRequest request() const;
    bool writeScript(const QString& path);
    void saveScript();
    void startSelectedAction();
    QString whyStartIsDisabled() const;
    QString terminalCommand() const;

    ExperimentModel& m_experiment;
    Dialogs& m_dialogs;
    QString m_control;
    QString m_folder;  // folder for the script, the copy of the experiment and the results of the job
    QListWidget* m_ways;
    QLabel* m_about;
    QFormLayout* m_fields = nullptr;
    QSpinBox* m_nodes;
    QSpinBox* m_minutes;
    QSpinBox* m_seeds;
    QLineEdit* m_hosts;
    QLabel* m_problem;
    QPlainTextEdit* m_script;
    QLabel* m_state;
    QPushButton* m_save;
    QPushButton* m_go;
    JobFollower m_follower;
};

}  // namespace ringside
