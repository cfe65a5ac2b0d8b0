// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <functional>
#include <optional>

#include "config/run_config.h"
#include "models/run_controller.h"

namespace ringside {

class ExperimentFiles;
class ExperimentModel;
class PlanModel;
class RunModel;
class Settings;

// Starts, resumes, opens and closes the run that the window shows, and compares the experiment in the form with the
// run.
class RunSession final : public QObject {
    Q_OBJECT
  public:
    struct Dependencies {
        ExperimentModel& experiment;
        PlanModel& plan;
        RunModel& run;
        RunController& controller;
        ExperimentFiles& files;
        Settings& settings;
    };
    // All dependencies must outlive the session.
    explicit RunSession(const Dependencies& dependencies, QObject* parent = nullptr);

    // Directory of the shown run; empty: none.
    const QString& directory() const { return m_directory; }
    // Returns the reason why the experiment in the form cannot be started now; empty if it can be started.
    QString whyNotRunnable() const;
    bool canResume() const;
    // True if Run is disabled for a reason that the window shows already: a live run, a data set that is still loading,
    // or a watched PyTorch script in the form.
    bool isBlockedVisibly() const;

    void start();   // runs the experiment of the form; ignored if it is not runnable
    void resume();  // continues the shown run from its newest checkpoint with the settings of the form
    // Shows the run in `directory`, which a cluster or classroom has started with the experiment of the form.
    void follow(const QString& directory);
    // Runs a Python script as a watched run, after asking about unsaved changes of the experiment.
    void watch(const WatchRequest& request);
    enum class AfterOpening { kShow, kResume };
    // Shows the run in a directory and puts its experiment into the form, after asking about unsaved changes. If
    // another run is live or the directory contains no run, emits refused() with the reason and returns false.
    // cancelled: called if the user cancels the question; may be empty.
    bool open(const QString& directory, AfterOpening after, const std::function<void()>& cancelled = {});
    void close();  // removes a run that has ended from the pages

    // Returns the settings in which the form differs from the live run, or from the shown run if none is live.
    QStringList changedSettings() const;
    // Returns the changed settings of the form that can be applied to the live run, as text such as "learning rate and
    // epochs"; empty if there are none.
    QString applicableChanges() const;
    void applyChanges();
    void compareForm();

    // Page to show when a run is requested. kCurrent: the current page. kAnyThatFollows: the current page if it follows
    // live runs, otherwise the Training page. kTraining: the Training page.
    enum class PageToShow { kCurrent, kAnyThatFollows, kTraining };

  Q_SIGNALS:
    void requested(ringside::RunSession::PageToShow page);
    void refused(const QString& sentence, bool isFailure);
    void formCompared();  // emitted when changedSettings() or applicableChanges() may have changed

  private:
    void request(PageToShow page, bool adoptsConfig = false);
    void attach(const QString& directory, AfterOpening after);
    void adoptConfig();
    void adoptEpochs();
    void applyState(RunController::State state);
    void readRestoredRate();
    RunConfig settingsInUse() const;
    QStringList differencesFromRun() const;
    bool hasNewRate() const;
    bool hasNewEpochs() const;
    bool acceptsChanges() const;

    Dependencies m_in;
    QString m_directory;
    // true while a run is being opened whose experiment has not been put into the form yet
    bool m_adoptsConfig = false;
    bool m_resumeWhenShown = false;      // true if the run that is being opened will be resumed at once
    std::optional<RunConfig> m_started;  // experiment in the form when the run was started or opened
    // Learning rate from the checkpoint with which the run resumed, if a command had set it before; empty if not.
    std::optional<double> m_restoredRate;
    std::size_t m_knownControls = 0;  // number of commands that the run had reported when this class last sent a change
};

}  // namespace ringside
