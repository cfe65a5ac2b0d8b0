// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QWidget;

namespace ringside {

class Dialogs;
class ExperimentModel;
class ImportDialog;
class Theme;

// Import of data files into the experiment: shows one dialog at a time, for the file that was dropped or chosen last.
class DataImport final : public QObject {
    Q_OBJECT
  public:
    DataImport(ExperimentModel& model, Theme& theme, Dialogs& dialogs, QWidget* window);

    void openFile(const QString& path);  // opens the dialog for a file and starts reading it

  Q_SIGNALS:
    void experimentFound(const QString& path);
    void runChosen(const QString& path);

  private:
    ImportDialog* makeDialog();

    ExperimentModel& m_model;
    Theme& m_theme;
    Dialogs& m_dialogs;
    QWidget* m_window;
    ImportDialog* m_dialog = nullptr;  // child of the window, created when first needed
};

}  // namespace ringside
