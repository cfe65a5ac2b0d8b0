// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <optional>
#include <utility>

#include "watch/watched_command.h"

class QVBoxLayout;

namespace ringside {

class RunController;
class RunModel;

// Panel with the command and the facts of the watched PyTorch script whose run is shown. Takes the place of the
// experiment form.
class WatchedScriptPanel final : public QFrame {
    Q_OBJECT
  public:
    WatchedScriptPanel(RunModel& run, RunController& controller, QWidget* parent = nullptr);

    // Hides `form` while this panel is shown, and shows it otherwise. `form` must outlive this panel.
    void replace(QWidget* form);
    // Shows the experiment form instead of this panel until the next run, although the shown run is a watched PyTorch
    // script.
    void dismiss();

  Q_SIGNALS:
    // Emitted when the user wants to start the command of the shown run again. isCheck: true to end it after 50 steps.
    void watchWanted(const ringside::WatchedCommand& command, bool isCheck);
    void outputWanted(const QString& file);

  private:
    void addHeader(QVBoxLayout& column);
    void addCommand(QVBoxLayout& column);
    void addButtons(QVBoxLayout& column);
    void refresh();
    void refreshButtons();
    void showRows();
    using Row = std::pair<QString, QString>;  // label and value of a row
    void fill(QGridLayout& grid, const QList<std::pair<Row, QString>>& rows);
    QString outputFile() const;

    RunModel& m_run;
    RunController& m_controller;
    QWidget* m_form = nullptr;
    bool m_isDismissed = false;
    QString m_directory;  // run directory of the run that m_command belongs to
    std::optional<WatchedCommand> m_command;
    QLabel* m_version = nullptr;
    QGridLayout* m_start = nullptr;
    QFrame* m_commandBox = nullptr;
    QLabel* m_commandText = nullptr;
    QGridLayout* m_facts = nullptr;
    QLabel* m_noFacts = nullptr;
    QPushButton* m_watch = nullptr;
    QPushButton* m_check = nullptr;
    QPushButton* m_output = nullptr;
};

}  // namespace ringside
