// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

#include "cluster/classroom_process.h"

namespace ringside {

// Dialog of the command Run > Join: makes this computer a rank of another person's run. Not modal; closing the dialog
// leaves the classroom.
class JoinDialog final : public QDialog {
    Q_OBJECT
  public:
    explicit JoinDialog(const QString& controlProgram, QWidget* parent = nullptr);

  private:
    void buildLayout();
    void refresh();
    void makeRoom();
    void joinClassroom();
    void showMessage(const QString& kind, const QString& text);
    void showVerdict(const QString& verdict, int exitCode);

    QLineEdit* m_code;
    QLineEdit* m_name;
    QLabel* m_problem;
    QLabel* m_state;
    QLabel* m_news;
    QPushButton* m_join;
    QPushButton* m_close;
    ClassroomProcess m_process;
};

}  // namespace ringside
