// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QStackedWidget>
#include <QTemporaryDir>

#include "cluster/classroom_process.h"
#include "cluster/qr_view.h"

namespace ringside {

class ExperimentModel;

// Dialog of the command Run > Invite ranks: opens a classroom, shows its join code, waits until other computers have
// joined, and starts the run with them. Not modal. If no run is live, closing the dialog closes the classroom. During a
// live run, closing only hides the dialog; the main window can stop the run.
class InviteDialog final : public QDialog {
    Q_OBJECT
  public:
    // `experiment` must outlive the dialog.
    InviteDialog(ExperimentModel& experiment, const QString& controlProgram, QWidget* parent = nullptr);

    QString code() const { return m_joinCode; }

    void reject() override { close(); }  // called when the user presses Escape

  Q_SIGNALS:
    void runBegan(const QString& directory);  // emitted at the start of the run and at each restart after a failure;
                                              // directory: run directory

  protected:
    void closeEvent(QCloseEvent* event) override;

  private:
    QWidget* buildPlan();
    QWidget* buildLobby();
    QWidget* buildInvitation();
    void open();
    void showCode(const QString& code, int wanted);
    void showClassroom(const QString& phase, int wanted, const QString& news, const std::vector<ClassroomCard>& cards);
    void showVerdict(const QString& verdict, int exitCode);

    ExperimentModel& m_experiment;
    QStackedWidget* m_pages;
    QComboBox* m_address;
    QSpinBox* m_ranks;
    QSpinBox* m_least;
    QLineEdit* m_name;
    QLabel* m_problem;
    QPushButton* m_open;
    QWidget* m_invitation;  // QR code and join code; hidden when no computer can join any more
    QrView* m_qr;
    QLabel* m_code;
    QLabel* m_how;
    QLabel* m_news;
    QLabel* m_note;
    QListWidget* m_members;
    QLabel* m_noGuestsLabel;
    QPushButton* m_start;
    QPushButton* m_close;
    QTemporaryDir m_folder;
    QString m_joinCode;
    QString m_phase;
    ClassroomProcess m_process;
};

}  // namespace ringside
