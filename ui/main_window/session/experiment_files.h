// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <functional>

#include "base/errors/result.h"
#include "config/run_config.h"

class QMenu;

namespace ringside {

class Dialogs;
class ExperimentModel;
class Settings;

// Commands for files of experiments: new, open, save, recent files. Asks the user before unsaved changes would be lost.
class ExperimentFiles final : public QObject {
    Q_OBJECT
  public:
    ExperimentFiles(ExperimentModel& model, Settings& settings, Dialogs& dialogs, QObject* parent = nullptr);

    void startNew(const RunConfig& config = {});
    // Opens an example; `resource` is its path relative to the resource directory.
    void startExample(const QString& resource);
    void chooseAndOpen();
    void chooseData();
    void chooseDataFolder();
    // Opens a file or folder of any kind: an experiment, a run directory or a file in it, a Python script, or data.
    void open(const QString& path);
    void openExperiment(const QString& path);  // opens the experiment file; asks before unsaved changes are lost
    // Calls `proceed` at once if there are no unsaved changes. Otherwise asks the user, and calls `proceed` after the
    // changes were saved or discarded. After Cancel, calls `cancelled` instead, unless it is empty.
    void confirmUnsavedChanges(const std::function<void()>& proceed, const std::function<void()>& cancelled = {});
    void save();
    void saveAs();
    void fillRecent(QMenu& menu);

    void restoreDraft();  // restores the unsaved experiment of the last session
    void saveDraft();
    // Starts storing the unsaved experiment in the settings soon after each change, so that it is not lost after a
    // crash.
    void saveDraftOnChanges();

    static Result<RunConfig> readExperiment(const QString& path);

  Q_SIGNALS:
    void failed(const QString& message);
    void saved(const QString& sentence);
    void experimentReplaced();  // emitted when the form contains another experiment, which is new or was opened
    void done();                // emitted after an experiment was created, opened or saved
    void runDirectoryChosen(const QString& path);
    void scriptChosen(const QString& path);  // emitted when the user has chosen a Python script to watch
    void dataChosen(const QString& path);

  private:
    void readInto(const QString& path);
    void chooseAndSave(const std::function<void()>& proceed);
    bool writeExperiment(const QString& path);
    QString suggestedPath() const;

    ExperimentModel& m_model;
    Settings& m_settings;
    Dialogs& m_dialogs;
    QTimer m_draftTimer;
};

}  // namespace ringside
