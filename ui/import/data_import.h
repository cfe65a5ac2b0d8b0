// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QWidget;

namespace ringside {

class Dialogs;
class ExperimentModel;
class ImportDialog;
class Theme;

// Imports data files into the experiment. Shows one dialog at a time, for the file that the user dropped or chose last.
class DataImport final : public QObject {
    Q_OBJECT
  public:
    DataImport(ExperimentModel& model, Theme& theme, Dialogs& dialogs, QWidget* window);

    void openFile(const QString& path);  // opens the dialog for a file and starts reading it

  Q_SIGNALS:
    void experimentFound(const QString& path);
    void runDirectoryChosen(const QString& path);

  private:
    ImportDialog* makeDialog();

    ExperimentModel& m_model;
    Theme& m_theme;
    Dialogs& m_dialogs;
    QWidget* m_window;
    ImportDialog* m_dialog = nullptr;  // dialog; null until it is needed for the first time; owned by the window
};

}  // namespace ringside
