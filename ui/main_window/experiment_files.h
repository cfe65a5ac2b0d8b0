// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <functional>

#include "base/errors/result.h"
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

    void startNew(const RunConfig& config = {});
    void startExample(const QString& resource);  // path below the resource directory
    void chooseAndOpen();
    void chooseData();
    void chooseDataFolder();
    // An experiment, a run directory or else data, told apart by what is there.
    void open(const QString& path);
    void openExperiment(const QString& path);  // asks first when something would be lost
    // Calls `proceed` at once, or after an unsaved experiment was saved or given up; never if the answer is Cancel.
    void afterAsking(const std::function<void()>& proceed);
    void save();
    void saveAs();
    void fillRecent(QMenu& menu);

    void restoreDraft();  // what was on screen when the window was closed
    void keepDraft();

    static Result<RunConfig> readExperiment(const QString& path);

  Q_SIGNALS:
    void failed(const QString& message);
    void saved(const QString& sentence);
    void begun();  // another experiment is in the form: new or opened
    void done();   // an experiment was begun, opened or saved
    void runDirectoryChosen(const QString& path);
    void dataChosen(const QString& path);

  private:
    void readInto(const QString& path);
    void chooseAndSave(const std::function<void()>& proceed);
    bool write(const QString& path);
    QString suggestedPath() const;

    ExperimentModel& m_model;
    Settings& m_settings;
    Dialogs& m_dialogs;
};

}  // namespace ringside
