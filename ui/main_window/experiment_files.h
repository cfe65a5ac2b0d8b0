// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <functional>

#include "base/result.h"
#include "config/run_config.h"

class QMenu;

namespace ringside {

class Dialogs;
class ExperimentModel;
class Settings;

// New, open, save and the recent files of the experiment; asks before something unsaved would be lost.
class ExperimentFiles final : public QObject {
    Q_OBJECT
  public:
    ExperimentFiles(ExperimentModel& model, Settings& settings, Dialogs& dialogs, QObject* parent = nullptr);

    void startNew();
    void chooseAndOpen();
    void chooseData();
    // An experiment, a data file or a run directory, told apart by what is there.
    void open(const QString& path);
    void save();
    void saveAs();
    void fillRecent(QMenu& menu);

    void restoreDraft();  // what was on screen when the window was closed
    void keepDraft();

    static Result<RunConfig> readExperiment(const QString& path);

  Q_SIGNALS:
    void failed(const QString& message);
    void runDirectoryChosen(const QString& path);

  private:
    void afterAsking(const std::function<void()>& proceed);
    void openExperiment(const QString& path);
    void openData(const QString& path);
    bool write(const QString& path);
    QString suggestedPath() const;

    ExperimentModel& m_model;
    Settings& m_settings;
    Dialogs& m_dialogs;
};

}  // namespace ringside
