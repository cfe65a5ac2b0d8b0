// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QWidget;

namespace ringside {

class Dialogs;
class ExperimentModel;
class ImportDialog;
class Theme;

// Data files on their way into the experiment: one dialog at a time, whatever is dropped or chosen last.
class DataImport final : public QObject {
    Q_OBJECT
  public:
    DataImport(ExperimentModel& model, Theme& theme, Dialogs& dialogs, QWidget* window);

    void look(const QString& path);

  Q_SIGNALS:
    void experimentFound(const QString& path);
    void runFound(const QString& path);

  private:
    ImportDialog* makeDialog();

    ExperimentModel& m_model;
    Theme& m_theme;
    Dialogs& m_dialogs;
    QWidget* m_window;
    ImportDialog* m_dialog = nullptr;  // the window's child, made when first needed
};

}  // namespace ringside
